import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFolder } from "../support/bundle-on-disk.ts";
import { newPair, sampleBundle, sampleDocument } from "../support/sample-bundle.ts";
import { tmpDir } from "../support/tmp.ts";

const COSIGN = process.env["FERRY_COSIGN"] ?? "cosign";
const here = spawnSync(COSIGN, ["version"]).error === undefined;
const why = here
  ? ""
  : ` (skipped: no cosign on PATH and none named by FERRY_COSIGN; verify-with-openssl.test.ts checks the same signatures with openssl)`;
if (!here) process.stderr.write(`test/bundle/cosign.test.ts${why}\n`);

/** The documented command, with a home of its own so that no settings of this machine play a part. */
function cosignVerify(folder: string, pub: string, home: string): { status: number | null; stderr: string } {
  const args = ["verify", "--local-image", "--key", pub, "--private-infrastructure", "--offline", folder];
  return spawnSync(COSIGN, args, { encoding: "utf8", env: { PATH: process.env["PATH"], HOME: home } });
}

describe.skipIf(!here)(`the real cosign${why}`, () => {
  it.each(["ed25519", "p256"] as const)(
    "accepts a bundle signed with an %s key, and refuses another key or a changed one",
    { timeout: 120_000 },
    async (algorithm) => {
      const folder = await tmpDir();
      const pairs = { ours: newPair(algorithm), other: newPair("ed25519"), stranger: newPair(algorithm) };
      for (const [name, { publicPem }] of Object.entries(pairs)) {
        await writeFile(join(folder, `${name}.pub`), publicPem);
      }
      const bundle = await writeFolder(
        join(folder, "bundle"),
        sampleBundle([pairs.ours.signer, pairs.other.signer]),
      );
      const verify = (name: string): { status: number | null; stderr: string } =>
        cosignVerify(bundle, join(folder, `${name}.pub`), folder);
      expect(verify("ours")).toMatchObject({ status: 0 });
      expect(verify("other")).toMatchObject({ status: 0 });
      expect(verify("stranger").status).not.toBe(0);

      const index = join(bundle, "index.json");
      const text = await readFile(index, "utf8");
      const changed = sampleBundle([], sampleDocument({ counter: 4 }));
      await writeFolder(bundle, changed.slice(2));
      const manifest = sampleBundle([pairs.ours.signer])[2]?.name.slice(-64) ?? "";
      const other = changed[2]?.name.slice(-64) ?? "";
      const size = (files: typeof changed): string => `"size":${files[2]?.bytes.length ?? 0}`;
      await writeFile(
        index,
        text
          .replace(`"digest":"sha256:${manifest}"`, `"digest":"sha256:${other}"`)
          .replace(size(sampleBundle([])), size(changed)),
      );
      const refused = verify("ours");
      expect(refused.status).not.toBe(0);
      expect(refused.stderr).toContain("no matching signatures");
    },
  );
});

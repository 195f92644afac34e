import { spawnSync } from "node:child_process";
import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { renderIndex } from "../../src/bundle/index-json.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { blobName } from "../../src/wire/oci.ts";
import { writeFolder, writeTarOf } from "../support/bundle-on-disk.ts";
import {
  type LoadedPair,
  newPair,
  SAMPLE_CONTENTS,
  SERVER_PATH,
  sampleBundle,
  sampleDocument,
} from "../support/sample-bundle.ts";
import { tmpDir } from "../support/tmp.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/verify-with-openssl.sh");
const SERVER_BLOB = blobName(digestOf(SAMPLE_CONTENTS.get(SERVER_PATH) ?? ""));

let folder: string;
beforeEach(async () => {
  folder = await tmpDir();
  await mkdir(join(folder, "tmp"));
});

function run(
  shell: readonly string[],
  ...args: string[]
): { status: number | null; stdout: string; stderr: string } {
  const [program = "sh", ...first] = shell;
  return spawnSync(program, [...first, SCRIPT, ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TMPDIR: join(folder, "tmp") },
  });
}

/** The shells that are here: the system's own always, others where they are installed. */
const SHELLS = [["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"]].filter(
  ([program = ""]) => program === "sh" || spawnSync(program, ["-c", ":"]).error === undefined,
);

async function keyFile(pair: LoadedPair): Promise<string> {
  const path = join(folder, `${pair.verifier.keyId}.pub`);
  await writeFile(path, pair.publicPem);
  return path;
}

describe.each(["ed25519", "p256"] as const)(
  "verify-with-openssl.sh with an %s key",
  { timeout: 120_000 },
  (algorithm) => {
    const pair = newPair(algorithm);
    const signed = sampleBundle([pair.signer]);

    it.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
      "verifies a folder and a tar in %s",
      async (_name, shell) => {
        const pub = await keyFile(pair);
        for (const bundle of [
          await writeFolder(join(folder, "bundle"), signed),
          await writeTarOf(join(folder, "bundle.tar"), signed),
        ]) {
          const { status, stdout, stderr } = run(shell, bundle, pub);
          expect([status, stderr]).toEqual([0, ""]);
          expect(stdout).toContain(`verified: ${bundle}`);
          expect(stdout).toContain(`signed by: ${pair.verifier.fingerprint.slice(7)}`);
          expect(stdout).toContain("content:   3 files, ");
        }
      },
    );

    it("verifies a bundle that two keys have signed, with either", async () => {
      const other = newPair(algorithm === "p256" ? "ed25519" : "p256");
      const bundle = await writeFolder(join(folder, "bundle"), sampleBundle([pair.signer, other.signer]));
      for (const one of [pair, other]) expect(run(["sh"], bundle, await keyFile(one)).status).toBe(0);
    });

    it("refuses another key, a wrong signature, and an unsigned bundle", async () => {
      const bundle = await writeFolder(join(folder, "bundle"), signed);
      const stranger = run(["sh"], bundle, await keyFile(newPair(algorithm)));
      expect([stranger.status, stranger.stdout]).toEqual([1, ""]);
      expect(stranger.stderr).toContain(`but by: ${pair.verifier.keyId}`);

      const liar = { ...newPair(algorithm).signer, fingerprint: pair.signer.fingerprint };
      const forged = run(
        ["sh"],
        await writeFolder(join(folder, "forged"), sampleBundle([liar])),
        await keyFile(pair),
      );
      expect([forged.status, forged.stdout]).toEqual([1, ""]);
      expect(forged.stderr).toContain("the signature does not fit the manifest");

      const unsigned = run(
        ["sh"],
        await writeFolder(join(folder, "unsigned"), sampleBundle([])),
        await keyFile(pair),
      );
      expect([unsigned.status, unsigned.stderr]).toEqual([
        1,
        expect.stringContaining("is not signed") as string,
      ]);
    });
  },
);

describe("verify-with-openssl.sh fails closed", { timeout: 120_000 }, () => {
  const pair = newPair();
  const signed = sampleBundle([pair.signer]);

  /** Each returns a path to a bundle that must be refused, and words of the refusal. */
  const tampered: [string, (bundle: string) => Promise<unknown>, string][] = [
    ["a flipped bit in a file", (at) => flipByte(join(at, SERVER_BLOB)), "a listed file is damaged"],
    [
      "a flipped bit in the manifest",
      (at) => flipByte(join(at, signed[2]?.name ?? "")),
      "the manifest is damaged",
    ],
    [
      "a flipped bit in the document",
      (at) => flipByte(join(at, signed[3]?.name ?? "")),
      "a listed file is damaged",
    ],
    [
      "a flipped bit in the signature",
      (at) => flipByte(join(at, signed[4]?.name ?? "")),
      "the signature is damaged",
    ],
    [
      "a flipped bit in the signature's config",
      (at) => flipByte(join(at, signed[5]?.name ?? "")),
      "config is damaged",
    ],
    [
      "a flipped bit in the statement",
      (at) => flipByte(join(at, signed[6]?.name ?? "")),
      "the signed statement is damaged",
    ],
    [
      "a flipped bit in index.json",
      (at) => flipByte(join(at, "index.json")),
      "index.json is not the one of a bundle",
    ],
    [
      "a flipped bit in oci-layout",
      (at) => flipByte(join(at, "oci-layout")),
      "oci-layout is absent or not the one",
    ],
    [
      "a longer index.json",
      (at) => appendFile(join(at, "index.json"), "\n"),
      "index.json is not the one of a bundle",
    ],
    ["an absent file", (at) => rm(join(at, SERVER_BLOB)), "a listed file is absent"],
    ["a cut file", (at) => truncate(join(at, SERVER_BLOB), 9), "has 9 bytes, expected"],
    [
      "an extra blob",
      (at) => writeFile(join(at, blobName(digestOf("x"))), "x"),
      "a file that its manifest does not list",
    ],
    ["an extra file", (at) => writeFile(join(at, "README"), "x"), "a file that its manifest does not list"],
    ["a link in place of a file", (at) => linkInstead(join(at, SERVER_BLOB)), "a link or a device"],
    ["no index.json", (at) => rm(join(at, "index.json")), "index.json is absent"],
    [
      "the signature of another bundle",
      async (at) => {
        const other = sampleBundle([pair.signer], sampleDocument({ counter: 4 }));
        await writeFolder(at, other.slice(4, 7));
        const index = renderIndex(
          { name: "site-a", counter: 3 },
          signed[2]?.bytes ?? Buffer.alloc(0),
          other[4]?.bytes,
        );
        await writeFile(join(at, "index.json"), index);
      },
      "the signature is over another manifest",
    ],
  ];

  async function flipByte(path: string): Promise<void> {
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12);
    await writeFile(path, bytes);
  }

  async function linkInstead(path: string): Promise<void> {
    const bytes = await readFile(path);
    await writeFile(join(folder, "elsewhere"), bytes);
    await rm(path);
    await symlink(join(folder, "elsewhere"), path);
  }

  it.each(tampered)("M3: on %s", async (_name, tamper, words) => {
    const bundle = await writeFolder(join(folder, "bundle"), signed);
    const pub = await keyFile(pair);
    expect(run(["sh"], bundle, pub).status).toBe(0);
    await tamper(bundle);
    const { status, stdout, stderr } = run(["sh"], bundle, pub);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("NOT verified: ");
    expect(stderr).toContain(words);
  });

  it("M3: on a tar that was cut, that holds a blob nobody lists, or that holds a link or a foreign name", async () => {
    const pub = await keyFile(pair);
    const cut = await writeTarOf(join(folder, "cut.tar"), signed);
    await truncate(cut, 6000);
    const extra = await writeTarOf(join(folder, "extra.tar"), [
      ...signed,
      { name: blobName(digestOf("x")), bytes: Buffer.from("x") },
    ]);
    await writeFolder(join(folder, "odd"), signed);
    await linkInstead(join(folder, "odd", SERVER_BLOB));
    const linked = join(folder, "linked.tar");
    spawnSync("tar", ["-cf", linked, "-C", join(folder, "odd"), "."]);
    const foreign = join(folder, "foreign.tar");
    spawnSync("tar", ["-cf", foreign, "-C", folder, "odd"]);
    const twice = await writeTarOf(join(folder, "twice.tar"), [...signed, ...signed.slice(-1)]);
    for (const [bundle, words] of [
      [cut, "cannot be read as a tar"],
      [extra, "does not list"],
      [linked, "a link or a device"],
      [foreign, "no part of a bundle"],
      [twice, "a name twice"],
    ] as const) {
      const { status, stdout, stderr } = run(["sh"], bundle, pub);
      expect([bundle, status, stdout]).toEqual([bundle, 1, ""]);
      expect(stderr).toContain(words);
    }
  });

  it("on what is no bundle, no key, or no call of it", async () => {
    const bundle = await writeFolder(join(folder, "bundle"), signed);
    const pub = await keyFile(pair);
    const privateKey = join(folder, "a.key");
    await writeFile(privateKey, pair.privatePem);
    const text = join(folder, "notes.txt");
    await writeFile(text, "hello");
    expect(run(["sh"], bundle, privateKey)).toMatchObject({ status: 1, stdout: "" });
    expect(run(["sh"], bundle, text)).toMatchObject({ status: 1, stdout: "" });
    expect(run(["sh"], text, pub)).toMatchObject({ status: 1, stdout: "" });
    expect(run(["sh"], folder, pub)).toMatchObject({ status: 1, stdout: "" });
    for (const args of [
      [],
      [bundle],
      [bundle, pub, "more"],
      [join(folder, "absent"), pub],
      [bundle, join(folder, "absent")],
    ]) {
      expect(run(["sh"], ...args)).toMatchObject({ status: 2, stdout: "" });
    }
  });

  it("and leaves nothing under TMPDIR", async () => {
    const bundle = await writeTarOf(join(folder, "bundle.tar"), signed);
    run(["sh"], bundle, await keyFile(pair));
    run(["sh"], bundle, await keyFile(newPair()));
    expect(spawnSync("ls", ["-A", join(folder, "tmp")], { encoding: "utf8" }).stdout).toBe("");
  });
});

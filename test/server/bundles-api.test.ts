import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { InventoryReport } from "../../src/bundle/inventory.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { type TestMirror, testMirror } from "../support/mirror-server.ts";
import { newPair } from "../support/sample-bundle.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const run = promisify(execFile);
const pairs = { ed25519: newPair("ed25519"), p256: newPair("p256") };

let mirror: TestMirror;
let folder: string;
beforeEach(async () => {
  folder = await tmpDir();
  const store = await servedStore(join(folder, "store"));
  await store.add({ name: "site-a", counter: 1, files: { "a/old": "old" } });
  const signers = [pairs.ed25519.signer, pairs.p256.signer];
  await store.add(
    { name: "site-a", counter: 2, files: { "a/new": "new" } },
    { signers, importedAt: "2026-11-05T00:00:00Z" },
  );
  mirror = await testMirror(store.root);
});

interface Shown {
  name: string;
  counter: number;
  imported: string | null;
  signedBy: string[] | null;
  signatures: { keyId: string; url: string }[];
  manifest: { digest: string; url: string };
  document: { digest: string; url: string };
  payload: { url: string } | null;
}

const pathOf = (url: string): string => new URL(url).pathname;

describe("what a mirror says of its bundles", () => {
  it("lists them with who signed them and when they came", async () => {
    const { bundles } = (await mirror.get("/v1/bundles")).json() as { bundles: Shown[] };
    expect(bundles).toMatchObject([
      { name: "site-a", counter: 1, signedBy: [], signatures: [], payload: null, files: 1, bytes: 3 },
      {
        name: "site-a",
        counter: 2,
        imported: "2026-11-05T00:00:00Z",
        signedBy: [pairs.ed25519.signer.keyId, pairs.p256.signer.keyId],
        files: 1,
      },
    ]);
  });

  it("gives a bundle by its name, then the newest, and by name and counter", async () => {
    const counter = async (name: string): Promise<unknown> =>
      ((await mirror.get(`/v1/bundles/${name}`)).json() as Shown).counter;
    expect([await counter("site-a"), await counter("site-a-1")]).toEqual([2, 1]);
    expect((await mirror.get("/v1/bundles/site-b")).status).toBe(404);
  });

  it.each(["ed25519", "p256"] as const)(
    "lets a node verify by itself with openssl: %s",
    async (algorithm) => {
      const { publicPem, signer } = pairs[algorithm];
      const shown = (await mirror.get("/v1/bundles/site-a")).json() as Shown;
      const signature = shown.signatures.find(({ keyId }) => keyId === signer.keyId);
      const files = {
        payload: shown.payload?.url ?? "",
        sig: signature?.url ?? "",
        manifest: shown.manifest.url,
      };
      for (const [name, url] of Object.entries(files)) {
        await writeFile(join(folder, name), (await mirror.get(pathOf(url))).body);
      }
      await writeFile(join(folder, "key.pub"), publicPem);
      const how =
        algorithm === "ed25519"
          ? [
              "pkeyutl",
              "-verify",
              "-pubin",
              "-inkey",
              "key.pub",
              "-rawin",
              "-in",
              "payload",
              "-sigfile",
              "sig",
            ]
          : ["dgst", "-sha256", "-verify", "key.pub", "-signature", "sig", "payload"];
      await run("openssl", how, { cwd: folder });
      const manifest = (await mirror.get(pathOf(shown.manifest.url))).body;
      expect(digestOf(manifest)).toBe(shown.manifest.digest);
      expect((await mirror.get(pathOf(shown.payload?.url ?? ""))).text).toContain(shown.manifest.digest);
      const document = (await mirror.get(pathOf(shown.document.url))).body;
      expect(digestOf(document)).toBe(shown.document.digest);
      expect(manifest.toString()).toContain(shown.document.digest);
      expect(document.toString()).toContain(digestOf("new"));
    },
  );

  it.each(["signatures/0000000000000000", "other"])("has no %s", async (what) => {
    expect((await mirror.get(`/v1/bundles/site-a/${what}`)).status).toBe(404);
  });

  it("has no signature of a bundle that nobody signed", async () => {
    expect((await mirror.get("/v1/bundles/site-a-1/payload")).status).toBe(404);
  });

  it("gives its inventory as the command line does", async () => {
    const inventory = InventoryReport.parse((await mirror.get("/v1/inventory")).json());
    expect(inventory.bundles.map(({ counter }) => counter)).toEqual([1, 2]);
    expect(inventory.contents).toEqual(
      ["old", "new"]
        .map((text) => ({ digest: digestOf(text), size: 3 }))
        .sort((a, b) => (a.digest < b.digest ? -1 : 1)),
    );
  });
});

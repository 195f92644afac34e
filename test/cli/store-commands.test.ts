import { createReadStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InventoryReport } from "../../src/bundle/inventory.ts";
import { ScrubReport } from "../../src/bundle/scrub.ts";
import { BundlesReport, RemoveReport } from "../../src/bundle/store-bundles.ts";
import { ImportsReport } from "../../src/cli/commands/import.ts";
import { GcReport } from "../../src/cli/gc-report.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { writeFolder, writeTarOf } from "../support/bundle-on-disk.ts";
import { builderKey, bundleOf } from "../support/mirror-store.ts";
import { type FerryOptions, type FerryRun, runFerry } from "../support/run-ferry.ts";
import { newPair, sampleBundle } from "../support/sample-bundle.ts";
import { tmpDir } from "../support/tmp.ts";

const A = "o/r/releases/download/v1/a+b.tar.gz";
const CONTENTS = { [A]: "content a", "o/r/releases/download/v1/b": "content b" };

interface Desk {
  at: (name: string) => string;
  ferry: (argv: string[], options?: FerryOptions) => Promise<FerryRun>;
}

/** A folder with a key, `one.tar`, the folder `two`, and a store named by the environment. */
async function desk(): Promise<Desk> {
  const folder = await tmpDir();
  const at = (name: string): string => join(folder, name);
  await writeFile(at("k.pub"), builderKey.publicPem);
  await writeTarOf(at("one.tar"), bundleOf("one", 1, CONTENTS));
  await writeFolder(
    at("two"),
    bundleOf("two", 4, { "o/r/releases/download/v1/c": "content c", [A]: "content a" }),
  );
  const env = { FERRY_STORE: at("store") };
  return { at, ferry: (argv, options) => runFerry(argv, { env, cwd: folder, ...options }) };
}

describe("ferry import", () => {
  it("imports a tar and a folder, and says what became of each", async () => {
    const { ferry, at } = await desk();
    const run = await ferry(["import", "one.tar", "two", "--key", "k.pub"]);
    expect(run, run.stderr).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/^one 1: imported\n.*one\.tar.*\n +signed by: [0-9a-f]{16}\n/);
    expect(run.stdout).toMatch(/two 4: imported[^]*written: +1 contents[^]*skipped: +1 contents/);
    expect(await readFile(join(at("store/blobs/sha256"), hexOf(digestOf("content a"))), "utf8")).toBe(
      "content a",
    );
  });

  it("imports from standard input, into the store of a flag, and prints JSON", async () => {
    const { ferry, at } = await desk();
    const stdin = createReadStream(at("one.tar"));
    const run = await ferry(["import", "-", "--key", "k.pub", "--store", "other", "--json"], { stdin });
    const report = ImportsReport.parse(JSON.parse(run.stdout));
    expect(report).toMatchObject({
      store: at("other"),
      imports: [{ bundle: "standard input", outcome: "imported", written: { contents: 2, bytes: 18 } }],
    });
    const again = await ferry(["import", "one.tar", "--key", "k.pub", "--store", "other", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      imports: [{ outcome: "unchanged", skipped: { contents: 2 } }],
    });
  });

  it("takes a folder of keys, and refuses one without any", async () => {
    const { ferry, at } = await desk();
    await mkdir(at("keys"));
    const empty = await ferry(["import", "one.tar", "--key", "keys"]);
    expect(empty.code).toBe(2);
    expect(empty.stderr).toMatch(/KEY_INVALID: the folder keys holds no public key/);
    await writeFile(at("keys/README"), "not a key");
    await writeFile(at("keys/stranger.pem"), newPair("p256").publicPem);
    expect((await ferry(["import", "one.tar", "--key", "keys"])).code).toBe(5);
    await writeFile(at("keys/builder.pub"), builderKey.publicPem);
    expect((await ferry(["import", "one.tar", "--key", "keys"])).code).toBe(0);
    await writeFile(at("keys/odd.pem"), "not a key");
    expect((await ferry(["import", "one.tar", "--key", "keys"])).stderr).toMatch(
      /KEY_INVALID: keys\/odd\.pem/,
    );
  });

  it("M3: refuses with exit code 5 and leaves the store as it was", async () => {
    const { ferry, at } = await desk();
    await ferry(["import", "one.tar", "--key", "k.pub"]);
    const before = (await ferry(["bundles", "--json"])).stdout;
    await writeTarOf(at("unsigned.tar"), sampleBundle([]));
    await writeTarOf(at("stranger.tar"), sampleBundle([newPair().signer]));
    const damaged = await readFile(at("one.tar"));
    const bit = damaged.indexOf("content b");
    damaged.writeUInt8(damaged.readUInt8(bit) ^ 1, bit);
    await writeFile(at("damaged.tar"), damaged);
    await writeFile(at("short.tar"), damaged.subarray(0, damaged.length - 1500));
    for (const [tar, code] of [
      ["unsigned.tar", "SIGNATURE_MISSING"],
      ["stranger.tar", "SIGNATURE_INVALID"],
      ["damaged.tar", "DIGEST_MISMATCH"],
      ["short.tar", "BUNDLE_TRUNCATED"],
    ] as const) {
      for (const argv of [[tar], ["-"]]) {
        const stdin = createReadStream(at(tar));
        const run = await ferry(["import", ...argv, "--key", "k.pub"], { stdin });
        expect([run.code, run.stdout], tar).toEqual([5, ""]);
        expect(run.stderr).toContain(`ferry: ${code}: `);
      }
    }
    expect((await ferry(["bundles", "--json"])).stdout).toBe(before);
  });

  it("takes an unsigned bundle only when told, loudly", async () => {
    const { ferry, at } = await desk();
    await writeTarOf(at("unsigned.tar"), sampleBundle([]));
    const none = await ferry(["import", "unsigned.tar"]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--key PUB.pem")]);
    const run = await ferry(["import", "unsigned.tar", "--allow-unsigned"]);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/warning: .*NOT SIGNED/);
    expect(run.stdout).toContain("signed by: NOBODY");
    expect((await ferry(["bundles"])).stdout).toContain("UNSIGNED");
  });

  it("M13: refuses a conflict, and does what --prefer says", async () => {
    const { ferry, at } = await desk();
    await writeTarOf(at("other.tar"), bundleOf("other", 1, { [A]: "other bytes" }));
    await ferry(["import", "one.tar", "--key", "k.pub"]);
    const refused = await ferry(["import", "other.tar", "--key", "k.pub"]);
    expect(refused.code).toBe(5);
    for (const word of [
      "BUNDLE_CONFLICT",
      A,
      digestOf("content a"),
      digestOf("other bytes"),
      "one 1",
      "other 1",
    ]) {
      expect(refused.stderr).toContain(word);
    }
    const told = await ferry(["import", "other.tar", "--key", "k.pub", "--prefer", "old"]);
    expect(told.stdout).toContain(`conflict:  ${A}: the old bytes are served, ${digestOf("content a")}`);
    expect((await ferry(["bundles"])).stdout).toContain("yields to earlier bundles");
    expect((await ferry(["import", "one.tar", "--key", "k.pub", "--prefer", "any"])).code).toBe(2);
  });

  it("refuses an older counter, unless told", async () => {
    const { ferry, at } = await desk();
    await writeTarOf(at("older.tar"), bundleOf("two", 3, {}));
    await ferry(["import", "two", "--key", "k.pub"]);
    const refused = await ferry(["import", "older.tar", "--key", "k.pub"]);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("BUNDLE_OLDER")]);
    expect((await ferry(["import", "older.tar", "--key", "k.pub", "--allow-older"])).code).toBe(0);
  });

  it("stops at the first bundle that fails, keeps those before, and says so in JSON", async () => {
    const { ferry, at } = await desk();
    await writeTarOf(at("unsigned.tar"), sampleBundle([]));
    const run = await ferry(["import", "one.tar", "unsigned.tar", "two", "--key", "k.pub", "--json"]);
    expect(run.code).toBe(5);
    expect(ImportsReport.parse(JSON.parse(run.stdout)).imports.map(({ name }) => name)).toEqual(["one"]);
    expect((await ferry(["import", "-", "-", "--key", "k.pub"])).code).toBe(2);
  });
});

describe("commands on a store", () => {
  it.each(["bundles", "gc", "scrub", "inventory", "remove x"])(
    "ferry %s refuses a folder that is no store, and makes none",
    async (command) => {
      const { ferry, at } = await desk();
      const run = await ferry([...command.split(" "), "--store", "typo"]);
      expect([run.code, run.stdout]).toEqual([7, ""]);
      expect(run.stderr).toContain(`there is no store at ${at("typo")}`);
      await expect(readFile(at("typo/oci-layout"))).rejects.toThrow("ENOENT");
    },
  );

  it("bundles lists them, in words and as JSON", async () => {
    const { ferry, at } = await desk();
    await ferry(["import", "one.tar", "two", "--key", "k.pub"]);
    const run = await ferry(["bundles"]);
    expect(run.stdout).toMatch(/2 bundles\n {2}one@1 {2}imported .*signed by [0-9a-f]{16} .*\n {2}two@4 {2}/);
    const report = BundlesReport.parse(JSON.parse((await ferry(["bundles", "--json"])).stdout));
    expect(report).toMatchObject({
      store: at("store"),
      bundles: [{ name: "one" }, { name: "two", absent: 0 }],
    });
  });

  it("remove and gc free what no other bundle needs, after a dry run", async () => {
    const { ferry } = await desk();
    await ferry(["import", "one.tar", "two", "--key", "k.pub"]);
    const missing = await ferry(["remove", "three"]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("It has: one@1, two@4")]);
    const removed = await ferry(["remove", "one", "--json"]);
    expect(RemoveReport.parse(JSON.parse(removed.stdout))).toMatchObject({
      removed: [{ name: "one" }],
      left: 1,
    });

    const young = GcReport.parse(JSON.parse((await ferry(["gc", "--json"])).stdout));
    expect([young.blobs, young.kept.young > 0]).toEqual([[], true]);
    const planned = GcReport.parse(
      JSON.parse((await ferry(["gc", "--dry-run", "--grace", "0", "--json"])).stdout),
    );
    expect(planned.blobs.map(({ digest }) => digest)).toContain(digestOf("content b"));
    expect(planned.blobs.map(({ digest }) => digest)).not.toContain(digestOf("content a"));
    expect((await ferry(["gc", "--dry-run", "--grace", "0"])).stdout).toMatch(/would delete: \d+ blobs/);
    const done = await ferry(["gc", "--grace", "0"]);
    expect(done.stdout).toContain(`deleted ${digestOf("content b")}`);
    expect((await ferry(["scrub"])).code).toBe(0);
    expect((await ferry(["remove", "two"])).stdout).toMatch(
      /removed two@4 .*\nthe store has no other bundle/,
    );
    expect((await ferry(["gc", "--grace", "soon"])).code).toBe(2);
  });

  it("scrub exits with 5 and names what is damaged, and says when it checked nothing", async () => {
    const { ferry, at } = await desk();
    await mkdir(at("store"));
    await ferry(["import", "one.tar", "--key", "k.pub"]);
    const good = await ferry(["scrub"]);
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringMatching(/1 bundle, 7 blobs .* hashed: all good/),
    ]);
    const path = join(at("store/blobs/sha256"), hexOf(digestOf("content a")));
    await writeFile(path, "content X");
    await rm(join(at("store/blobs/sha256"), hexOf(digestOf("content b"))));
    const bad = await ferry(["scrub"]);
    expect(bad.code).toBe(5);
    expect(bad.stdout).toContain(`DAMAGED ${digestOf("content a")}: a file of one 1\n  ${A}\n`);
    expect(bad.stdout).toContain(`ABSENT ${digestOf("content b")}`);
    expect(bad.stdout).toContain("to repair, import again: one 1");
    const json = await ferry(["scrub", "--json"]);
    expect([json.code, ScrubReport.parse(JSON.parse(json.stdout)).damaged.length]).toEqual([5, 2]);
    expect((await ferry(["import", "one.tar", "--key", "k.pub"])).stdout).toContain("one 1: repaired");

    await ferry(["remove", "one"]);
    await ferry(["gc", "--grace", "0"]);
    expect((await ferry(["scrub"])).stdout).toContain("NOTHING WAS CHECKED");
  });

  it("inventory prints one digest a line, or JSON", async () => {
    const { ferry } = await desk();
    await ferry(["import", "one.tar", "two", "--key", "k.pub"]);
    const digests = ["content a", "content b", "content c"].map(digestOf).sort();
    expect((await ferry(["inventory"])).stdout).toBe(`${digests.join("\n")}\n`);
    const report = InventoryReport.parse(JSON.parse((await ferry(["inventory", "--json"])).stdout));
    expect(report.contents.map(({ digest }) => digest)).toEqual(digests);
  });
});

import { execFileSync } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { KeyReport } from "../../src/cli/commands/keys.ts";
import { runFerry } from "../support/run-ferry.ts";
import { tmpDir } from "../support/tmp.ts";

describe("ferry keys", () => {
  it.each(["ed25519", "p256"])(
    "makes a %s pair that openssl reads, private for its owner alone",
    async (type) => {
      const cwd = await tmpDir();
      const run = await runFerry(["keys", "new", "--out", "site", "--type", type], { cwd });
      expect(run.code, run.stderr).toBe(0);
      expect((await stat(`${cwd}/site.key`)).mode & 0o777).toBe(0o600);
      expect(execFileSync("openssl", ["pkey", "-in", `${cwd}/site.key`, "-pubout"]).toString()).toBe(
        await readFile(`${cwd}/site.pub`, "utf8"),
      );
    },
  );

  it("shows the same id for both halves", async () => {
    const cwd = await tmpDir();
    await runFerry(["keys", "new", "--out", "site"], { cwd });
    const show = async (file: string): Promise<KeyReport> =>
      KeyReport.parse(JSON.parse((await runFerry(["keys", "show", file, "--json"], { cwd })).stdout));
    const [secret, open] = [await show("site.key"), await show("site.pub")];
    expect(secret).toEqual({ ...open, kind: "private" });
    expect((await runFerry(["keys", "show", "site.pub"], { cwd })).stdout).toContain(open.keyId);
  });

  it("never replaces a key", async () => {
    const cwd = await tmpDir();
    await runFerry(["keys", "new", "--out", "site"], { cwd });
    const before = await readFile(`${cwd}/site.key`, "utf8");
    const run = await runFerry(["keys", "new", "--out", "site"], { cwd });
    expect(run.code).toBe(7);
    expect(run.stderr).toContain("a key is never overwritten");
    expect(await readFile(`${cwd}/site.key`, "utf8")).toBe(before);
  });

  it.each([
    ["a prompt", { secrets: ["correct horse", "correct horse"] }, []],
    ["a file", {}, ["--passphrase-file", "pass"]],
    ["the environment", { env: { FERRY_KEY_PASSPHRASE: "correct horse" } }, []],
  ])("encrypts with a passphrase from %s", async (_where, options, flags) => {
    const cwd = await tmpDir();
    await writeFile(`${cwd}/pass`, "correct horse\nanything\n");
    const made = await runFerry(["keys", "new", "--out", "k", ...flags], { cwd, ...options });
    expect(made.code, made.stderr).toBe(0);
    expect(await readFile(`${cwd}/k.key`, "utf8")).toContain("ENCRYPTED PRIVATE KEY");
    const refused = await runFerry(["keys", "show", "k.key"], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("KEY_PASSPHRASE");
    const opened = await runFerry(["keys", "show", "k.key", ...flags], {
      cwd,
      ...options,
      ...("secrets" in options ? { secrets: ["correct horse"] } : {}),
    });
    expect(opened.code, opened.stderr).toBe(0);
  });

  it("writes nothing where the two passphrases differ, and an unencrypted key where none is given", async () => {
    const cwd = await tmpDir();
    const run = await runFerry(["keys", "new", "--out", "k"], { cwd, secrets: ["a", "b"] });
    expect(run.code).toBe(2);
    await expect(stat(`${cwd}/k.key`)).rejects.toThrow();
    const plain = await runFerry(["keys", "new", "--out", "k"], { cwd, secrets: [""] });
    expect(plain.stdout).toContain("NOT encrypted");
  });

  it.each([
    [["keys", "new", "--out", "k", "--type", "rsa"], 2, "--type must be"],
    [["keys", "new"], 2, "--out"],
    [["keys", "show", "absent.key"], 7, "absent.key"],
    [["keys", "show", "note.txt"], 2, "KEY_INVALID"],
    [["keys", "new", "--out", "k", "--passphrase-file", "empty"], 2, "is empty"],
    [["keys", "new", "--out", "no/such/folder/k"], 7, "no/such/folder"],
  ])("%j ends with %i and says why", async (argv, code, words) => {
    const cwd = await tmpDir();
    await writeFile(`${cwd}/note.txt`, "hello\n");
    await writeFile(`${cwd}/empty`, "\n");
    const run = await runFerry(argv, { cwd });
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(words);
    expect(run.stdout).toBe("");
  });
});

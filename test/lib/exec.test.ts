import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { tmpDir } from "../support/tmp.ts";

const env = { PATH: process.env["PATH"] ?? "" };

it("gives what a program says and how it ended", async () => {
  const result = await exec("sh", ["-c", "echo out; echo err >&2; exit 3"], { env });
  expect(result).toEqual({ code: 3, stdout: "out\n", stderr: "err\n" });
});

it("hands on nothing of the environment that is not given", async () => {
  const result = await exec("sh", ["-c", 'echo "$ONE|$HOME"'], { env: { ...env, ONE: "1" } });
  expect(result.stdout).toBe("1|\n");
});

it("runs in the given folder", async () => {
  const folder = await tmpDir();
  const result = await exec("pwd", [], { env, cwd: folder });
  expect(result.stdout.trim()).toBe(folder);
});

it("names a program that is not there", async () => {
  await expect(exec("/nowhere/uv", [], { env })).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    message: expect.stringContaining("/nowhere/uv") as string,
  });
});

it("names a file that may not be executed", async () => {
  const path = join(await tmpDir(), "uv");
  await writeFile(path, "#!/bin/sh\n", { mode: 0o644 });
  await expect(exec(path, [], { env })).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
});

it("ends a program that says too much", async () => {
  await expect(exec("yes", [], { env, limit: 1000 })).rejects.toThrow("more than 1000 bytes");
});

it("keeps the end of a long standard error", async () => {
  const script = "yes 0123456789abcde | head -c 4000000 >&2; echo the end >&2";
  const { stderr } = await exec("sh", ["-c", script], { env });
  expect(stderr.length).toBe(1024 * 1024);
  expect(stderr.endsWith("the end\n")).toBe(true);
});

it("says by which signal nothing more came", async () => {
  const { code } = await exec("sh", ["-c", "kill -9 $$"], { env });
  expect(code).toBeUndefined();
});

it("ends the program when the signal aborts", async () => {
  const stop = new AbortController();
  const running = exec("sleep", ["600"], { env, signal: stop.signal });
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: "INTERRUPTED" });
  await expect(exec("true", [], { env, signal: stop.signal })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
});

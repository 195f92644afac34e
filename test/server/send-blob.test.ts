import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createSender } from "../../server/senders/create-sender.ts";
import { type BlobServer, startBlobServer } from "../support/blob-server.ts";
import { tmpDir } from "../support/tmp.ts";

const NAME = "llama-b11347-bin-ubuntu-x64.tar.gz";
const SIZE = 21 * 1024 * 1024 + 11;

describe.each([
  { kind: "sendfile", sendfile: true },
  { kind: "stream", sendfile: false },
])("real clients of a $kind sender", ({ sendfile }) => {
  let server: BlobServer;
  let folder: string;
  let content: Buffer;
  let target: string;

  beforeEach(async () => {
    folder = await tmpDir();
    target = join(folder, NAME);
    const { sender } = await createSender({ sendfile, idleMs: 30_000 });
    server = await startBlobServer(sender, folder);
    onTestFinished(server.close);
    content = randomBytes(SIZE);
    await server.add(NAME, content);
  });

  const client = (program: string, ...parameters: string[]): Promise<Ended> =>
    run(folder, program, [...parameters, `${server.origin}/${NAME}`]);
  const statuses = (): unknown[] => server.outcomes.map((sent) => ("status" in sent ? sent.status : sent));

  it("M5: curl -C - goes on from half, and leaves a complete file as it is", async () => {
    await writeFile(target, content.subarray(0, 10_000_000));
    expect(await client("curl", "-sSf", "-C", "-", "-O")).toMatchObject({ code: 0 });
    expect((await readFile(target)).equals(content)).toBe(true);
    // curl says 0 to a 416 with the file's size in it, as it does upstream.
    const again = await client("curl", "-sS", "-C", "-", "-O");
    expect(again).toMatchObject({ code: 0 });
    expect((await readFile(target)).equals(content)).toBe(true);
    await vi.waitFor(() => {
      expect(statuses()).toEqual([206, 416]);
    });
  });

  it("M5: wget -c does too", async () => {
    await writeFile(target, content.subarray(0, 1));
    expect(await client("wget", "-nv", "-c")).toMatchObject({ code: 0 });
    expect((await readFile(target)).equals(content)).toBe(true);
    expect(await client("wget", "-c")).toMatchObject({ code: 0 });
    expect((await readFile(target)).equals(content)).toBe(true);
    await vi.waitFor(() => {
      expect(statuses()).toEqual([206, 416]);
    });
  });

  it("M5: aria2c -x8 fetches eight parts, and goes on after it was cut short", async () => {
    const aria2 = ["-q", "--no-conf", "-x8", "-s8", "-k1M", "--allow-overwrite=false", "-c"];
    expect(await client("aria2c", ...aria2)).toMatchObject({ code: 0 });
    expect((await readFile(target)).equals(content)).toBe(true);
    await vi.waitFor(() => {
      expect(statuses().filter((status) => status === 206).length).toBeGreaterThan(1);
    });
    await truncate(target, 5_000_000);
    expect(await client("aria2c", ...aria2)).toMatchObject({ code: 0 });
    expect((await readFile(target)).equals(content)).toBe(true);
  });

  it("curl -OJ takes the name that the server gives", async () => {
    await server.add("cpython-3.12.9+20250317 größer.tar.gz", content);
    const url = `${server.origin}/${encodeURIComponent("cpython-3.12.9+20250317 größer.tar.gz")}`;
    expect(await run(folder, "curl", ["-sSf", "-OJ", url])).toMatchObject({ code: 0 });
    const saved = join(folder, "cpython-3.12.9+20250317 gr__er.tar.gz");
    expect((await readFile(saved)).equals(content)).toBe(true);
  });
});

interface Ended {
  code: number | null;
  output: string;
}

function run(cwd: string, program: string, parameters: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code, output: Buffer.concat(output).toString() });
    });
  });
}

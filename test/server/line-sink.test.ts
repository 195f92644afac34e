import { execFile } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openLineSink } from "../../server/line-sink.ts";
import { tmpDir } from "../support/tmp.ts";

describe("a sink for log lines", () => {
  it("writes all lines, whole and in order, by the time that it is closed", async () => {
    const path = join(await tmpDir(), "log");
    const file = await open(path, "a");
    const sink = openLineSink(file.fd);
    const lines = Array.from({ length: 5000 }, (_, i) => `{"line":${i},"text":"${"é".repeat(i % 40)}"}\n`);
    for (const line of lines) sink.write(line);
    await sink.close();
    await file.close();
    expect(await readFile(path, "utf8")).toBe(lines.join(""));
  });

  it("writes by itself, without being closed", async () => {
    const path = join(await tmpDir(), "log");
    const file = await open(path, "a");
    const sink = openLineSink(file.fd);
    sink.write("one\n");
    while ((await readFile(path, "utf8")) === "");
    expect(await readFile(path, "utf8")).toBe("one\n");
    await sink.close();
    await file.close();
  });

  it("loses lines where nothing can be written, and neither throws nor waits", async () => {
    const full = await open("/dev/full", "a");
    const sink = openLineSink(full.fd);
    for (let i = 0; i < 2000; i++) sink.write(`${"x".repeat(50)}\n`);
    await sink.close();
    await full.close();
  });

  it("takes no more than it may for a reader that does not read", async () => {
    const path = join(await tmpDir(), "pipe");
    await promisify(execFile)("mkfifo", [path]);
    // Opened for both, so that opening does not wait and nobody reads.
    const pipe = await open(path, 0o2 | 0o4000);
    const sink = openLineSink(pipe.fd);
    const line = `${"x".repeat(1023)}\n`;
    for (let i = 0; i < 20_000; i++) sink.write(line);
    await sink.close();
    const { bytesRead } = await pipe.read(Buffer.alloc(1024 * 1024), 0, 1024 * 1024);
    expect(bytesRead % line.length).toBe(0);
    await pipe.close();
  });
});

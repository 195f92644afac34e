import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestOf } from "../../../src/lib/digest.ts";
import { readState } from "../../../src/net/download/state-file.ts";
import { tmpDir } from "../../support/tmp.ts";
import { ended, startProgram } from "../support/child.ts";
import { serveFile } from "../support/file-server.ts";
import { bytes } from "../support/job.ts";

it("B4: killed midway (SIGKILL), the next run fetches by range only what is not recorded", async () => {
  const content = bytes(12_000_000);
  const half = 6_000_000;
  const server = await serveFile({ content, etag: '"v1"' }, (request, response, nth) => {
    if (nth > 1) return false;
    response.writeHead(200, {
      "content-length": String(content.length),
      etag: '"v1"',
      "accept-ranges": "bytes",
    });
    response.write(content.subarray(0, half));
    // A trickle, so that there is always something to record until the kill.
    let at = half;
    const timer = setInterval(() => {
      response.write(content.subarray(at, ++at));
    }, 20);
    request.socket.once("close", () => {
      clearInterval(timer);
    });
    return true;
  });
  const path = join(await tmpDir(), "partial");
  const args = [`${server.origin}/f`, String(content.length), digestOf(content), path];

  const first = startProgram("fetch", args);
  const end = ended(first);
  const recorded = async (): Promise<number> => (await readState(path))?.ranges[0]?.[1] ?? 0;
  while ((await recorded()) < half) {
    expect(first.exitCode).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  first.kill("SIGKILL");
  expect((await end).signal).toBe("SIGKILL");
  const held = await recorded();
  server.sent = 0;

  const second = await ended(startProgram("fetch", args));
  expect(second).toMatchObject({ code: 0, stderr: "", stdout: digestOf(content) });
  expect(server.ranges()).toEqual([undefined, `bytes=${held}-`]);
  expect(server.sent).toBe(content.length - held);
  expect(digestOf(await readFile(path))).toBe(digestOf(content));
});

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../src/lib/digest.ts";
import type { SplitPolicy } from "../../../src/net/download/split.ts";
import { readState } from "../../../src/net/download/state-file.ts";
import { download } from "../../../src/net/download.ts";
import { cutAfter, type FileServer, type Misbehave, serveFile } from "../support/file-server.ts";
import { bytes, job, shown, type TestJob } from "../support/job.ts";
import { reply } from "../support/server.ts";
import { tickingClock } from "../support/ticking-clock.ts";

const CONTENT = bytes(2_000_000);

/** Every connection counts as slow from its second chunk on. */
const EAGER: SplitPolicy = {
  probeMs: 1,
  slowBelow: Number.POSITIVE_INFINITY,
  busyAbove: 1,
  minPiece: 50_000,
  maxPiece: 200_000,
};

interface Setup {
  server: FileServer;
  work: TestJob;
}

/**
 * A server whose first answer is held back after two small chunks until another request arrives,
 * so that the crew must open more connections, whatever the machine's speed.
 */
async function slowServer(misbehave: Misbehave = () => false, more: Partial<TestJob> = {}): Promise<Setup> {
  let release = (): void => undefined;
  const server = await serveFile({ content: CONTENT, etag: '"v1"' }, (request, response, nth) => {
    if (nth > 1) {
      release();
      return misbehave(request, response, nth);
    }
    response.writeHead(200, {
      "content-length": String(CONTENT.length),
      "accept-ranges": "bytes",
      etag: '"v1"',
    });
    response.write(CONTENT.subarray(0, 1000));
    setImmediate(() => {
      // A second chunk: the first one only begins the measurement.
      response.write(CONTENT.subarray(1000, 20_000));
    });
    release = () => {
      release = () => undefined;
      response.end(CONTENT.subarray(20_000));
    };
    return true;
  });
  const work = await job(server.origin, CONTENT, {
    connections: 4,
    split: EAGER,
    clock: tickingClock(2),
    ...more,
  });
  return { server, work };
}

async function expectWhole({ server, work }: Setup): Promise<void> {
  expect(await download(work)).toEqual({ digest: digestOf(CONTENT), size: CONTENT.length });
  expect(digestOf(await readFile(work.partialPath))).toBe(digestOf(CONTENT));
  expect(shown(work.logger)).toBe(CONTENT.length);
  expect(server.seen.length).toBeGreaterThan(1);
}

describe("several connections", () => {
  it("fetch pieces of a file whose first connection is slow, every byte once", async () => {
    const setup = await slowServer();
    await expectWhole(setup);
    const pieces = setup.server.ranges().slice(1);
    expect(pieces.length).toBeGreaterThan(3);
    expect(new Set(pieces).size).toBe(pieces.length);
    for (const piece of pieces) expect(piece).toMatch(/^bytes=\d+-\d*$/);
    expect(setup.work.logger.debugs.join()).toContain("3 more take pieces");
  });

  it.each<[string, Partial<TestJob>]>([
    ["the operator allows one connection", { connections: 1 }],
    ["the connection is fast enough", { split: { ...EAGER, slowBelow: 0 } }],
    ["this process is the slow part", { split: { ...EAGER, busyAbove: -1 } }],
    ["little is left", { split: { ...EAGER, minPiece: 600_000 } }],
  ])("are not opened where %s", async (_, more) => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT, {
      connections: 4,
      split: EAGER,
      clock: tickingClock(2),
      ...more,
    });
    expect(await download(work)).toEqual({ digest: digestOf(CONTENT), size: CONTENT.length });
    expect(server.seen).toHaveLength(1);
  });

  it("are not opened where the server does not offer ranges", async () => {
    const server = await serveFile({ content: CONTENT }, (_, response) => {
      response.writeHead(200, { "content-length": String(CONTENT.length) }).end(CONTENT);
      return true;
    });
    const work = await job(server.origin, CONTENT, { connections: 4, split: EAGER, clock: tickingClock(2) });
    expect((await download(work)).digest).toBe(digestOf(CONTENT));
    expect(server.seen).toHaveLength(1);
  });

  it("take over what a broken one left", async () => {
    const setup = await slowServer((request, response, nth) => {
      if (nth !== 2 && nth !== 4) return false;
      cutAfter(setup.server, request, response, 7000);
      return true;
    });
    await expectWhole(setup);
  });

  it("go on with fewer where the server refuses more", async () => {
    const setup = await slowServer((_, response, nth) => {
      if (nth > 3) return false;
      reply(response, 503, {});
      return true;
    });
    await expectWhole(setup);
  });

  it("B7: start over with one where the server promised ranges and ignores them", async () => {
    const setup = await slowServer((_, response) => {
      response
        .writeHead(200, { "content-length": String(CONTENT.length), "accept-ranges": "bytes" })
        .end(CONTENT);
      return true;
    });
    await expectWhole(setup);
  });

  it("start over where another one gets a newer version of the file", async () => {
    const setup = await slowServer((request, _, nth) => {
      if (nth === 2) setup.server.file = { content: CONTENT, etag: '"v2"' };
      delete request.headers["if-range"];
      return false;
    });
    await expectWhole(setup);
  });

  it("leave a record of every piece when they are interrupted, and the next run fetches the holes alone", async () => {
    const stop = new AbortController();
    const setup = await slowServer(() => false, { signal: stop.signal });
    const { server, work } = setup;
    const progress = work.logger.progress.bind(work.logger);
    work.logger.progress = (event) => {
      progress(event);
      if (shown(work.logger) > 500_000) stop.abort();
    };
    await expect(download(work)).rejects.toMatchObject({ code: "INTERRUPTED" });
    const state = await readState(work.partialPath);
    const held = (state?.ranges ?? []).reduce((sum, [start, end]) => sum + end - start, 0);
    expect(held).toBeGreaterThan(500_000);
    server.sent = 0;
    const again = { ...(await job(server.origin, CONTENT)), partialPath: work.partialPath };
    expect((await download(again)).digest).toBe(digestOf(CONTENT));
    expect(server.sent).toBe(CONTENT.length - held);
  });
});

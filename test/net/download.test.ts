import { readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { readState, writeState } from "../../src/net/download/state-file.ts";
import { download, forgetDownload } from "../../src/net/download.ts";
import { fastClock } from "../support/fast-clock.ts";
import { openDoor } from "./support/door.ts";
import { cutAfter, serveFile } from "./support/file-server.ts";
import { bytes, job, shown, type TestJob } from "./support/job.ts";
import { reply, serve } from "./support/server.ts";
import { tickingClock } from "./support/ticking-clock.ts";

const CONTENT = bytes(300_000);
const DIGEST = digestOf(CONTENT);

async function expectWhole(work: TestJob, content = CONTENT): Promise<void> {
  const result = await download(work);
  expect(result).toEqual({ digest: digestOf(content), size: content.length });
  expect(digestOf(await readFile(work.partialPath))).toBe(result.digest);
  expect(shown(work.logger)).toBe(content.length);
  expect(work.logger.events.at(-1)).toEqual({ kind: "end", id: "the-id", ok: true });
}

/** Leaves what a run leaves that was cut off after `length` bytes. */
async function leavePartial(work: TestJob, length: number, etag: string | null = null): Promise<void> {
  await writeFile(work.partialPath, CONTENT.subarray(0, length));
  await writeState(work.partialPath, {
    version: 1,
    url: work.url,
    size: work.size ?? null,
    digest: work.digest ?? null,
    etag,
    ranges: length === 0 ? [] : [[0, length]],
  });
}

describe("a whole download", () => {
  it("brings every byte with one request, and returns the digest over all of them", async () => {
    const server = await serveFile({ content: CONTENT });
    await expectWhole(await job(server.origin, CONTENT));
    expect(server.ranges()).toEqual([undefined]);
  });

  it("computes the digest where nothing vouches for the bytes", async () => {
    const server = await serveFile({ content: CONTENT });
    await expectWhole(await job(server.origin, CONTENT, { digest: undefined }));
  });

  it.each([[true], [false]])("learns a size that nobody stated (digest known: %s)", async (known) => {
    const server = await serve((_, response) => {
      response.write(CONTENT.subarray(0, 1000));
      response.end(CONTENT.subarray(1000));
    });
    const work = await job(server.origin, CONTENT, {
      size: undefined,
      ...(known ? {} : { digest: undefined }),
    });
    await expectWhole(work);
    expect(server.seen[0]?.headers).not.toHaveProperty("range");
  });

  it("takes a closed connection for an end only where a digest tells it from a broken one", async () => {
    const server = await serve((request, response) => {
      response.socket?.end(
        `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${CONTENT.subarray(0, 100).toString("hex")}`,
      );
      request.socket.end();
    });
    const hex = Buffer.from(CONTENT.subarray(0, 100).toString("hex"));
    await expectWhole(await job(server.origin, hex, { size: undefined }), hex);
    await expect(
      download(await job(server.origin, hex, { size: undefined, digest: undefined })),
    ).rejects.toMatchObject({
      code: "NET_TRUNCATED",
    });
  });

  it("sends the caller's headers", async () => {
    const server = await serveFile({ content: CONTENT });
    await expectWhole(await job(server.origin, CONTENT, { headers: { accept: "application/octet-stream" } }));
    expect(server.seen[0]?.headers.accept).toBe("application/octet-stream");
  });

  it("keeps a record of the finished file until it is forgotten, so that a kill before then costs nothing", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await expectWhole(work);
    await expectWhole(work);
    expect(server.seen).toHaveLength(1);
    await forgetDownload(work.partialPath);
    expect(await readState(work.partialPath)).toBeUndefined();
  });

  it("B24: asks for the name as it was encoded", async () => {
    const server = await serveFile({ content: CONTENT });
    const url = `${server.origin}/v/vllm-0.30.0%2Bcu129-cp38.whl`;
    await expectWhole(await job(server.origin, CONTENT, { url }));
    expect(server.seen[0]?.url).toBe("/v/vllm-0.30.0%2Bcu129-cp38.whl");
  });
});

describe("broken transfers", () => {
  it("B1: a body that ends early is resumed where it broke", async () => {
    const server = await serveFile({ content: CONTENT, etag: '"v1"' }, (request, response, nth) => {
      if (nth > 2) return false;
      cutAfter(server, request, response, 100_000);
      return true;
    });
    const work = await job(server.origin, CONTENT);
    await expectWhole(work);
    expect(server.ranges()).toEqual([undefined, "bytes=100000-", "bytes=200000-"]);
    expect(server.seen[1]?.headers["if-range"]).toBe('"v1"');
    expect(server.sent).toBe(CONTENT.length);
  });

  it("B1: 0 bytes with status 200, again and again, ends with the expected and the received length", async () => {
    const server = await serve((_, response) => {
      reply(response, 200, { "content-length": "0" });
    });
    await expect(download(await job(server.origin, CONTENT))).rejects.toMatchObject({
      code: "NET_TRUNCATED",
      message: expect.stringMatching(/^file\.tar\.gz: expected 300000 bytes, .* has 0 /) as string,
      details: { expected: 300_000, received: 0 },
    });
    expect(server.seen).toHaveLength(6);
  });

  it("B1: an answer that ends in order but too early is named with both lengths, and what came stays", async () => {
    const server = await serve((request, response) => {
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const partial = from > 0 ? { "content-range": `bytes ${from}-299999/300000` } : {};
      response.writeHead(from > 0 ? 206 : 200, partial);
      response.end(CONTENT.subarray(from, Math.min(1234, from + 1234)));
    });
    const work = await job(server.origin, CONTENT);
    await expect(download(work)).rejects.toMatchObject({
      code: "NET_TRUNCATED",
      details: { file: "file.tar.gz", expected: 300_000, received: 1234 },
    });
    expect((await readState(work.partialPath))?.ranges).toEqual([[0, 1234]]);
    expect(work.logger.events.at(-1)).toMatchObject({ kind: "end", ok: false });
  });

  it("goes on as long as every try brings much, however often the connection breaks", async () => {
    const content = bytes(9 * 1024 * 1024);
    const server = await serveFile({ content }, (request, response, nth) => {
      if (nth > 8) return false;
      cutAfter(server, request, response, 1024 * 1024);
      return true;
    });
    await expectWhole(await job(server.origin, content), content);
    expect(server.seen).toHaveLength(9);
  });

  it("goes on after a server that fell silent", async () => {
    const server = await serveFile({ content: CONTENT }, (_, response, nth) => {
      if (nth > 1) return false;
      response.writeHead(200, { "content-length": "300000" }).write(CONTENT.subarray(0, 50_000));
      return true;
    });
    const door = openDoor([server.origin], { timeouts: { connect: 5000, idle: 500 } });
    await expectWhole(await job(server.origin, CONTENT, { door }));
    expect(server.ranges()).toEqual([undefined, "bytes=50000-"]);
  });

  it("goes on after refused connections and faults of the server, with growing pauses", async () => {
    const server = await serveFile({ content: CONTENT }, (request, response, nth) => {
      if (nth === 1) request.socket.destroy();
      else if (nth === 2) reply(response, 503, {});
      else return false;
      return true;
    });
    const clock = fastClock();
    await expectWhole(await job(server.origin, CONTENT, { clock }));
    expect(clock.slept).toEqual([250, 500]);
  });

  it("gives up at once on 404, with the status", async () => {
    const server = await serve((_, response) => {
      reply(response, 404, { "content-type": "text/plain" }, "Not Found");
    });
    await expect(download(await job(server.origin, CONTENT))).rejects.toMatchObject({
      code: "NET_STATUS",
      details: { status: 404 },
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe("other bytes than announced", () => {
  it("B2: a page with status 200 is tried again, never kept, and named with URL and content type", async () => {
    const server = await serve((_, response) => {
      reply(response, 200, { "content-type": "text/html", "content-length": "20" }, "<html>unicorn</html>");
    });
    const work = await job(server.origin, CONTENT);
    await expect(download(work)).rejects.toMatchObject({
      code: "SIZE_MISMATCH",
      message: expect.stringContaining(`${work.url} has 20 (text/html)`) as string,
      details: { url: work.url, contentType: "text/html", expected: 300_000, received: 20 },
    });
    expect(server.seen).toHaveLength(6);
    expect((await stat(work.partialPath)).size).toBe(0);
  });

  it("B2: a page of unknown length does not cost the bytes that are there", async () => {
    const server = await serveFile({ content: CONTENT }, (_, response, nth) => {
      if (nth > 1) return false;
      response.writeHead(200, { "content-type": "text/html" });
      response.write("<html>");
      response.end("</html>");
      return true;
    });
    const work = await job(server.origin, CONTENT, { size: undefined });
    await leavePartial(work, 100_000);
    await expectWhole(work);
    expect(server.ranges()).toEqual(["bytes=100000-", "bytes=100000-"]);
  });

  it("B2: bytes of the right length and the wrong digest are fetched thrice, then named with both digests", async () => {
    const other = bytes(CONTENT.length, "other");
    const server = await serveFile({ content: other, type: "application/x-gzip" });
    const work = await job(server.origin, CONTENT);
    await expect(download(work)).rejects.toMatchObject({
      code: "DIGEST_MISMATCH",
      details: {
        expected: DIGEST,
        received: digestOf(other),
        contentType: "application/x-gzip",
        url: work.url,
      },
    });
    expect(server.seen).toHaveLength(3);
    expect((await stat(work.partialPath)).size).toBe(0);
    expect((await readState(work.partialPath))?.ranges).toEqual([]);
  });

  it("a part that an earlier run got wrong is discarded after one look", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await leavePartial(work, 100_000);
    await writeFile(work.partialPath, bytes(100_000, "other"));
    await expectWhole(work);
    expect(server.ranges()).toEqual(["bytes=100000-", undefined]);
  });

  it("more bytes than announced are stopped and refused, even where their beginning fits", async () => {
    const server = await serve((_, response) => {
      response.write(CONTENT);
      response.end("and more");
    });
    await expect(download(await job(server.origin, CONTENT))).rejects.toMatchObject({
      code: "SIZE_MISMATCH",
      details: { expected: 300_000 },
    });
  });

  it("a longer or shorter file than announced is told from the head of the answer", async () => {
    const server = await serveFile({ content: bytes(300_001) });
    await expect(download(await job(server.origin, CONTENT))).rejects.toMatchObject({
      code: "SIZE_MISMATCH",
      details: { expected: 300_000, received: 300_001 },
    });
  });
});

describe("resuming", () => {
  it("B4: bytes of an earlier run are kept, read again for the digest, and only the rest is fetched", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await leavePartial(work, 123_456);
    await expectWhole(work);
    expect(server.ranges()).toEqual(["bytes=123456-"]);
    expect(server.sent).toBe(CONTENT.length - 123_456);
    expect(work.logger.events[0]).toMatchObject({ kind: "start", total: 300_000, done: 123_456 });
  });

  it("B4: holes are filled one by one", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await leavePartial(work, 300_000);
    const state = await readState(work.partialPath);
    if (state === undefined) throw new Error("no state");
    await writeState(work.partialPath, {
      ...state,
      ranges: [
        [0, 1000],
        [2000, 3000],
        [299_000, 300_000],
      ],
    });
    await expectWhole(work);
    expect(server.ranges()).toEqual(["bytes=1000-1999", "bytes=3000-298999"]);
  });

  it.each<[string, (work: TestJob) => Promise<void>]>([
    ["a file without a record", (work) => writeFile(work.partialPath, CONTENT)],
    [
      "a record that cannot be read",
      async (work) => {
        await leavePartial(work, 1000);
        await writeFile(`${work.partialPath}.json`, '{"version":1,"ranges":[[0');
      },
    ],
    [
      "a record of another digest",
      async (work) => {
        await leavePartial({ ...work, digest: digestOf("other") }, 1000);
      },
    ],
    [
      "a record of another size",
      async (work) => {
        await leavePartial({ ...work, size: 299_999 }, 1000);
      },
    ],
    [
      "a file shorter than its record",
      async (work) => {
        await leavePartial(work, 1000);
        await truncate(work.partialPath, 999);
      },
    ],
  ])("B5: %s is begun anew", async (_, leave) => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await leave(work);
    await expectWhole(work);
    expect(server.ranges()).toEqual([undefined]);
  });

  it("B5: a complete file with a record is believed only after every byte was hashed", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await leavePartial(work, 300_000);
    const damaged = Buffer.from(CONTENT);
    damaged.writeUInt8(damaged.readUInt8(5) ^ 1, 5);
    await writeFile(work.partialPath, damaged);
    await expectWhole(work);
    expect(server.ranges()).toEqual([undefined]);
    expect(work.logger.warnings.join()).toContain("discarded");
  });

  it("bytes without a digest to decide are continued only from the same address and version", async () => {
    const server = await serveFile({ content: CONTENT, etag: '"v1"' });
    const same = await job(server.origin, CONTENT, { digest: undefined });
    await leavePartial(same, 1000, '"v1"');
    await expectWhole(same);
    const unversioned = await job(server.origin, CONTENT, { digest: undefined });
    await leavePartial(unversioned, 1000);
    await expectWhole(unversioned);
    const moved = await job(server.origin, CONTENT, { digest: undefined });
    await leavePartial({ ...moved, url: `${server.origin}/elsewhere` }, 1000, '"v1"');
    await expectWhole(moved);
    expect(server.ranges()).toEqual(["bytes=1000-", undefined, undefined]);
  });

  it("bytes with a known digest are continued from another address, whose ETags differ", async () => {
    const server = await serveFile({ content: CONTENT, etag: '"mirror"' });
    const work = await job(server.origin, CONTENT);
    await leavePartial({ ...work, url: "https://github.com/o/r/file" }, 1000, '"origin"');
    await expectWhole(work);
    expect(server.ranges()).toEqual(["bytes=1000-"]);
    expect(server.seen[0]?.headers).not.toHaveProperty("if-range");
  });

  it("B7: a server that answers 200 to a range makes it start over from zero, and is not asked for ranges again", async () => {
    const server = await serve((request, response, nth) => {
      response.writeHead(200, { "content-length": "300000" });
      if (nth < 3) response.write(CONTENT.subarray(0, 100_000), () => request.socket.end());
      else response.end(CONTENT);
    });
    const work = await job(server.origin, CONTENT);
    await expectWhole(work);
    expect(server.seen.map(({ headers }) => headers.range)).toEqual([undefined, "bytes=100000-", undefined]);
    expect(work.logger.events.filter(({ kind }) => kind === "rewind").length).toBeGreaterThan(0);
  });

  it("B8: 416 for a complete file is checked by its digest and accepted", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT, { size: undefined });
    await leavePartial(work, 300_000);
    await expectWhole(work);
    expect(server.ranges()).toEqual(["bytes=300000-"]);
  });

  it("B8: a local file that is longer than the whole is discarded", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await leavePartial(work, 300_000);
    await writeFile(work.partialPath, Buffer.concat([CONTENT, Buffer.from("x")]));
    await expectWhole(work);
    expect(server.ranges()).toEqual([undefined]);
  });

  it("B8: 416 for a file that is longer than upstream's discards it", async () => {
    const server = await serveFile({ content: CONTENT.subarray(0, 200_000) });
    const work = await job(server.origin, CONTENT.subarray(0, 200_000), { size: undefined });
    await leavePartial(work, 300_000);
    await expectWhole(work, CONTENT.subarray(0, 200_000));
    expect(server.ranges()).toEqual(["bytes=300000-", undefined]);
  });

  it("B18: upstream that replaced the file meanwhile is begun anew, whether or not it knows If-Range", async () => {
    for (const knowsIfRange of [true, false]) {
      const server = await serveFile({ content: CONTENT, etag: '"new"' }, (request) => {
        if (!knowsIfRange) delete request.headers["if-range"];
        return false;
      });
      const work = await job(server.origin, CONTENT);
      await leavePartial(work, 1000, '"old"');
      await writeFile(work.partialPath, bytes(1000, "old"));
      await expectWhole(work);
      expect(server.ranges()[0]).toBe("bytes=1000-");
      expect(server.sent).toBeGreaterThanOrEqual(CONTENT.length);
    }
  });

  it("B9: a redirect's target that expired is asked for anew at the original URL", async () => {
    let valid = 1;
    const blobs = await serveFile({ content: CONTENT }, (request, response, nth) => {
      if (request.url !== `/blob?sig=${valid}`) {
        reply(response, 403, {}, "Signed expiry time must be after signed start time");
        return true;
      }
      if (nth > 1) return false;
      valid = 3; // The second signature that is handed out has expired when it is used.
      cutAfter(blobs, request, response, 100_000);
      return true;
    });
    const server = await serve((_, response, nth) => {
      reply(response, 302, { location: `${blobs.origin}/blob?sig=${nth}` });
    });
    const work = await job(server.origin, CONTENT, { door: openDoor([server.origin, blobs.origin]) });
    await expectWhole(work);
    expect(blobs.seen.map(({ url }) => url)).toEqual(["/blob?sig=1", "/blob?sig=2", "/blob?sig=3"]);
    expect(blobs.ranges()).toEqual([undefined, "bytes=100000-", "bytes=100000-"]);
  });
});

describe("rate limits", () => {
  it("B11: are waited for, announced with their end, and do not cost what is there", async () => {
    const clock = fastClock(Date.parse("2026-10-10T00:00:00Z"));
    const reset = String(clock.now() / 1000 + 600);
    const server = await serveFile({ content: CONTENT }, (_, response, nth) => {
      if (nth > 1) return false;
      reply(response, 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset });
      return true;
    });
    const work = await job(server.origin, CONTENT, { clock });
    await leavePartial(work, 1000);
    await expectWhole(work);
    expect(clock.slept).toEqual([601_000]);
    expect(work.logger.warnings).toEqual([
      "file.tar.gz: the rate limit is used up; waiting 10 min 1 s, until 2026-10-10T00:10:01Z",
    ]);
    expect(server.ranges()).toEqual(["bytes=1000-", "bytes=1000-"]);
  });

  it("B11: a plain 403 of the origin fails at once as a matter of permission", async () => {
    const server = await serve((_, response) => {
      reply(response, 403, {}, "no");
    });
    await expect(download(await job(server.origin, CONTENT))).rejects.toMatchObject({
      code: "NET_FORBIDDEN",
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe("what ends it at once", () => {
  it("B20: a full disk is DISK_FULL, and is not tried again", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT);
    await symlink("/dev/full", work.partialPath);
    await expect(download(work)).rejects.toMatchObject({
      code: "DISK_FULL",
      message: expect.stringContaining(work.partialPath) as string,
    });
    expect(server.seen).toHaveLength(1);
    expect((await readState(work.partialPath))?.ranges).toEqual([]);
  });

  it("a folder that is not there is FILE_UNWRITABLE, before any request", async () => {
    const server = await serveFile({ content: CONTENT });
    const work = await job(server.origin, CONTENT, { partialPath: "/nonexistent/folder/partial" });
    await expect(download(work)).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    expect(server.seen).toHaveLength(0);
  });

  it("the off switch", async () => {
    const work = await job("http://127.0.0.1:9", CONTENT, { door: openDoor([], { offline: true }) });
    await expect(download(work)).rejects.toMatchObject({ code: "NET_OFFLINE" });
  });

  it("an interruption leaves what came, recorded for the next run", async () => {
    const stop = new AbortController();
    const server = await serveFile({ content: CONTENT }, (_, response, nth) => {
      if (nth > 1) return false;
      response.writeHead(200, { "content-length": "300000", "accept-ranges": "bytes" });
      response.write(CONTENT.subarray(0, 100_000));
      return true;
    });
    // Seconds pass between any two chunks, so what came is written without waiting for more.
    const work = await job(server.origin, CONTENT, { signal: stop.signal, clock: tickingClock(5000) });
    const progress = work.logger.progress.bind(work.logger);
    work.logger.progress = (event) => {
      progress(event);
      if (shown(work.logger) === 100_000) stop.abort();
    };
    await expect(download(work)).rejects.toMatchObject({
      code: "INTERRUPTED",
      message: "fetching file.tar.gz was interrupted",
    });
    expect((await readState(work.partialPath))?.ranges).toEqual([[0, 100_000]]);
    await expectWhole({ ...(await job(server.origin, CONTENT)), partialPath: work.partialPath });
    expect(server.ranges()).toEqual([undefined, "bytes=100000-"]);
    await expect(download(work)).rejects.toMatchObject({ code: "INTERRUPTED" });
  });

  it("an interruption while it waits for the next try", async () => {
    const stop = new AbortController();
    const server = await serve((_, response) => {
      stop.abort();
      reply(response, 500, {});
    });
    const work = await job(server.origin, CONTENT, { signal: stop.signal });
    await expect(download(work)).rejects.toMatchObject({ code: "INTERRUPTED" });
  });
});

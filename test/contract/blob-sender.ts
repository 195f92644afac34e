import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { truncate, unlink } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { BodySender, ServedBlob } from "../../server/blob-sender.ts";
import { DeliveryError } from "../../server/senders/delivery-error.ts";
import { isFerryError } from "../../src/errors.ts";
import { type BlobServer, MODIFIED, startBlobServer } from "../support/blob-server.ts";
import { rawClient, splitAnswers } from "../support/raw-client.ts";
import { tmpDir } from "../support/tmp.ts";

export interface SenderUnderTest {
  create: (idleMs: number) => Promise<BodySender>;
  /** Puts something in front of the server, and answers with its origin. It ends with the running test. */
  front?: (server: BlobServer) => Promise<string>;
}

interface Running extends BlobServer {
  /** What clients ask: the server, or what is in front of it. */
  entrance: string;
}

const KB = 1024;
const MB = 1024 * KB;

/** What every way of moving bodies must do alike, seen from a client over a real socket. */
export function blobSenderContract(name: string, { create, front }: SenderUnderTest): void {
  async function start(idleMs = 30_000): Promise<Running> {
    const server = await startBlobServer(await create(idleMs), await tmpDir());
    onTestFinished(server.close);
    return { ...server, entrance: front === undefined ? server.origin : await front(server) };
  }

  describe(`body sender: ${name}`, () => {
    it("sends files of every size whole", async () => {
      const { entrance, add } = await start();
      for (const size of [1, 4 * KB, 64 * KB - 1, 64 * KB, 64 * KB + 1, 512 * KB + 1, 9 * MB + 123]) {
        const content = randomBytes(size);
        await add("file.bin", content);
        const answer = await get(`${entrance}/file.bin`);
        expect(answer.status).toBe(200);
        expect(answer.headers["content-length"]).toBe(String(size));
        expect(answer.body.equals(content), `${size} bytes`).toBe(true);
      }
    });

    it("names tag, time, type and file, and is not compressed", async () => {
      const { entrance, add } = await start();
      const blob = await add("a+b.tar.gz", randomBytes(100 * KB));
      const { headers } = await get(`${entrance}/a+b.tar.gz`, { "Accept-Encoding": "gzip, br" });
      expect(headers).toMatchObject(blobHeaders(blob));
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["x-accel-redirect"]).toBeUndefined();
    });

    it("M4: answers ranges with just those bytes", async () => {
      const { entrance, add } = await start();
      const size = 3 * MB + 17;
      const content = randomBytes(size);
      const blob = await add("file.bin", content);
      const cases: [string, number, number][] = [
        ["bytes=0-524287", 0, 524_287],
        ["bytes=0-0", 0, 0],
        ["bytes=5-", 5, size - 1],
        ["bytes=-1", size - 1, size - 1],
        ["bytes=-70000", size - 70_000, size - 1],
        ["bytes=65536-131071", 65_536, 131_071],
        ["bytes=1048575-2097153", 1_048_575, 2_097_153],
        [`bytes=${size - 1}-`, size - 1, size - 1],
        ["bytes=3000000-9999999999", 3_000_000, size - 1],
      ];
      for (const [range, first, last] of cases) {
        const answer = await get(`${entrance}/file.bin`, { Range: range });
        expect(answer.status, range).toBe(206);
        expect(answer.headers["content-range"]).toBe(`bytes ${first}-${last}/${size}`);
        expect(answer.headers["content-length"]).toBe(String(last + 1 - first));
        expect(answer.headers).toMatchObject({
          ...blobHeaders(blob),
          "content-length": String(last + 1 - first),
        });
        expect(answer.body.equals(content.subarray(first, last + 1)), range).toBe(true);
      }
    });

    it("M4: sends the whole file where a range does not count", async () => {
      const { entrance, add } = await start();
      const content = randomBytes(2 * MB);
      const blob = await add("file.bin", content);
      for (const headers of [
        { Range: "bytes=0-1,5-6" },
        { Range: "bytes=6-5" },
        { Range: "bytes=abc" },
        { Range: "lines=1-2" },
        { Range: "bytes=5-", "If-Range": '"old"' },
        { Range: "bytes=5-", "If-Range": "Sun, 01 Jun 2025 12:00:01 GMT" },
      ]) {
        const answer = await get(`${entrance}/file.bin`, headers);
        expect(answer.status, JSON.stringify(headers)).toBe(200);
        expect(answer.body.equals(content), JSON.stringify(headers)).toBe(true);
        expect(answer.headers).toMatchObject(blobHeaders(blob));
      }
    });

    it("M4: goes on where tag or time is still the same", async () => {
      const { entrance, add } = await start();
      const content = randomBytes(2 * MB);
      const blob = await add("file.bin", content);
      for (const headers of [
        { "If-Range": etagOf(blob) },
        { "If-Range": MODIFIED.toUTCString() },
        { "If-Match": etagOf(blob) },
        { "If-Unmodified-Since": MODIFIED.toUTCString() },
        { "If-None-Match": '"other"' },
      ]) {
        const answer = await get(`${entrance}/file.bin`, { Range: "bytes=1000000-", ...headers });
        expect(answer.status, JSON.stringify(headers)).toBe(206);
        expect(answer.body.equals(content.subarray(1_000_000)), JSON.stringify(headers)).toBe(true);
      }
    });

    it("M4: answers 304, 412 and 416 without a body", async () => {
      const { entrance, add } = await start();
      const blob = await add("file.bin", randomBytes(MB));
      const cases: [Record<string, string>, number][] = [
        [{ "If-None-Match": etagOf(blob) }, 304],
        [{ "If-None-Match": `W/${etagOf(blob)}, "x"`, Range: "bytes=5-" }, 304],
        [{ "If-Modified-Since": MODIFIED.toUTCString() }, 304],
        [{ "If-Match": '"other"' }, 412],
        [{ "If-Unmodified-Since": "Sun, 01 Jun 2025 11:59:59 GMT" }, 412],
        [{ Range: `bytes=${MB}-` }, 416],
        [{ Range: "bytes=-0" }, 416],
      ];
      for (const [headers, status] of cases) {
        const answer = await get(`${entrance}/file.bin`, headers);
        expect(answer.status, JSON.stringify(headers)).toBe(status);
        expect(answer.body.length).toBe(0);
        expect(answer.headers["content-range"]).toBe(status === 416 ? `bytes */${MB}` : undefined);
        if (status === 304) expect(answer.headers.etag).toBe(etagOf(blob));
        else expect(answer.headers["cache-control"]).toBe("no-store");
      }
    });

    it("M4: HEAD has GET's headers and no body, with a range or without", async () => {
      const { entrance, add } = await start();
      const blob = await add("file.bin", randomBytes(MB));
      for (const headers of [{}, { Range: "bytes=5-10" }, { Range: "bytes=99999999-" }]) {
        const answer = await get(`${entrance}/file.bin`, headers, "HEAD");
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject(blobHeaders(blob));
        expect(answer.body.length).toBe(0);
      }
    });

    it("M4: an empty file is an empty 200", async () => {
      const { entrance, add } = await start();
      await add("empty", Buffer.alloc(0));
      for (const headers of [{}, { Range: "bytes=-5" }]) {
        const answer = await get(`${entrance}/empty`, headers);
        expect([answer.status, answer.headers["content-length"], answer.body.length]).toEqual([200, "0", 0]);
      }
      const answer = await get(`${entrance}/empty`, { Range: "bytes=0-" });
      expect([answer.status, answer.headers["content-range"]]).toEqual([416, "bytes */0"]);
    });

    it("finds bytes beyond 4 GiB", async () => {
      const { entrance, addSparse } = await start();
      const size = 5_000_000_000;
      const island = randomBytes(3 * MB);
      const places = [2 ** 31 - MB, 2 ** 32 - MB, size - island.length];
      await addSparse(
        "huge",
        size,
        places.map((at) => [at, island]),
      );
      for (const at of places) {
        const answer = await get(`${entrance}/huge`, { Range: `bytes=${at}-${at + island.length - 1}` });
        expect(answer.headers["content-range"]).toBe(`bytes ${at}-${at + island.length - 1}/${size}`);
        expect(answer.body.equals(island)).toBe(true);
      }
      expect((await get(`${entrance}/huge`, {}, "HEAD")).headers["content-length"]).toBe(String(size));
    });

    it("keeps the connection for the next request", async () => {
      const { entrance, add } = await start();
      const content = randomBytes(3 * MB);
      await add("file.bin", content);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => {
        agent.destroy();
      });
      const ports = new Set<number | undefined>();
      for (const headers of [{}, { Range: "bytes=5-1500000" }, { Range: "bytes=9999999-" }, {}]) {
        const answer = await get(`${entrance}/file.bin`, headers, "GET", agent);
        ports.add(answer.port);
        if (answer.status === 200) expect(answer.body.equals(content)).toBe(true);
      }
      expect(ports.size).toBe(1);
    });

    it("answers pipelined requests in their order", async () => {
      const { entrance, add } = await start();
      const contents = [10, 200 * KB, 3 * MB, 1, 64 * KB].map((size) => randomBytes(size));
      for (const [index, content] of contents.entries()) await add(`file${index}`, content);
      const client = await rawClient(entrance);
      const order = [2, 0, 1, 3, 4, 2, 2, 0, 3, 1, 4, 0, 3];
      order.forEach((index, place) => {
        client.get(`/file${index}`, place === order.length - 1 ? { Connection: "close" } : {});
      });
      await client.closed;
      const answers = splitAnswers(client.received());
      expect(answers.map((answer) => sha256(answer.body))).toEqual(
        order.map((index) => sha256(contents[index] ?? Buffer.alloc(0))),
      );
    });

    it("serves many at once", async () => {
      const { entrance, add } = await start();
      const content = randomBytes(3 * MB + 5);
      await add("file.bin", content);
      const answers = await Promise.all(Array.from({ length: 40 }, () => get(`${entrance}/file.bin`)));
      expect(answers.every((answer) => answer.body.equals(content))).toBe(true);
    });

    it("M1: lets a slow client finish, however long each piece takes", async () => {
      const { entrance, add, outcomes } = await start(800);
      const content = randomBytes(48 * MB);
      await add("file.bin", content);
      const answer = await open(`${entrance}/file.bin`);
      // So much that the kernel cannot take the rest: all the slow while the server waits.
      const hash = createHash("sha256");
      let got = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        hash.update(chunk);
        got += chunk.length;
        if (got < 8 * MB) await pause(chunk.length / (4 * KB));
      }
      expect(got).toBe(content.length);
      expect(hash.digest("hex")).toBe(sha256(content));
      if (front !== undefined) return;
      await vi.waitFor(() => {
        expect(outcomes).toEqual([{ status: 200, bytes: content.length }]);
      });
    });

    it("leaves no file open when clients leave", async () => {
      const { entrance, add, outcomes } = await start();
      const blob = await add("file.bin", randomBytes(40 * MB));
      for (let round = 0; round < 20; round++) {
        const client = await rawClient(entrance);
        client.get("/file.bin", round % 2 === 0 ? {} : { Range: "bytes=1000-" });
        client.get("/file.bin");
        await client.stallAfter(1 + round * 60 * KB);
        client.socket.destroy();
      }
      await vi.waitFor(
        () => {
          expect(openFiles(blob.file)).toBe(0);
        },
        { timeout: 10_000 },
      );
      if (front === undefined) {
        for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: "client-gone" });
      }
    });

    if (front === undefined) {
      it("M19: drops clients that take nothing, while the others keep going", async () => {
        const { entrance, add, outcomes } = await start(400);
        const content = randomBytes(30 * MB);
        const blob = await add("file.bin", content);
        const stalled = await Promise.all(Array.from({ length: 8 }, () => rawClient(entrance)));
        for (const client of stalled) {
          client.socket.pause();
          client.get("/file.bin");
        }
        expect((await get(`${entrance}/file.bin`)).body.equals(content)).toBe(true);
        await vi.waitFor(
          () => {
            expect(outcomes.filter((outcome) => outcome instanceof DeliveryError)).toHaveLength(8);
          },
          { timeout: 20_000 },
        );
        for (const outcome of outcomes.filter((each) => each instanceof Error)) {
          expect(outcome).toMatchObject({ reason: "client-stalled" });
        }
        for (const client of stalled) client.socket.resume();
        await Promise.all(stalled.map((client) => client.closed));
        for (const client of stalled) expect(client.received().length).toBeLessThan(content.length);
        expect(openFiles(blob.file)).toBe(0);
      });
    }

    it("cuts the connection when the file loses its end, so that nobody takes a part for the whole", async () => {
      const { entrance, add, outcomes } = await start();
      const content = randomBytes(60 * MB);
      const blob = await add("file.bin", content);
      const client = await rawClient(entrance);
      client.get("/file.bin");
      await client.stallAfter(1);
      await truncate(blob.file, 30 * MB);
      client.socket.resume();
      await client.closed;
      const [answer] = splitAnswers(client.received());
      expect(answer?.head).toContain("200 OK");
      expect(answer?.body.length).toBeLessThanOrEqual(30 * MB);
      if (front === undefined) {
        await vi.waitFor(() => {
          expect(outcomes).toHaveLength(1);
        });
        expect(outcomes[0]).toMatchObject({ code: "STORE_DAMAGED", details: { expected: 60 * MB } });
      }
    });

    it("says so when the store's file is absent or has another length", async () => {
      const { entrance, add, outcomes } = await start();
      const short = await add("short", randomBytes(MB));
      await truncate(short.file, MB - 1);
      const absent = await add("absent", randomBytes(MB));
      await unlink(absent.file);
      for (const blob of [short, absent]) {
        const answer = await get(`${entrance}/${blob.name}`);
        expect(answer.status).toBe(500);
        expect(answer.headers["content-type"]).toContain("text/plain");
        expect(answer.headers.etag).toBeUndefined();
        expect(answer.headers["content-disposition"]).toBeUndefined();
        expect(answer.headers["cache-control"]).toBe("no-store");
        const text = answer.body.toString();
        expect(text).toContain(blob.digest);
        expect(text).toContain("ferry scrub");
        expect(text).not.toContain(blob.file);
      }
      await vi.waitFor(() => {
        expect(outcomes.map((outcome) => isFerryError(outcome, "STORE_DAMAGED"))).toEqual([true, true]);
      });
    });
  });
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
  /** The client's port, by which a connection is known. */
  port: number | undefined;
}

function open(
  url: string,
  headers: Record<string, string> = {},
  method = "GET",
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent }, resolve).on("error", reject).end();
  });
}

async function get(...ask: Parameters<typeof open>): Promise<Answer> {
  const answer = await open(...ask);
  const port = answer.socket.localPort;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks), port };
}

function etagOf(blob: ServedBlob): string {
  return `"${blob.digest.slice("sha256:".length)}"`;
}

function blobHeaders(blob: ServedBlob): Record<string, string> {
  return {
    etag: etagOf(blob),
    "last-modified": "Sun, 01 Jun 2025 12:00:00 GMT",
    "accept-ranges": "bytes",
    "content-length": String(blob.size),
    "content-type": "application/gzip",
    "content-disposition": `attachment; filename="${blob.name}"`,
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** How many descriptors of this process lead to the file. */
function openFiles(file: string): number {
  let count = 0;
  for (const descriptor of readdirSync("/proc/self/fd")) {
    try {
      if (readlinkSync(`/proc/self/fd/${descriptor}`) === file) count += 1;
    } catch {
      // Closed since it was listed: the descriptor that listed the folder.
    }
  }
  return count;
}

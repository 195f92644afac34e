import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCrowd } from "../../server/senders/crowd.ts";
import { createSendfileSender } from "../../server/senders/sendfile.ts";
import { loadSystemCalls } from "../../server/senders/system-calls.ts";
import { startBlobServer } from "../support/blob-server.ts";
import { rawClient, splitAnswers } from "../support/raw-client.ts";
import { tmpDir } from "../support/tmp.ts";

const SHARE = 128 * 1024;
const MANY = 33;

/** A response on a plain connection with this descriptor, as far as a crowd looks at it. */
function responseOn(fd: number): ServerResponse {
  class TCP {
    readonly fd = fd;
  }
  const socket = { destroyed: false, writable: true, writableLength: 0, _handle: new TCP() };
  return { socket } as unknown as ServerResponse;
}

describe("a crowd", () => {
  function watched() {
    const limits: [number, number][] = [];
    return { limits, crowd: createCrowd({ limitSendBuffer: (fd, bytes) => limits.push([fd, bytes]) }) };
  }

  it("leaves connections to the kernel while they are few", () => {
    const { limits, crowd } = watched();
    for (let index = 0; index < MANY - 1; index++) crowd.enter();
    crowd.hold(responseOn(5));
    expect(limits).toEqual([]);
  });

  it("holds each to its share once, those that were there before too, and lets them go", () => {
    const { limits, crowd } = watched();
    const first = responseOn(5);
    const leave = Array.from({ length: MANY }, () => crowd.enter());
    crowd.hold(first);
    crowd.hold(first);
    crowd.hold(responseOn(6));
    expect(limits).toEqual([
      [5, SHARE],
      [6, SHARE],
    ]);
    leave[0]?.();
    crowd.hold(first);
    crowd.hold(first);
    expect(limits.slice(2)).toEqual([[5, expect.any(Number)]]);
    expect(limits[2]?.[1]).toBeGreaterThan(SHARE);
  });

  it("does not touch a connection that is gone", () => {
    const { limits, crowd } = watched();
    for (let index = 0; index < MANY; index++) crowd.enter();
    crowd.hold({ socket: null } as unknown as ServerResponse);
    const gone = responseOn(5);
    Object.assign(gone.socket ?? {}, { destroyed: true });
    crowd.hold(gone);
    expect(limits).toEqual([]);
  });

  it("gets every file whole, also who takes nothing for a while", async () => {
    const calls = await loadSystemCalls();
    if (typeof calls === "string") throw new Error(calls);
    const limited: number[] = [];
    const sender = createSendfileSender(
      {
        ...calls,
        limitSendBuffer: (socket, bytes) => {
          calls.limitSendBuffer(socket, bytes);
          limited.push(bytes);
        },
      },
      { idleMs: 30_000 },
    );
    const server = await startBlobServer(sender, await tmpDir());
    onTestFinished(server.close);
    const content = randomBytes(12 * 1024 * 1024);
    await server.add("file.bin", content);
    const clients = await Promise.all(Array.from({ length: MANY }, () => rawClient(server.origin)));
    const stalled = clients.map((client) => client.stallAfter(1));
    for (const client of clients) client.get("/file.bin", { Connection: "close" });
    await Promise.all(stalled);
    for (const client of clients) client.socket.resume();
    await Promise.all(clients.map(({ closed }) => closed));
    for (const client of clients) {
      expect(splitAnswers(client.received())[0]?.body.equals(content)).toBe(true);
    }
    expect(limited).toContain(SHARE);
  });
});

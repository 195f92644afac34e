import { connect, type Socket } from "node:net";

/** A connection on which requests are written and answers read as bytes: for pipelining, stalling and leaving. */
export interface RawClient {
  socket: Socket;
  get(path: string, headers?: Record<string, string>): void;
  /** Resolves when this many bytes have come, and takes no more until resumed (the kernel still does, up to some MB). */
  stallAfter(bytes: number): Promise<void>;
  /** Everything received so far. */
  received(): Buffer;
  /** Resolves when the connection is over, however it ended. */
  closed: Promise<void>;
}

export async function rawClient(origin: string): Promise<RawClient> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      resolve();
    });
  });
  await new Promise<void>((resolve) => {
    socket.once("connect", () => {
      resolve();
    });
  });
  return {
    socket,
    closed,
    get: (path, headers = {}) => {
      const lines = Object.entries({ Host: host, ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    },
    stallAfter: (bytes) =>
      new Promise((resolve) => {
        let got = 0;
        const count = (chunk: Buffer): void => {
          got += chunk.length;
          if (got < bytes) return;
          socket.off("data", count);
          socket.pause();
          resolve();
        };
        socket.on("data", count);
      }),
    received: () => Buffer.concat(chunks),
  };
}

export interface RawAnswer {
  head: string;
  body: Buffer;
}

/** Splits what was received into answers by their Content-Length; the last may be short. */
export function splitAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) break;
    const head = bytes.toString("latin1", at, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    answers.push({ head, body: bytes.subarray(end + 4, end + 4 + length) });
    at = end + 4 + length;
  }
  return answers;
}

import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "./exchange.ts";
import type { Fault } from "./fault.ts";

/** Tells of every piece before it goes out, so that who received it finds it counted. */
type Count = (bytes: number) => void;

/**
 * Sends an answer; a fault of the connection strikes on the way. Resolves when all is sent, the client went away or
 * the fault is done; a stalled response stays open until the server is closed.
 */
export async function send(
  response: ServerResponse,
  method: string,
  answer: Answer,
  fault: Fault | undefined,
  count: Count,
): Promise<void> {
  const body = bodyOf(answer);
  response.writeHead(answer.status, {
    date: new Date().toUTCString(),
    ...lengthOf(answer, body),
    ...answer.headers,
  });
  if (method === "HEAD" || answer.status === 304) {
    response.end();
    return;
  }
  response.flushHeaders();
  if (!(await sendBody(response, body, fault, count)) || fault?.kind === "stall") return;
  // Ending the socket and not the response: everything written still arrives, and then the connection is gone.
  if (fault?.kind === "cut") response.socket?.end();
  else response.end();
}

function lengthOf(answer: Answer, body: Body): Record<string, string> {
  return answer.chunked === true || answer.status === 304 ? {} : { "content-length": String(body.length) };
}

/** False when the client went away. */
async function sendBody(
  response: ServerResponse,
  body: Body,
  fault: Fault | undefined,
  count: Count,
): Promise<boolean> {
  const limit = fault?.kind === "cut" || fault?.kind === "stall" ? fault.after : Infinity;
  let sent = 0;
  for (const piece of pieces(body.chunks, fault)) {
    const part = piece.subarray(0, limit - sent);
    if (part.length === 0) break;
    count(part.length);
    if (!(await write(response, flipped(part, body.start + sent, fault)))) return false;
    sent += part.length;
    if (fault?.kind === "slow") await delay((part.length * 1_000) / fault.bytesPerSecond);
  }
  return true;
}

interface Body {
  /** Offset of the first byte within the whole file. */
  start: number;
  length: number;
  chunks: Iterable<Buffer>;
}

function bodyOf({ body, span }: Answer): Body {
  if (body === undefined) return { start: 0, length: 0, chunks: [] };
  if (typeof body === "string") {
    const bytes = Buffer.from(body);
    return { start: 0, length: bytes.length, chunks: [bytes] };
  }
  const { start, end } = span ?? { start: 0, end: body.size };
  return { start, length: end - start, chunks: body.read(start, end) };
}

/** A slow connection gets a twentieth of a second's worth at a time. */
function* pieces(chunks: Iterable<Buffer>, fault: Fault | undefined): Iterable<Buffer> {
  const step = fault?.kind === "slow" ? Math.max(1, Math.floor(fault.bytesPerSecond / 20)) : Infinity;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += step) {
      yield chunk.subarray(at, Math.min(chunk.length, at + step));
    }
  }
}

function flipped(part: Buffer, offset: number, fault: Fault | undefined): Buffer {
  if (fault?.kind !== "flip" || fault.at < offset || fault.at >= offset + part.length) return part;
  const copy = Buffer.from(part);
  const at = fault.at - offset;
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

/** Resolves to true when the piece went to the system, to false when the connection is gone. */
function write(response: ServerResponse, piece: Buffer): Promise<boolean> {
  if (response.destroyed || response.socket === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const gone = (): void => {
      resolve(false);
    };
    response.once("close", gone);
    response.write(piece, (error) => {
      response.off("close", gone);
      resolve(error === undefined || error === null);
    });
  });
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { PracticeMirror } from "./practice-mirror.ts";

/** Answers requests whose path holds `part` with these bytes. */
export function swap(
  { mirror }: { mirror: PracticeMirror },
  part: string,
  change: (body: Buffer) => Buffer | string,
  status = 200,
): void {
  let original: Promise<Buffer> | undefined;
  mirror.instead = (request, response) => {
    if (request.url?.includes(part) !== true || request.headers["x-original"] !== undefined) return false;
    const headers = { "x-original": "1", accept: request.headers.accept ?? "*/*" };
    original ??= fetch(`${mirror.url}${request.url}`, { headers }).then(async (answer) =>
      Buffer.from(await answer.arrayBuffer()),
    );
    void original.then((body) => {
      send(request, response, Buffer.from(change(body)), status);
    });
    return true;
  };
}

function send(request: IncomingMessage, response: ServerResponse, body: Buffer, status = 200): void {
  const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const part = body.subarray(from);
  const range = from === 0 ? {} : { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` };
  response.writeHead(from === 0 ? status : 206, { "content-length": part.length, ...range }).end(part);
}

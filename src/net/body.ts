import { FerryError } from "../errors.ts";
import { formatBytes } from "../lib/size.ts";
import type { DoorResponse } from "./door-types.ts";
import { networkError } from "./network-error.ts";
import type { Outcome } from "./retry.ts";

const ERROR_BODY_LIMIT = 64 * 1024;

/**
 * The whole text of an answer, UTF-8. Throws UPSTREAM_MALFORMED beyond `limit` bytes, NET_UNREACHABLE or NET_TIMEOUT
 * where the connection ends or falls silent before it.
 */
export async function readText(response: DoorResponse, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) throw tooLong(response, limit);
      chunks.push(chunk);
    }
  } catch (error) {
    throw networkError(error, response.url);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** An answer that is no success, with what its body says, as the outcome of a try. The body is consumed. */
export async function failedAnswer(response: DoorResponse, asked: string): Promise<Outcome> {
  return {
    kind: "answer",
    status: response.status,
    headers: response.headers,
    message: await messageOf(response),
    url: response.url,
    elsewhere: new URL(response.url).origin !== new URL(asked).origin,
  };
}

/** GitHub explains itself in the `message` of a JSON body, others in plain text; pages for browsers say nothing to us. */
async function messageOf(response: DoorResponse): Promise<string> {
  let text: string;
  try {
    text = await readText(response, ERROR_BODY_LIMIT);
  } catch {
    return "";
  }
  if (isHtml(response.headers)) return "";
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "message" in parsed) return String(parsed.message);
  } catch {
    // Plain text then.
  }
  return text.trim();
}

export function isHtml(headers: Readonly<Record<string, string>>): boolean {
  return /^\s*(text\/html|application\/xhtml)/i.test(headers["content-type"] ?? "");
}

function tooLong({ url }: DoorResponse, limit: number): FerryError {
  return new FerryError("UPSTREAM_MALFORMED", `${url} answers with more than ${formatBytes(limit)}`, {
    hint: "This is not the answer of a release API: check the address and the proxy.",
    details: { url, limit },
  });
}

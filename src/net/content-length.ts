import { interrupted, isFerryError } from "../errors.ts";
import { redactUrl } from "../lib/redact.ts";
import { failedAnswer } from "./body.ts";
import type { Door } from "./door-types.ts";
import { type Attempt, type Persistence, persist } from "./persist.ts";
import { notTheAnswer } from "./text.ts";

/** Bytes of what lies behind a URL, by a HEAD request. Throws NET_*, and UPSTREAM_MALFORMED where the answer says no length. */
export async function contentLength(door: Door, url: string, options: Persistence): Promise<number> {
  return persist(redactUrl(url), options, () => ask(door, url, options));
}

async function ask(door: Door, url: string, { signal }: Persistence): Promise<Attempt<number>> {
  try {
    const response = await door.request(url, { method: "HEAD", ...(signal && { signal }) });
    if (response.status !== 200) return { failed: await failedAnswer(response, url) };
    response.body.on("error", () => undefined).resume();
    const length = response.headers["content-length"];
    if (length !== undefined && /^\d{1,15}$/.test(length)) return { done: Number(length) };
    throw notTheAnswer(response, "does not say how long the file is");
  } catch (error) {
    if (signal?.aborted === true) throw interrupted(`asking ${redactUrl(url)}`);
    if (isFerryError(error)) return { failed: { kind: "fault", error } };
    throw error;
  }
}

import { type Dispatcher, request as send } from "undici";
import { FerryError, interrupted } from "../errors.ts";
import { redactUrl } from "../lib/redact.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { Door, DoorOptions, DoorRequest, DoorResponse } from "./door-types.ts";
import { networkError } from "./network-error.ts";
import { checkTarget, isRedirect, MAX_REDIRECTS, redirectTarget, tooManyRedirects } from "./redirect.ts";

/** Headers of the caller that belong to the origin it asked, and to no other that a redirect leads to. */
const PRIVATE = ["authorization", "cookie"];

/** Opens the door; `close` ends every connection that is still there. Throws CONFIG_INVALID for an unreadable proxy. */
export function createDoor(options: DoorOptions): Door {
  const dispatcher = createDispatcher(options);
  const tokenOrigin =
    options.credentials === undefined ? undefined : new URL(options.credentials.origin).origin;

  const headersFor = (
    target: URL,
    first: URL,
    given: Readonly<Record<string, string>>,
  ): Record<string, string> => {
    const headers: Record<string, string> = {
      "user-agent": options.userAgent,
      "accept-encoding": "identity",
    };
    for (const [name, value] of Object.entries(given)) {
      const lower = name.toLowerCase();
      if (target.origin === first.origin || !PRIVATE.includes(lower)) headers[lower] = value;
    }
    if (
      options.credentials !== undefined &&
      target.origin === tokenOrigin &&
      headers["authorization"] === undefined
    ) {
      headers["authorization"] = `Bearer ${options.credentials.token}`;
    }
    const other = headers["authorization"] ?? options.otherCredentials?.(target);
    if (other !== undefined) headers["authorization"] = other;
    return headers;
  };

  return {
    async request(url: string, asked: DoorRequest = {}): Promise<DoorResponse> {
      if (options.offline) throw offline(url);
      const first = checkTarget(url, options.insecureOrigins);
      let target = first;
      for (let hops = 0; ; hops++) {
        const headers = headersFor(target, first, asked.headers ?? {});
        const answer = await exchange(dispatcher, target, headers, asked, options.timeouts.idle);
        if (!isRedirect(answer.statusCode)) return toResponse(answer, target, hops > 0);
        await discard(answer.body);
        if (hops === MAX_REDIRECTS) throw tooManyRedirects(url);
        target = redirectTarget(target, flat(answer.headers)["location"], options.insecureOrigins);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

async function exchange(
  dispatcher: Dispatcher,
  target: URL,
  headers: Record<string, string>,
  asked: DoorRequest,
  idle: number,
): Promise<Dispatcher.ResponseData> {
  try {
    return await send(target, {
      dispatcher,
      method: asked.method ?? "GET",
      headers,
      // Said again with every request, because connections to a proxy do not inherit them.
      headersTimeout: idle,
      bodyTimeout: idle,
      ...(asked.signal === undefined ? {} : { signal: asked.signal }),
    });
  } catch (error) {
    if (asked.signal?.aborted === true) throw interrupted(`the request to ${redactUrl(target)}`);
    throw networkError(error, target.href);
  }
}

function toResponse(answer: Dispatcher.ResponseData, target: URL, redirected: boolean): DoorResponse {
  return {
    status: answer.statusCode,
    headers: flat(answer.headers),
    url: redirected ? redactUrl(`${target.origin}${target.pathname}`) : redactUrl(target),
    body: answer.body,
  };
}

function flat(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

/** Reads the little that a redirect says, so that its connection can be used again; a long one is cut off. */
async function discard(body: Dispatcher.ResponseData["body"]): Promise<void> {
  try {
    await body.dump({ limit: 64 * 1024 });
  } catch {
    // The redirect itself was received whole; what happens to its text is of no interest.
  }
}

function offline(url: string): FerryError {
  return new FerryError("NET_OFFLINE", `${redactUrl(url)} is needed, but the network is switched off`, {
    hint: "Run without --offline and FERRY_OFFLINE, on a machine that reaches the address.",
    details: { url: redactUrl(url) },
  });
}

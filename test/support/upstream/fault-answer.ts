import type { PracticeAsset } from "./asset.ts";
import { problem } from "./api-host.ts";
import { expiredAnswer, unsatisfiable } from "./blob-host.ts";
import {
  type Answer,
  type Ask,
  type AssetView,
  type Bases,
  type Handler,
  redirectAnswer,
  textAnswer,
} from "./exchange.ts";
import type { Fault } from "./fault.ts";

const PAGE = `<!DOCTYPE html>
<html><head><title>Unicorn! &middot; Practice</title></head>
<body><p>No server is available to answer your request.</p></body></html>
`;

/**
 * The answer to a request that a fault strikes, as far as it lies in the answer: what happens to the connection
 * (`cut`, `stall`, `slow`, `hang-up`, `flip`) is done while sending.
 */
export function answerWithFault(
  handler: Handler,
  ask: Ask,
  fault: Fault | undefined,
  bases: Bases,
): Answer | undefined {
  switch (fault?.kind) {
    case undefined:
    case "cut":
    case "stall":
    case "slow":
    case "flip":
    case "hang-up":
      return handler(ask);
    case "uploading":
      return handler({ ...ask, view: uploading(fault) });
    case "hidden":
      return handler({
        ...ask,
        view: (asset) => (fault.assets.test(asset.name) ? undefined : viewOf(asset)),
      });
    case "ignore-range":
      return handler(withoutRange(ask));
    case "unsatisfiable":
      return unsatisfiableOf(handler(withoutRange(ask)));
    case "short":
      return shortened(handler(withoutRange(ask)), fault.length);
    case "html":
      return textAnswer(200, PAGE, "text/html; charset=utf-8");
    case "expired":
      return expiredAnswer();
    case "redirect":
      return redirectAnswer(fault.to);
    case "redirect-loop":
      return redirectAnswer(`${bases[ask.host]}${ask.path}`);
    case "rate-limit":
      return rateLimited(ask, fault);
    case "answer": {
      const answer = textAnswer(fault.status, fault.body ?? "", fault.contentType);
      return { ...answer, headers: { ...answer.headers, ...fault.headers } };
    }
  }
}

/** How the API shows an asset when nothing is wrong. */
export function viewOf(asset: PracticeAsset): AssetView {
  return { state: asset.state, size: asset.size, digest: asset.digest };
}

function uploading(fault: Extract<Fault, { kind: "uploading" }>): Ask["view"] {
  return (asset) => {
    if (!fault.assets.test(asset.name)) return viewOf(asset);
    return { state: fault.state ?? "starter", size: fault.size ?? 0, digest: null };
  };
}

function withoutRange(ask: Ask): Ask {
  const { range: _, ...headers } = ask.headers;
  return { ...ask, headers };
}

function unsatisfiableOf(answer: Answer | undefined): Answer | undefined {
  if (answer?.body === undefined) return answer;
  return unsatisfiable(typeof answer.body === "string" ? Buffer.byteLength(answer.body) : answer.body.size);
}

function shortened(answer: Answer | undefined, length: number): Answer | undefined {
  if (answer?.body === undefined || typeof answer.body === "string") return answer;
  return { ...answer, span: { start: 0, end: Math.min(length, answer.body.size) } };
}

function rateLimited(ask: Ask, fault: Extract<Fault, { kind: "rate-limit" }>): Answer {
  const seconds = fault.seconds ?? 60;
  const plenty = { "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4711" };
  const until = ask.now + seconds * 1_000;
  const secondary = "You have exceeded a secondary rate limit.";
  switch (fault.shape) {
    case "primary":
      return problem(fault.status ?? 403, "API rate limit exceeded for 127.0.0.1.", {
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.ceil(until / 1_000)),
      });
    case "retry-after":
      return problem(fault.status ?? 429, secondary, { "retry-after": String(seconds), ...plenty });
    case "retry-date":
      return problem(fault.status ?? 429, secondary, {
        "retry-after": new Date(until).toUTCString(),
        ...plenty,
      });
    case "secondary":
      return problem(fault.status ?? 403, secondary, plenty);
    case "bare":
      return problem(fault.status ?? 429, "Too many requests");
    case "permission":
      return problem(fault.status ?? 403, "Resource not accessible by personal access token", plenty);
  }
}

import { problem } from "./api-host.ts";
import type { PracticeAsset } from "./asset.ts";
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
import type { Fault, RateLimitShape } from "./fault.ts";

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
  if (fault === undefined) return handler(ask);
  return answerInPlace(ask, fault, bases) ?? changedAnswer(handler(changedAsk(ask, fault)), fault);
}

/** Faults that never come to the handler. */
function answerInPlace(ask: Ask, fault: Fault, bases: Bases): Answer | undefined {
  switch (fault.kind) {
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
    default:
      return undefined;
  }
}

/** Faults that let the handler see another request or another list of assets. */
function changedAsk(ask: Ask, fault: Fault): Ask {
  switch (fault.kind) {
    case "uploading":
      return { ...ask, view: uploading(fault) };
    case "hidden":
      return { ...ask, view: (asset) => (fault.assets.test(asset.name) ? undefined : viewOf(asset)) };
    case "ignore-range":
    case "unsatisfiable":
    case "short":
      return withoutRange(ask);
    default:
      return ask;
  }
}

function changedAnswer(answer: Answer | undefined, fault: Fault): Answer | undefined {
  if (answer?.body === undefined || typeof answer.body === "string") return answer;
  const { size } = answer.body;
  if (fault.kind === "unsatisfiable") return unsatisfiable(size);
  if (fault.kind === "short") return { ...answer, span: { start: 0, end: Math.min(fault.length, size) } };
  return answer;
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
  const headers = { ...ask.headers };
  delete headers.range;
  return { ...ask, headers };
}

function rateLimited(
  ask: Ask,
  { shape, status, seconds = 60 }: Extract<Fault, { kind: "rate-limit" }>,
): Answer {
  const until = ask.now + seconds * 1_000;
  const said = REFUSALS[shape](seconds, until);
  return problem(status ?? said.status, said.message, said.headers);
}

const PLENTY = { "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4711" };
const SECONDARY = "You have exceeded a secondary rate limit.";

interface Refusal {
  status: number;
  message: string;
  headers: Record<string, string>;
}

/** `until` is `seconds` from now, in milliseconds since the epoch. */
const REFUSALS: Readonly<Record<RateLimitShape, (seconds: number, until: number) => Refusal>> = {
  primary: (_, until) => ({
    status: 403,
    message: "API rate limit exceeded for 127.0.0.1.",
    headers: {
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(Math.ceil(until / 1_000)),
    },
  }),
  "retry-after": (seconds) => ({
    status: 429,
    message: SECONDARY,
    headers: { ...PLENTY, "retry-after": String(seconds) },
  }),
  "retry-date": (_, until) => ({
    status: 429,
    message: SECONDARY,
    headers: { ...PLENTY, "retry-after": new Date(until).toUTCString() },
  }),
  secondary: () => ({ status: 403, message: SECONDARY, headers: PLENTY }),
  bare: () => ({ status: 429, message: "Too many requests", headers: {} }),
  permission: () => ({
    status: 403,
    message: "Resource not accessible by personal access token",
    headers: PLENTY,
  }),
};

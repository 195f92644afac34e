import { FerryError } from "../../errors.ts";
import { isHtml } from "../body.ts";

/** What was asked for; `from` is undefined for the whole file without a Range header. */
export interface Asked {
  /** How errors call the file. */
  label: string;
  from: number | undefined;
  /** What is known of the file before the answer. */
  total: number | undefined;
  etag: string | undefined;
}

export interface Answered {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Printable URL that answered. */
  url: string;
}

/** What an answer is worth, judged before its first byte is used. */
export type Verdict =
  /** Bytes from `start` on follow; `total` where the answer says it, `ranges` where further ones may be asked for. */
  | { kind: "bytes"; start: number; total: number | undefined; ranges: boolean }
  /** A range was asked for, the whole file comes: it must never be appended. */
  | { kind: "from-zero"; total: number | undefined }
  /** The file is `total` bytes long and was asked for from there on: nothing is missing. */
  | { kind: "nothing-left"; total: number }
  /** Another version than the bytes so far: they are of no use. */
  | { kind: "changed"; error: FerryError }
  /** Not the file (an error page, another length); the bytes so far may still be good. */
  | { kind: "unusable"; error: FerryError }
  | { kind: "status" };

export function judge(asked: Asked, answer: Answered): Verdict {
  if (answer.status === 206) return judgePart(asked, answer);
  if (answer.status === 200) return judgeWhole(asked, answer);
  if (answer.status === 416 && asked.from !== undefined) return judgeUnsatisfied(asked, asked.from, answer);
  return { kind: "status" };
}

function judgeWhole(asked: Asked, answer: Answered): Verdict {
  const length = wholeNumber(answer.headers["content-length"]);
  const fits = asked.total === undefined || length === asked.total;
  if (length !== undefined && !fits) return { kind: "unusable", error: wrongLength(asked, answer, length) };
  if (isHtml(answer.headers) && (length === undefined || asked.total === undefined)) {
    return { kind: "unusable", error: page(asked, answer) };
  }
  if (asked.from !== undefined && asked.from > 0) return { kind: "from-zero", total: length };
  return {
    kind: "bytes",
    start: 0,
    total: length,
    ranges: /\bbytes\b/i.test(answer.headers["accept-ranges"] ?? ""),
  };
}

function judgePart(asked: Asked, answer: Answered): Verdict {
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(answer.headers["content-range"]?.trim() ?? "");
  if (range === null || asked.from === undefined || Number(range[1]) !== asked.from) {
    return { kind: "unusable", error: otherRange(asked, answer) };
  }
  const total = wholeNumber(range[3]);
  const etag = answer.headers["etag"];
  if (asked.etag !== undefined && etag !== undefined && etag !== asked.etag) {
    return { kind: "changed", error: changed(asked, answer, `its ETag was ${asked.etag} and is ${etag}`) };
  }
  if (total !== undefined && asked.total !== undefined && total !== asked.total) {
    return { kind: "unusable", error: wrongLength(asked, answer, total) };
  }
  return { kind: "bytes", start: asked.from, total, ranges: true };
}

function judgeUnsatisfied(asked: Asked, from: number, answer: Answered): Verdict {
  const total = wholeNumber(/^bytes \*\/(\d+)$/i.exec(answer.headers["content-range"]?.trim() ?? "")?.[1]);
  if (total !== undefined && asked.total !== undefined && total !== asked.total) {
    return { kind: "unusable", error: wrongLength(asked, answer, total) };
  }
  if (total === from) return { kind: "nothing-left", total };
  const has = total === undefined ? "fewer bytes" : `${total} bytes`;
  return { kind: "changed", error: changed(asked, answer, `${from} bytes are here and upstream has ${has}`) };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

const LOOK =
  "A proxy, a captive portal or a fault of the server may answer in place of the file: look at the URL with curl -sIL.";

function facts(asked: Asked, { url, status, headers }: Answered): Record<string, unknown> {
  return { file: asked.label, url, status, contentType: headers["content-type"], expected: asked.total };
}

function typeOf({ headers }: Answered): string {
  return headers["content-type"] ?? "no content type";
}

function wrongLength(asked: Asked, answer: Answered, length: number): FerryError {
  // An empty answer is the mark of a transfer that broke behind the server, not of another file.
  const code = length === 0 ? "NET_TRUNCATED" : "SIZE_MISMATCH";
  const message = `${asked.label}: expected ${asked.total} bytes, ${answer.url} has ${length} (${typeOf(answer)})`;
  return new FerryError(code, message, {
    hint: LOOK,
    details: { ...facts(asked, answer), received: length },
  });
}

function page(asked: Asked, answer: Answered): FerryError {
  const expected = asked.total === undefined ? "a file" : `${asked.total} bytes`;
  const message = `${asked.label}: expected ${expected}, ${answer.url} answers with a page for browsers (${typeOf(answer)})`;
  return new FerryError("SIZE_MISMATCH", message, { hint: LOOK, details: facts(asked, answer) });
}

function otherRange(asked: Asked, answer: Answered): FerryError {
  const got = answer.headers["content-range"] ?? "no Content-Range";
  const message = `${asked.label}: asked for bytes from ${asked.from ?? 0} on, ${answer.url} answers with "${got}"`;
  return new FerryError("UPSTREAM_MALFORMED", message, { hint: LOOK, details: facts(asked, answer) });
}

function changed(asked: Asked, answer: Answered, how: string): FerryError {
  return new FerryError(
    "UPSTREAM_MALFORMED",
    `${asked.label}: ${answer.url} changed while it was fetched: ${how}`,
    {
      hint: "Upstream may be replacing the file: run the same command again in some minutes.",
      details: facts(asked, answer),
    },
  );
}

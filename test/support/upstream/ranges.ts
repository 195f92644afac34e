/** What a Range header asks of a body: one part of it, nothing that exists, or (undefined) the whole. */
export type RangeResult = { start: number; end: number } | "unsatisfiable" | undefined;

/**
 * Reads `bytes=A-B`, `bytes=A-` and `bytes=-N` for a body of `size` bytes; `end` is exclusive. Several ranges and
 * anything malformed are ignored, as the real host does.
 */
export function parseRange(header: string | undefined, size: number): RangeResult {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "") {
    if (last === "") return undefined;
    return last === "0" || size === 0
      ? "unsatisfiable"
      : { start: Math.max(0, size - Number(last)), end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}

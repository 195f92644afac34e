/** What a Range header asks of a body: one part of it, nothing that exists, or (undefined) the whole. */
export type RangeResult = { start: number; end: number } | "unsatisfiable" | undefined;

/**
 * Reads `bytes=A-B`, `bytes=A-` and `bytes=-N` for a body of `size` bytes; `end` is exclusive. Several ranges and
 * anything malformed are ignored, as the real host does.
 */
export function parseRange(header: string | undefined, size: number): RangeResult {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") return suffix(Number(last), size);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return "unsatisfiable";
  return { start: Number(first), end: last === "" ? size : Math.min(size, Number(last) + 1) };
}

function suffix(length: number, size: number): RangeResult {
  return length === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - length), end: size };
}

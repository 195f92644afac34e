/** Bytes of a file from `start` up to but without `end`. Lists of ranges are sorted, disjoint and never touch. */
export interface Range {
  start: number;
  end: number;
}

export function addRange(ranges: readonly Range[], added: Range): Range[] {
  if (added.end <= added.start) return [...ranges];
  const merged = { ...added };
  const apart: Range[] = [];
  for (const range of ranges) {
    if (range.end < merged.start || range.start > merged.end) apart.push(range);
    else {
      merged.start = Math.min(merged.start, range.start);
      merged.end = Math.max(merged.end, range.end);
    }
  }
  return [...apart, merged].sort((a, b) => a.start - b.start);
}

export function totalLength(ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + range.end - range.start, 0);
}

/** How far the file is there without a hole, from its first byte. */
export function contiguousEnd(ranges: readonly Range[]): number {
  const [first] = ranges;
  return first?.start === 0 ? first.end : 0;
}

/** What is not covered of a file of `size` bytes (Infinity where the size is unknown). */
export function gaps(ranges: readonly Range[], size: number): Range[] {
  const found: Range[] = [];
  let at = 0;
  for (const range of ranges) {
    if (range.start > at) found.push({ start: at, end: Math.min(range.start, size) });
    at = range.end;
  }
  if (at < size) found.push({ start: at, end: size });
  return found;
}

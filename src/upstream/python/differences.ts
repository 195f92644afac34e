import type { LockedFile, LockedPackage } from "./replay.ts";

/** How the second resolution differs from the lock, a sentence each; empty where they are the same. */
export function differences(locked: readonly LockedPackage[], again: readonly LockedPackage[]): string[] {
  return pairs(locked, again, (one) => one.name).flatMap(([before, after]) => {
    if (after === undefined) return [`${before?.name ?? ""} ${before?.version ?? ""} is in the lock alone`];
    if (before === undefined) return [`${after.name} ${after.version ?? ""} is not in the lock`];
    const { name } = before;
    return [
      ...changed(`${name}: version`, before.version, after.version),
      ...changed(`${name}: marker`, before.marker, after.marker),
      ...fileDifferences(name, before.files, after.files),
    ];
  });
}

function fileDifferences(
  name: string,
  locked: readonly LockedFile[],
  again: readonly LockedFile[],
): string[] {
  return pairs(locked, again, (file) => file.filename).flatMap(([before, after]) => {
    if (after === undefined) return [`${name}: ${before?.filename ?? ""} is in the lock alone`];
    if (before === undefined) return [`${name}: ${after.filename} is not in the lock`];
    const { filename } = before;
    // Of a wheel by address uv writes neither size nor time; its digest says what it is.
    const spoken = !before.byAddress && !after.byAddress;
    return [
      ...changed(`${filename}: sha256`, before.sha256, after.sha256),
      ...(spoken ? changed(`${filename}: size`, before.size, after.size) : []),
      ...(spoken ? changed(`${filename}: upload time`, before.uploadTime, after.uploadTime) : []),
    ];
  });
}

function changed(
  what: string,
  before: string | number | undefined,
  after: string | number | undefined,
): string[] {
  return before === after
    ? []
    : [`${what} is ${before ?? "absent"} in the lock and ${after ?? "absent"} now`];
}

/** What is in either, paired by key, sorted by it. */
function pairs<T>(
  first: readonly T[],
  second: readonly T[],
  keyOf: (item: T) => string,
): [T | undefined, T | undefined][] {
  const [left, right] = [first, second].map((items) => new Map(items.map((item) => [keyOf(item), item])));
  const keys = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].sort();
  return keys.map((key) => [left?.get(key), right?.get(key)]);
}

/** What the benchmarks' options say. Each throws an Error in words for a text that cannot be understood. */

/** Names of cases, separated by commas. */
export function caseNames<T extends string>(flag: string, text: string, cases: readonly T[]): Set<T> {
  return new Set(
    text.split(",").map((word) => {
      const found = cases.find((name) => name === word);
      if (found === undefined) throw new Error(`${flag}: ${word} is none of ${cases.join(", ")}`);
      return found;
    }),
  );
}

export function count(flag: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${flag} must be a whole number, not ${text}`);
  return Number(text);
}

export function bytes(flag: string, text: string): number {
  const found = /^([1-9]\d*)([KMG]?)$/.exec(text);
  if (found === null) throw new Error(`${flag} must be a number with K, M or G, not ${text}`);
  return Number(found[1]) * 1024 ** ["", "K", "M", "G"].indexOf(found[2] ?? "");
}

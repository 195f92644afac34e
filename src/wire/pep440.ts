/**
 * A PEP 440 version in one spelling: `1.0.0-beta1` and `1.0b1` are one. Trailing zeros of the release count for nothing.
 * What is no such version comes back in lower case.
 */
export function canonicalVersion(version: string): string {
  const text = version.trim().toLowerCase();
  const match =
    /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[._-]?(a|b|c|rc|alpha|beta|pre|preview)[._-]?(\d*))?(?:(?:[._-]?(?:post|rev|r)[._-]?(\d*))|-(\d+))?(?:[._-]?dev[._-]?(\d*))?(?:\+([a-z0-9]+(?:[._-][a-z0-9]+)*))?$/.exec(
      text,
    );
  if (match === null) return text;
  const [, epoch, release = "", stage, stageNumber, post, bare, dev, local] = match;
  const numbers = release.split(".").map(Number);
  while (numbers.length > 1 && numbers.at(-1) === 0) numbers.pop();
  return [
    epoch === undefined || Number(epoch) === 0 ? "" : `${Number(epoch)}!`,
    numbers.join("."),
    stage === undefined ? "" : `${STAGES[stage] ?? stage}${Number(stageNumber ?? 0)}`,
    (post ?? bare) === undefined ? "" : `.post${Number(post ?? bare)}`,
    dev === undefined ? "" : `.dev${Number(dev)}`,
    local === undefined ? "" : `+${local.replaceAll(/[_-]/g, ".")}`,
  ].join("");
}

const STAGES: Readonly<Record<string, string>> = { alpha: "a", beta: "b", c: "rc", pre: "rc", preview: "rc" };

import type { Pylock, PylockFile, PylockPackage } from "./pylock.ts";

/**
 * Our own lock, the same bytes for the same content. Every file says its `name`: pip up to 26.2 takes it from the end of
 * the address otherwise, and refuses `%2B` there. A wheel of a GitHub release is one of `wheels` like any other.
 */
export function renderPylock(lock: Pylock): string {
  const head = [
    'lock-version = "1.0"',
    'created-by = "engine-ferry"',
    ...(lock.requiresPython === undefined ? [] : [`requires-python = ${quoted(lock.requiresPython)}`]),
  ];
  return `${[head.join("\n"), ...lock.packages.map(packageText)].join("\n\n")}\n`;
}

function packageText({ name, version, marker, wheels, sdist, archive }: PylockPackage): string {
  const list = wheels.map((wheel) => `    ${fileText(wheel)},\n`).join("");
  return [
    "[[packages]]",
    `name = ${quoted(name)}`,
    ...(version === undefined ? [] : [`version = ${quoted(version)}`]),
    ...(marker === undefined ? [] : [`marker = ${quoted(marker)}`]),
    ...(archive === undefined ? [] : [`archive = ${fileText(archive)}`]),
    ...(sdist === undefined ? [] : [`sdist = ${fileText(sdist)}`]),
    ...(wheels.length === 0 ? [] : [`wheels = [\n${list}]`]),
  ].join("\n");
}

function fileText({ name, url, path, uploadTime, size, hashes }: PylockFile): string {
  const sums = Object.entries(hashes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([algorithm, hex]) => `${algorithm} = ${quoted(hex)}`);
  const fields = [
    `name = ${quoted(name)}`,
    ...(url === undefined ? [] : [`url = ${quoted(url)}`]),
    ...(path === undefined ? [] : [`path = ${quoted(path)}`]),
    ...(uploadTime === undefined ? [] : [`upload-time = ${uploadTime}`]),
    ...(size === undefined ? [] : [`size = ${size}`]),
    `hashes = {${sums.length === 0 ? "" : ` ${sums.join(", ")} `}}`,
  ];
  return `{ ${fields.join(", ")} }`;
}

/** A basic string of TOML, which is JSON's but for the one control character that JSON leaves as it is. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

import type { Pylock, PylockFile, PylockPackage } from "./pylock.ts";
import { tomlString } from "./toml-string.ts";

/**
 * Our own lock, the same bytes for the same content. Every file says its `name`: pip up to 26.2 takes it from the end of
 * the address otherwise, and refuses `%2B` there. A wheel of a GitHub release is one of `wheels` like any other.
 */
export function renderPylock(lock: Pylock): string {
  const head = [
    'lock-version = "1.0"',
    'created-by = "engine-ferry"',
    ...(lock.requiresPython === undefined ? [] : [`requires-python = ${tomlString(lock.requiresPython)}`]),
  ];
  return `${[head.join("\n"), ...lock.packages.map(packageText)].join("\n\n")}\n`;
}

function packageText({ name, version, marker, wheels, sdist, archive }: PylockPackage): string {
  const list = wheels.map((wheel) => `    ${fileText(wheel)},\n`).join("");
  return [
    "[[packages]]",
    `name = ${tomlString(name)}`,
    ...(version === undefined ? [] : [`version = ${tomlString(version)}`]),
    ...(marker === undefined ? [] : [`marker = ${tomlString(marker)}`]),
    ...(archive === undefined ? [] : [`archive = ${fileText(archive)}`]),
    ...(sdist === undefined ? [] : [`sdist = ${fileText(sdist)}`]),
    ...(wheels.length === 0 ? [] : [`wheels = [\n${list}]`]),
  ].join("\n");
}

function fileText({ name, url, path, uploadTime, size, hashes }: PylockFile): string {
  const sums = Object.entries(hashes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([algorithm, hex]) => `${algorithm} = ${tomlString(hex)}`);
  const fields = [
    `name = ${tomlString(name)}`,
    ...(url === undefined ? [] : [`url = ${tomlString(url)}`]),
    ...(path === undefined ? [] : [`path = ${tomlString(path)}`]),
    ...(uploadTime === undefined ? [] : [`upload-time = ${uploadTime}`]),
    ...(size === undefined ? [] : [`size = ${size}`]),
    `hashes = {${sums.length === 0 ? "" : ` ${sums.join(", ")} `}}`,
  ];
  return `{ ${fields.join(", ")} }`;
}

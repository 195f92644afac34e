// Says whether `dist` was built from the sources as they are now. Plain JavaScript, since the launcher runs it before
// anything can read TypeScript.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";

const INPUTS = ["src", "server"];
const SETTINGS = ["tsconfig.json", "tsconfig.build.json"];
const STAMP = "dist/source-stamp";

/**
 * A digest over name, size and modification time of every file that a build depends on: a change, a deletion and an
 * older file put back all give another. Only names are read, since this runs at every start in a checkout.
 *
 * @param {URL} packageRoot folder with a slash at its end
 * @returns {string}
 */
export function sourceStamp(packageRoot) {
  const hash = createHash("sha256");
  for (const folder of INPUTS) describeFolder(hash, new URL(`${folder}/`, packageRoot), folder);
  for (const name of SETTINGS) describeFile(hash, new URL(name, packageRoot), name);
  return hash.digest("hex");
}

/** @param {URL} packageRoot */
export function stampFile(packageRoot) {
  return new URL(STAMP, packageRoot);
}

/** @param {URL} packageRoot */
export function isBuildFresh(packageRoot) {
  let stamp;
  try {
    stamp = readFileSync(stampFile(packageRoot), "utf8");
  } catch {
    return false;
  }
  return stamp.trim() === sourceStamp(packageRoot);
}

function describeFolder(hash, folder, label) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const name = encodeURIComponent(entry.name);
    if (entry.isDirectory()) describeFolder(hash, new URL(`${name}/`, folder), `${label}/${entry.name}`);
    else describeFile(hash, new URL(name, folder), `${label}/${entry.name}`);
  }
}

function describeFile(hash, file, label) {
  const { size, mtimeMs } = statSync(file);
  hash.update(`${label}\0${size}\0${mtimeMs}\n`);
}

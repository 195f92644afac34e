// Writes a bundle of files that a store holds, with the product's own modules.
// Arguments: URL of the compiled modules; a JSON file with { artifacts, store, output, key }.
import { readFileSync } from "node:fs";

const [modules, jobFile] = process.argv.slice(2);
const load = (name) => import(new URL(name, modules).href);
const [
  { writeBundle },
  { renderBundle },
  { loadSigner },
  { openLayoutStore },
  { systemClock },
  { terminalLogger },
] = await Promise.all([
  load("src/bundle/write.js"),
  load("src/bundle/manifest.js"),
  load("src/trust/signer.js"),
  load("src/store/layout-store.js"),
  load("src/lib/clock.js"),
  load("src/cli/terminal-logger.js"),
]);
const { artifacts, store, output, key } = JSON.parse(readFileSync(jobFile, "utf8"));
const document = {
  formatVersion: 1,
  name: "bench",
  counter: 1,
  created: "2026-01-01T00:00:00Z",
  spec: {},
  recipes: [],
  builds: [],
  files: artifacts.map(({ path, digest, size, url, updatedAt, trust }) => ({
    path,
    digest,
    size,
    url,
    updatedAt,
    trust,
  })),
  releases: [],
  missing: [],
};
const bytes = await writeBundle({
  document,
  rendered: renderBundle(document, [loadSigner(readFileSync(key, "utf8"), key)]),
  store: await openLayoutStore(store),
  output,
  signal: new globalThis.AbortController().signal,
  logger: terminalLogger(process.stderr, systemClock, false),
});
console.log(bytes);

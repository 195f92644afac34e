// Fetches and verifies files into a store with the product's own modules and settings, and prints what it vouches for.
// Arguments: URL of the compiled modules; a JSON file with { origin, artifacts, store }.
import { readFileSync } from "node:fs";

const [modules, jobFile] = process.argv.slice(2);
const load = (name) => import(new URL(name, modules).href);
const [{ fetchAll }, { openLayoutStore }, { createDoor }, { systemClock }, { terminalLogger }] =
  await Promise.all([
    load("src/bundle/fetch.js"),
    load("src/store/layout-store.js"),
    load("src/net/door.js"),
    load("src/lib/clock.js"),
    load("src/cli/terminal-logger.js"),
  ]);
const { origin, artifacts, store } = JSON.parse(readFileSync(jobFile, "utf8"));
const door = createDoor({
  offline: false,
  insecureOrigins: [origin],
  proxy: {},
  userAgent: "engine-ferry/bench",
  timeouts: { connect: 20_000, idle: 60_000 },
});
const files = await fetchAll({
  artifacts,
  store: await openLayoutStore(store),
  door,
  clock: systemClock,
  logger: terminalLogger(process.stderr, systemClock, true),
  signal: new globalThis.AbortController().signal,
  // As `ferry build` has it by default.
  jobs: 4,
  connections: 8,
  random: Math.random,
});
await door.close();
console.log(files.map((file) => file.digest).join("\n"));

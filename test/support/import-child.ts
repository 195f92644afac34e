/**
 * Imports the bundle on standard input, in a process of its own that tests may kill.
 *
 * Usage: import-child.ts STORE PUBLIC_KEY
 */
import { readFile } from "node:fs/promises";
import { openBundleSource } from "../../src/archive/open-source.ts";
import { importBundle } from "../../src/bundle/import.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createHashPool } from "../../src/lib/hash-pool.ts";
import { silentLogger } from "../../src/log.ts";
import { openLayoutStore } from "../../src/store/layout-store.ts";
import { loadVerifier } from "../../src/trust/verifier.ts";

const [root = "", key = ""] = process.argv.slice(2);
const pool = createHashPool(1);
const source = await openBundleSource(process.stdin, pool);
await importBundle(source, {
  store: await openLayoutStore(root, { pool }),
  trust: [loadVerifier(await readFile(key, "utf8"), key)],
  concurrency: 1,
  clock: systemClock,
  logger: silentLogger,
});
await pool.close();

import { parseArgs } from "node:util";
import { releasesFromFixture } from "./fixture.ts";
import { startUpstream } from "./upstream.ts";

/**
 * The practice upstream as a program: `npx tsx test/support/upstream/main.ts [--scale N]`. Prints the two settings that
 * make `ferry` ask it, one a line, and serves until it is told to end (SIGTERM, SIGINT). `--scale` divides the real
 * sizes of files (default 1000).
 */
const { values } = parseArgs({ options: { scale: { type: "string", default: "1000" } } });
const upstream = await startUpstream({ releases: releasesFromFixture({ scale: Number(values.scale) }) });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void upstream.close());
for (const [name, value] of Object.entries(upstream.env)) process.stdout.write(`${name}=${value}\n`);

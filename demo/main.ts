import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startUpstream } from "../test/support/upstream/upstream.ts";
import { buildBundle } from "./builder.ts";
import { serveAndInstall, stopMirror } from "./mirror.ts";

/**
 * The main job, from spec to running engine, against a practice upstream on this machine: no network is used.
 * `--out DIR` keeps what it made: bundle.tar, ferry.pub, ferry.key, the lock, the SBOM, both stores, the installation and
 * the log. `--serve` leaves the mirror running until Ctrl-C.
 */
const MADE = [
  "bundle.tar",
  "ferry.key",
  "ferry.pub",
  "ferry.lock.json",
  "bundle.cdx.json",
  "demo.log",
  "mirror",
  "node",
];

const USAGE = "usage: npm run demo -- [--out DIR] [--serve]";

function refuse(why: string): never {
  process.stderr.write(`demo: ${why}\n`);
  process.exit(2);
}

function readOptions(): { out?: string | undefined; serve: boolean } {
  try {
    return parseArgs({ options: { out: { type: "string" }, serve: { type: "boolean", default: false } } })
      .values;
  } catch (error) {
    return refuse(
      `${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}\n${USAGE}`,
    );
  }
}

/** What an earlier run left goes; a folder with anything else in it is somebody's. */
async function emptied(out: string): Promise<string> {
  await mkdir(out, { recursive: true });
  const found = await readdir(out);
  if (found.length > 0 && !found.includes("demo.log")) {
    refuse(`${out} is not empty, and no earlier run of this demo made it; name another folder with --out`);
  }
  for (const name of MADE) await rm(join(out, name), { recursive: true, force: true });
  return out;
}

const values = readOptions();
const kept = values.out === undefined ? undefined : await emptied(resolve(values.out));
const folder = kept ?? (await mkdtemp(join(tmpdir(), "engine-ferry-demo-")));
try {
  const upstream = await startUpstream();
  try {
    await buildBundle(folder, upstream);
  } finally {
    // The gap: from here on nothing upstream answers.
    await upstream.close();
  }
  const mirror = await serveAndInstall(folder);
  if (values.serve) {
    process.stdout.write(`\n${mirror.url}/ stays up until Ctrl-C\n`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), once(mirror.process, "close")]);
  }
  await stopMirror(mirror.process);
  process.stdout.write(
    kept === undefined
      ? "\nnothing was kept, and the mirror has ended; npm run demo -- --out DIR keeps it all, --serve leaves the mirror up\n"
      : `\nkept in ${kept}${values.serve ? "" : "; the mirror has ended, --serve leaves it up"}\n`,
  );
} finally {
  if (kept === undefined) await rm(folder, { recursive: true, force: true });
}

import { readFile, writeFile } from "node:fs/promises";
import { parsePylock } from "../../../src/wire/pylock.ts";
import type { Words } from "../../build/command.ts";
import { limit, type Row } from "../../serve/row.ts";
import { startMirror } from "../../serve/servers.ts";
import type { Bench } from "../bench.ts";
import { ENGINE } from "../engine.ts";
import { lockOf } from "../static-copy.ts";
import { freshUv } from "../uv.ts";

/** Each kind of lock that uv writes: both say digests. */
const FORMATS = [["--generate-hashes"], ["--format", "pylock.toml"]] as const;
/** Names within the workspace. */
const [LOG, INPUT, OUTPUT] = ["access.log", "requirements.in", "pylock.compiled.toml"];

type Requirement = (wheelUrl: string) => string;

/** How much of the wheels the real uv reads to resolve the engine, as the mirror's access log has it. */
export async function compile(bench: Bench): Promise<Row[]> {
  return [
    ...(await resolved(bench, "through index pages", () => `${ENGINE.project}==${ENGINE.version}`)),
    ...(await resolved(bench, "the engine's wheel by URL", (url) => `${ENGINE.project} @ ${url}`)),
  ];
}

async function resolved(bench: Bench, how: string, requirement: Requirement): Promise<Row[]> {
  const whole: number[] = [];
  const megabytes: number[] = [];
  for (const format of FORMATS) {
    const taken = await wheelsTaken(bench, requirement, format);
    const bytes = taken.reduce((sum, each) => sum + each.bytes, 0);
    whole.push(taken.filter((wheel) => wheel.bytes >= wheel.size).length);
    megabytes.push(bytes / 1e6);
    console.error(`  ${how}, ${format.join(" ")}: ${bytes} bytes, of ${taken.length} wheels`);
  }
  return [
    limit(`uv pip compile, ${how}: read whole`, "wheels", whole, { most: 0 }),
    limit(`uv pip compile, ${how}: bytes of wheels`, "MB", megabytes),
  ];
}

/** The wheels of which one run of uv was sent anything. Each run has a mirror, and so a log, of its own. */
async function wheelsTaken(
  bench: Bench,
  requirement: Requirement,
  format: Words,
): Promise<{ size: number; bytes: number }[]> {
  const engine = await bench.engine();
  const workspace = await bench.workspace();
  const { at } = workspace;
  const env = { FERRY_ACCESS_LOG: at(LOG) };
  const mirror = await startMirror("mirror", bench.command, { store: engine.store, env });
  let wheels: Wheel[];
  try {
    wheels = wheelsOf(await lockOf(mirror.url));
    const own = wheels.find(({ project }) => project === ENGINE.project);
    if (own === undefined) throw new Error(`the lock has no wheel of ${ENGINE.project}`);
    await writeFile(at(INPUT), `${requirement(`${mirror.url}${own.path}#sha256=${own.sha256}`)}\n`);
    const uv = freshUv(workspace, engine, mirror.url);
    await uv.run(["pip", "compile", "-q", at(INPUT), "--no-build", ...format, "-o", at(OUTPUT)]);
    await uv.clean();
  } finally {
    // It writes the rest of its log when it ends.
    await mirror.stop();
  }
  const sent = bytesByPath(await readFile(at(LOG), "utf8"));
  await workspace.remove(LOG, OUTPUT);
  return wheels.flatMap(({ path, size }) => {
    const bytes = sent.get(path) ?? 0;
    return bytes === 0 ? [] : [{ size, bytes }];
  });
}

interface Wheel {
  project: string;
  path: string;
  size: number;
  sha256: string;
}

function wheelsOf(lock: string): Wheel[] {
  return parsePylock(lock).packages.flatMap(({ name, wheels }) =>
    wheels.map(({ url, size, hashes }) => ({
      project: name,
      path: new URL(url ?? "").pathname,
      size: size ?? Number.NaN,
      sha256: hashes["sha256"] ?? "",
    })),
  );
}

function bytesByPath(log: string): Map<string, number> {
  const sent = new Map<string, number>();
  for (const line of log.split("\n").filter(Boolean)) {
    const { path, bytes } = JSON.parse(line) as { path: string; bytes: number };
    sent.set(path, (sent.get(path) ?? 0) + bytes);
  }
  if (sent.size === 0) throw new Error("the mirror logged nothing");
  return sent;
}

import { access, writeFile } from "node:fs/promises";
import type { Words } from "../../build/command.ts";
import { compare, type Row } from "../../serve/row.ts";
import { type Server, startMirror } from "../../serve/servers.ts";
import type { Bench } from "../bench.ts";
import { ENGINE } from "../engine.ts";
import { lockOf, startStaticCopy } from "../static-copy.ts";
import { freshUv } from "../uv.ts";

/** An install is so short that whatever else the machine does may double it, and nothing halves it: the least of some counts. */
export const TRIES = 3;

/** How long the real uv takes to install a small engine from the mirror, and from nginx with the same files. */
export async function install(bench: Bench): Promise<Row[]> {
  const engine = await bench.engine();
  const { at } = await bench.workspace();
  const mirror = await startMirror("mirror", bench.command, { store: engine.store });
  try {
    const nginx = await startStaticCopy(mirror.url, at("static"));
    try {
      const servers = { mirror, nginx: { name: "nginx", url: nginx.url } };
      const lock = await lockOf(mirror.url);
      for (const { name, url } of Object.values(servers)) {
        await writeFile(at(lockName(name)), lock.replaceAll(mirror.url, url));
      }
      return [
        await installed(bench, "uv pip install from the lock", servers, (name) => [
          "--require-hashes",
          "-r",
          at(lockName(name)),
        ]),
        await installed(bench, "uv pip install through index pages", servers, () => [
          `${ENGINE.project}==${ENGINE.version}`,
        ]),
      ];
    } finally {
      await nginx.stop();
    }
  } finally {
    await mirror.stop();
  }
}

type Asked = Pick<Server, "name" | "url">;

async function installed(
  bench: Bench,
  what: string,
  servers: { mirror: Asked; nginx: Asked },
  words: (server: string) => Words,
): Promise<Row> {
  const workspace = await bench.workspace();
  const engine = await bench.engine();
  const took = async ({ name, url }: Asked): Promise<number> => {
    const uv = freshUv(workspace, engine, url);
    await uv.environment();
    await workspace.settle();
    const seconds = await uv.run(["pip", "install", "-q", ...words(name)]);
    await access(uv.program(ENGINE.program));
    await uv.clean();
    return seconds;
  };
  const times = { mirror: [] as number[], nginx: [] as number[] };
  const names = ["mirror", "nginx"] as const;
  // A program that was just started is still being compiled while it runs, and wheels are not yet in memory.
  for (const name of names) await took(servers[name]);
  for (let round = 0; round < bench.options.rounds; round++) {
    const tries = { mirror: [] as number[], nginx: [] as number[] };
    for (let attempt = 0; attempt < TRIES; attempt++) {
      for (const name of (round + attempt) % 2 === 0 ? names : names.toReversed()) {
        tries[name].push(await took(servers[name]));
      }
    }
    for (const name of names) times[name].push(Math.min(...tries[name]));
  }
  const list = (seconds: readonly number[]): string => seconds.map((each) => each.toFixed(2)).join(", ");
  console.error(`  ${what}: ${list(times.mirror)} s, nginx ${list(times.nginx)} s`);
  return compare(what, "s", times.mirror, { name: "nginx", values: times.nginx }, { most: 1.1 });
}

function lockName(server: string): string {
  return `pylock.${server}.toml`;
}

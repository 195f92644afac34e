import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SIMPLE_JSON } from "../../../src/wire/simple-index.ts";
import { runLoad } from "../../serve/clients.ts";
import { compare, limit, type Row } from "../../serve/row.ts";
import { type Server, startMirror, startPlainNginx } from "../../serve/servers.ts";
import type { Bench } from "../bench.ts";
import { MANY, PROJECTS, type PythonStore, USUAL, writePythonStore } from "../store.ts";

const CONNECTIONS = 32;
const ACCEPT = { Accept: SIMPLE_JSON };

/** Index pages and metadata beside nginx with the same bytes as files, and how long the first answer takes. */
export async function pages(bench: Bench): Promise<Row[]> {
  const store = await writePythonStore(join(bench.folder, "pages"));
  return [...(await firstAnswers(bench, store)), ...(await rates(bench, store))];
}

/** Each by a mirror that was just started and has answered nothing but a look at its health. */
async function firstAnswers({ command, options, signal }: Bench, { root }: PythonStore): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, path] of [
    [`first answer, index of ${PROJECTS} projects`, "/simple/"],
    [`first answer, project of ${MANY.files} files`, `/simple/${MANY.project}/`],
  ] as const) {
    const took: number[] = [];
    for (let round = 0; round < options.rounds; round++) {
      signal.throwIfAborted();
      const mirror = await startMirror("mirror", command, { store: root });
      try {
        await (await fetch(`${mirror.url}/healthz`)).text();
        const begun = performance.now();
        const answer = await fetch(`${mirror.url}${path}`, { headers: ACCEPT });
        const { length } = await answer.text();
        took.push(performance.now() - begun);
        if (!answer.ok || length < 10_000) {
          throw new Error(`${path} answers ${answer.status}, ${length} bytes`);
        }
      } finally {
        await mirror.stop();
      }
    }
    console.error(`  ${what}: ${took.map((ms) => ms.toFixed(1)).join(", ")} ms`);
    rows.push(limit(what, "ms", took, { most: 20 }));
  }
  return rows;
}

async function rates(bench: Bench, store: PythonStore): Promise<Row[]> {
  const { command, folder, options, signal } = bench;
  const mirrored = join(folder, "pages-mirrored");
  await mkdir(mirrored);
  const mirror = await startMirror("mirror", command, { store: store.root });
  const rows: Row[] = [];
  let nginx: Server | undefined;
  try {
    const questions = [
      { what: `page of ${USUAL.files} files`, path: `/simple/${USUAL.project}/`, file: "page" },
      { what: "metadata", path: `/${store.metadata}`, file: "metadata" },
    ];
    for (const { path, file } of questions) {
      const answer = await fetch(`${mirror.url}${path}`, { headers: ACCEPT });
      if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
      await writeFile(join(mirrored, file), Buffer.from(await answer.arrayBuffer()));
    }
    nginx = await startPlainNginx(mirrored);
    for (const { what, path, file } of questions) {
      for (const conditional of [false, true]) {
        const ours: number[] = [];
        const others: number[] = [];
        const asked = [
          { server: mirror, path, into: ours },
          { server: nginx, path: `/${file}`, into: others },
        ];
        // A program that was just started is still being compiled while it runs.
        for (const { server, path: at } of asked) await rate(server, at, conditional, 1, signal);
        for (let round = 0; round < options.rounds; round++) {
          for (const { server, path: at, into } of round % 2 === 0 ? asked : asked.toReversed()) {
            into.push(await rate(server, at, conditional, options.seconds, signal));
          }
        }
        const name = `${what}${conditional ? ", 304" : ""}`;
        console.error(
          `  ${name}: ${ours.map(Math.round).join(", ")}/s, nginx ${others.map(Math.round).join(", ")}/s`,
        );
        rows.push(compare(name, "req/s", ours, { name: "nginx", values: others }, { least: 0.4 }));
      }
    }
    return rows;
  } finally {
    await nginx?.stop();
    await mirror.stop();
  }
}

/** Answers a second. */
async function rate(
  server: Server,
  path: string,
  conditional: boolean,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const etag = (await fetch(`${server.url}${path}`, { headers: ACCEPT })).headers.get("etag") ?? "";
  const headers = { ...ACCEPT, ...(conditional ? { "If-None-Match": etag } : {}) };
  const load = { origin: server.url, paths: [path], connections: CONNECTIONS, seconds, headers };
  const { requests, wall, errors } = await runLoad(load, { signal });
  if (errors > 0) throw new Error(`${server.name}: ${errors} errors`);
  return requests / wall;
}

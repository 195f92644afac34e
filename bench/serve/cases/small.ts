import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { runLoad } from "../clients.ts";
import { compare, type Row } from "../row.ts";
import type { Server } from "../servers.ts";
import { RELEASE_PATH } from "../store.ts";

const CONNECTIONS = 32;

interface Question {
  what: string;
  /** On the mirror; nginx is asked for `file`, which has the same bytes. */
  path: string;
  file: string;
  /** Ask with the answer's own tag, for a 304. */
  conditional: boolean;
}

/** Small answers that were rendered before, beside nginx with the same bytes as a file. */
export async function small(bench: Bench): Promise<Row[]> {
  const { nginx, sendfile, two, store } = bench;
  const rows: Row[] = [];
  for (const [what, path] of [
    ["release JSON", RELEASE_PATH],
    ["page", ""],
  ] as const) {
    const answer = await fetch(`${sendfile.url}/${path}`);
    if (!answer.ok) throw new Error(`/${path} answers ${answer.status}`);
    const file = `small-${what.replace(/\W/g, "-")}`;
    await writeFile(join(store.mirrored, file), Buffer.from(await answer.arrayBuffer()));
    for (const conditional of [false, true]) {
      const question = { what, path, file, conditional };
      const rates = await measure(bench, [nginx, sendfile, two], question);
      const values = (server: Server): number[] => rates.get(server) ?? [];
      const name = `${what}${conditional ? ", 304" : ""}`;
      const plain = { name: "nginx", values: values(nginx) };
      rows.push(compare(name, "req/s", values(sendfile), plain, { least: 0.4 }));
      rows.push(compare(`${name}, two processes`, "req/s", values(two), plain));
    }
  }
  return rows;
}

async function measure(
  bench: Bench,
  servers: readonly Server[],
  question: Question,
): Promise<Map<Server, number[]>> {
  const { options } = bench;
  // A program that was just started is still being compiled while it runs.
  for (const server of servers) await rate(bench, server, question, 1);
  return bench.rounds(servers, async (server) => {
    const found = await rate(bench, server, question, options.seconds);
    const what = `${question.what}${question.conditional ? " 304" : ""}`;
    console.error(`  ${what} ${server.name}: ${Math.round(found)}/s`);
    return found;
  });
}

/** Answers a second. */
async function rate(
  { signal, nginx }: Bench,
  server: Server,
  { path, file, conditional }: Question,
  seconds: number,
): Promise<number> {
  const asked = `/${server === nginx ? file : path}`;
  const etag = (await fetch(`${server.url}${asked}`)).headers.get("etag") ?? "";
  const headers: Record<string, string> = conditional ? { "If-None-Match": etag } : {};
  const load = { origin: server.url, paths: [asked], connections: CONNECTIONS, seconds, headers };
  const { requests, wall, errors } = await runLoad(load, { signal });
  if (errors > 0) throw new Error(`${server.name}: ${errors} errors`);
  return requests / wall;
}

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isBuildFresh } from "../../scripts/source-stamp.mjs";
import { type Nginx, startNginx } from "../support/nginx.ts";
import { startNginxFront } from "../support/nginx-front.ts";

export interface Server {
  name: string;
  /** Where clients ask, without a trailing slash. */
  url: string;
  /** What does the work: processor time and memory are those of these processes and their children. */
  pids: readonly number[];
  stop(): Promise<void>;
}

export interface MirrorOptions {
  store: string;
  env?: Readonly<Record<string, string>>;
}

const packageRoot = new URL("../../", import.meta.url);

/** How the mirror's program is started: what is compiled, or its sources. Compiles it where it is not. */
export async function mirrorCommand(sources: boolean): Promise<string[]> {
  const at = (path: string): string => fileURLToPath(new URL(path, packageRoot));
  if (sources) return ["--import", import.meta.resolve("tsx"), at("server/main.ts")];
  if (!isBuildFresh(packageRoot)) {
    const code = await ended(spawn(process.execPath, [at("scripts/build.mjs")], { stdio: "inherit" }));
    if (code !== 0) throw new Error("the sources cannot be compiled");
  }
  return [at("dist/server/main.js")];
}

/** The mirror over a store, without an access log: nginx writes none either. Resolves when it accepts connections. */
export async function startMirror(
  name: string,
  command: readonly string[],
  { store, env }: MirrorOptions,
): Promise<Server> {
  const child = spawn(process.execPath, command, {
    env: {
      PATH: process.env["PATH"],
      FERRY_STORE: store,
      FERRY_LISTEN: "127.0.0.1:0",
      FERRY_ACCESS_LOG: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const wrote: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => wrote.push(chunk.toString()));
  const end = ended(child);
  const url = await Promise.race([
    new Promise<string>((resolve) => {
      createInterface(child.stdout).on("line", (line) => {
        const found = /^listening on (\S+)$/.exec(line)?.[1];
        if (found !== undefined) resolve(found.replace(/\/$/, ""));
      });
    }),
    end.then(() => {
      throw new Error(`the mirror did not start: ${wrote.join("")}`);
    }),
  ]);
  return {
    name,
    url,
    pids: [child.pid ?? 0],
    stop: async () => {
      child.kill("SIGTERM");
      await end;
    },
  };
}

/** nginx alone, over the same files. */
export async function startPlainNginx(root: string): Promise<Server> {
  return serverOf("nginx", await startNginx({ root }));
}

/** nginx in front of a mirror, as deploy/nginx.conf has it; stopping it stops both. */
export async function startFront(mirror: Server, store: string): Promise<Server> {
  const front = serverOf("accel", await startNginxFront(Number(new URL(mirror.url).port), `${store}/blobs`));
  return {
    ...front,
    pids: [...front.pids, ...mirror.pids],
    stop: async () => {
      await front.stop();
      await mirror.stop();
    },
  };
}

function serverOf(name: string, { url, pid, stop }: Nginx): Server {
  return { name, url, pids: [pid], stop };
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

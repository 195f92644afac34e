import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface Nginx {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  url: string;
  /** Of the master process, whose child does the work. */
  pid: number;
  stop: () => Promise<void>;
}

export interface NginxOptions {
  /** Folder that is served. */
  root: string;
  /** nginx's `limit_rate` for each connection: `20m` are 20 MiB/s. */
  limitRate?: string;
  /** Further directives of the server: `location … { … }`. */
  directives?: string;
}

/** An nginx of one worker over a folder, on a free loopback port. */
export function startNginx(options: NginxOptions): Promise<Nginx> {
  return runNginx((home, port) => configuration(home, port, options));
}

/**
 * Runs nginx in the foreground of a child process of ours, with the configuration for a home folder of its own (with an
 * empty `tmp` in it) and a free port. Throws when nginx is not installed or does not come up within ten seconds, with
 * what it wrote.
 */
export async function runNginx(configure: (home: string, port: number) => string): Promise<Nginx> {
  const home = await mkdtemp(join(tmpdir(), "ferry-nginx-"));
  const port = await freePort();
  await mkdir(join(home, "tmp"));
  await writeFile(join(home, "nginx.conf"), configure(home, port));
  const child = spawn("nginx", ["-p", home, "-c", join(home, "nginx.conf"), "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const wrote: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => wrote.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => {
      resolve();
    });
  });
  child.once("error", (error) => wrote.push(error.message));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill("SIGQUIT");
    await ended;
    await rm(home, { recursive: true, force: true });
  };
  if (!(await comesUp(port, child))) {
    child.kill("SIGKILL");
    throw new Error(`nginx did not come up: ${wrote.join("")}`);
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
}

function configuration(
  home: string,
  port: number,
  { root, limitRate, directives = "" }: NginxOptions,
): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${home}/tmp/${kind};`)
    .join("\n");
  return `${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${home}/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
${temporary}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    ${limitRate === undefined ? "" : `limit_rate ${limitRate};`}
    ${directives}
  }
}
`;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      resolve();
    });
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

async function comesUp(port: number, child: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => {
        resolve(false);
      });
    });
    if (open) return true;
    await delay(50);
  }
  return false;
}

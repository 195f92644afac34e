import { execFile } from "node:child_process";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tmpDir } from "./tmp.ts";

/** How a program ended, with what it wrote. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/**
 * Runs a client of package indexes in a home of its own: no configuration, cache or variable of this machine reaches it.
 * `env` adds to that.
 */
export async function runClient(
  program: string,
  parameters: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const home = await tmpDir();
  const clean = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LANG: "C.UTF-8",
    UV_CACHE_DIR: join(home, "uv-cache"),
    UV_NO_CONFIG: "1",
    UV_PYTHON_DOWNLOADS: "manual",
    UV_NO_PROGRESS: "1",
    PIP_CONFIG_FILE: "/dev/null",
    PIP_NO_CACHE_DIR: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    ...env,
  };
  return new Promise((resolve) => {
    const options = { cwd, env: clean, maxBuffer: 16 * 1024 * 1024 };
    execFile(program, [...parameters], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, out, err: error !== null && code === -1 ? `${err}${error.message}` : err });
    });
  });
}

/** Throws with what the program wrote where it failed. */
export async function mustRun(...parameters: Parameters<typeof runClient>): Promise<Ended> {
  const ended = await runClient(...parameters);
  if (ended.code === 0) return ended;
  throw new Error(
    `${parameters[0]} ${parameters[1].join(" ")} ended with ${ended.code}:\n${ended.out}${ended.err}`,
  );
}

/**
 * What stands between a client and the mirror: strips `/PREFIX` off and passes the rest on, saying nothing of it unless it `tells`, with
 * `accept` in place of the client's where given. Addresses under `/old/` are redirected to the mirror's own.
 */
export async function prefixProxy(
  mirror: string,
  { prefix, accept, tells = false }: { prefix: string; accept?: string; tells?: boolean },
): Promise<string> {
  const to = new URL(mirror);
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    if (url.startsWith("/old/")) {
      response
        .writeHead(302, { location: `${mirror}${url.slice("/old".length)}`, "content-length": 0 })
        .end();
      return;
    }
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end(`outside of ${prefix}: ${url}`);
      return;
    }
    const headers = {
      ...request.headers,
      ...(accept === undefined ? {} : { accept }),
      ...(tells ? { "x-forwarded-prefix": prefix } : {}),
    };
    const passed = ask(
      {
        host: to.hostname,
        port: to.port,
        method: request.method,
        path: url.slice(prefix.length),
        headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

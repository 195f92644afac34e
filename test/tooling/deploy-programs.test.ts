import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAuth } from "../../server/auth.ts";
import { selfSigned } from "../support/certificate.ts";
import { testMirror } from "../support/mirror-server.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";
import { packageRoot } from "./run-script.ts";

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

function start(program: string, args: readonly string[], env: Record<string, string>): Running {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

describe("deploy/healthcheck.mjs", () => {
  const ask = (env: Record<string, string>): Promise<Ended> =>
    start(process.execPath, [join(packageRoot, "deploy/healthcheck.mjs")], env).ended;

  it("says yes of a mirror that answers, empty and closed to strangers though it be", async () => {
    const store = await servedStore(await tmpDir());
    const auth = parseAuth("bearer secret\n", "auth");
    const { url } = await testMirror(store.root, { auth: () => auth });
    const { port } = new URL(url);
    for (const listen of [`:${port}`, `0.0.0.0:${port}`, `127.0.0.1:${port}`, port]) {
      expect(await ask({ FERRY_LISTEN: listen })).toEqual({ code: 0, stdout: "healthz: 200\n", stderr: "" });
    }
  });

  it("speaks TLS where the mirror does, whatever name its certificate has", async () => {
    const folder = await tmpDir();
    const tls = await selfSigned(folder, "mirror", ["mirror.example"]);
    const { url } = await testMirror((await servedStore(join(folder, "store"))).root, { tls });
    const said = await ask({ FERRY_LISTEN: `:${new URL(url).port}`, FERRY_TLS_CERT: tls.cert });
    expect(said).toEqual({ code: 0, stdout: "healthz: 200\n", stderr: "" });
  });

  it("says no, and why, where nobody listens", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const said = await ask({ FERRY_LISTEN: `:${port}` });
    expect(said.code).toBe(1);
    expect(said.stdout).toContain("ECONNREFUSED");
  });
});

describe("deploy/nginx-entry.sh", () => {
  interface Entry extends Running {
    /** What the two programs wrote down so far. */
    log: () => Promise<string[]>;
    /** Resolves with the process id of a program when it is up. */
    up: (who: "mirror" | "nginx") => Promise<number>;
  }

  /** The entry with programs in place of node and nginx that write down what becomes of them. */
  async function entry(env: Record<string, string> = {}): Promise<Entry> {
    const folder = await tmpDir();
    const file = join(folder, "log");
    await writeFile(file, "");
    for (const [name, who] of [
      ["node", "mirror"],
      ["nginx", "nginx"],
    ] as const) {
      // Not in bash: a shell's background jobs ignore SIGQUIT, and a shell cannot change what it was started with.
      const text = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const say = (text) => appendFileSync(${JSON.stringify(file)}, "${who} " + text + "\\n");
for (const signal of ["SIGTERM", "SIGQUIT"]) process.on(signal, () => { say("got " + signal); process.exit(0); });
const { FERRY_LISTEN, FERRY_ACCEL, FERRY_DRAIN_DELAY } = process.env;
say("has " + [FERRY_LISTEN, FERRY_ACCEL, FERRY_DRAIN_DELAY].join(" "));
say(process.pid + " is up");
setInterval(() => undefined, 1000);
`;
      await writeFile(join(folder, name), text);
      await chmod(join(folder, name), 0o755);
    }
    const path = `${folder}:${process.env["PATH"] ?? ""}`;
    const running = start(join(packageRoot, "deploy/nginx-entry.sh"), [], { PATH: path, ...env });
    const log = async (): Promise<string[]> =>
      (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    const up: Entry["up"] = async (who) => {
      for (;;) {
        const [, pid] = new RegExp(`^${who} (\\d+) is up$`, "m").exec((await log()).join("\n")) ?? [];
        if (pid !== undefined) return Number(pid);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    return { ...running, log, up };
  }

  it("starts the mirror behind nginx, and stops both when told, nginx after its downloads", async () => {
    const { child, ended, log, up } = await entry({ FERRY_DRAIN_DELAY: "0", FERRY_LISTEN: ":8080" });
    await Promise.all([up("mirror"), up("nginx")]);
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
    const said = await log();
    expect(said).toContain("mirror has 127.0.0.1:8081 nginx 1");
    expect(said.filter((line) => line.includes("got")).toSorted()).toEqual([
      "mirror got SIGTERM",
      "nginx got SIGQUIT",
    ]);
  });

  it.each([
    ["mirror", "nginx"],
    ["nginx", "mirror"],
  ] as const)("stops and fails when the %s ends by itself", async (first, other) => {
    const { ended, log, up } = await entry();
    const [pid] = await Promise.all([up(first), up(other)]);
    process.kill(pid, "SIGKILL");
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain("ended by itself (exit code 137), so both stop");
    expect((await log()).at(-1)).toBe(`${other} got SIGTERM`);
  });

  it("ends both at once when told a second time", async () => {
    const { child, ended, log, up } = await entry({ FERRY_DRAIN_DELAY: "3600" });
    await Promise.all([up("mirror"), up("nginx")]);
    child.kill("SIGTERM");
    while (!(await log()).includes("mirror got SIGTERM")) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    expect(await log()).toContain("nginx got SIGTERM");
  });

  it.each([
    [{ FERRY_TLS_CERT: "/tls/cert.pem" }, "here nginx speaks TLS"],
    [{ FERRY_DRAIN_DELAY: "5s" }, "FERRY_DRAIN_DELAY must be whole seconds, not 5s"],
  ])("refuses %j in words", async (env, words) => {
    const { ended, log } = await entry(env);
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(await log()).toEqual([]);
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type ServeFlags, serveOptions } from "../../server/options.ts";
import { serve } from "../../server/serve.ts";
import type { Logger } from "../../src/log.ts";
import { selfSigned } from "../support/certificate.ts";
import { rawRequest } from "../support/mirror-server.ts";
import { type ServedStore, servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

let store: ServedStore;
let folder: string;
let said: string[];
beforeEach(async () => {
  folder = await tmpDir();
  said = [];
  store = await servedStore(join(folder, "store"));
  await store.add({ name: "a", files: { "a/small": "small" } });
});

/** `serve` in this process; resolves with its first line. Stopped by `stop`, and at the end of the test. */
async function start(
  flags: ServeFlags = {},
): Promise<{ line: string; url: string; stop: () => Promise<void> }> {
  const abort = new AbortController();
  const logger: Logger = {
    debug: () => undefined,
    info: (message) => said.push(message),
    warn: (message) => said.push(`warning: ${message}`),
    progress: () => undefined,
  };
  const options = serveOptions(
    { store: store.root, listen: "127.0.0.1:0", accessLog: "off", ...flags },
    {},
    folder,
  );
  let write: (line: string) => void = () => undefined;
  const written = new Promise<string>((resolve) => {
    write = resolve;
  });
  const served = serve(options, {
    signal: abort.signal,
    logger,
    write: (line) => {
      write(line);
      return Promise.resolve();
    },
  });
  const stop = async (): Promise<void> => {
    abort.abort();
    await served;
  };
  const line = await Promise.race([written, served.then(() => "ended")]);
  onTestFinished(stop);
  return { line, url: line.replace("listening on ", "").trim(), stop };
}

describe("serve", () => {
  it("prints one line when it accepts connections, serves, and ends when it is told to", async () => {
    const { line, url, stop } = await start();
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect((await rawRequest(url, "GET", "/a/small")).text).toBe("small");
    expect((await rawRequest(url, "GET", "/metrics")).text).toContain("ferry_store_bytes 5\n");
    await stop();
    await expect(rawRequest(url, "GET", "/a/small")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("sees an import by itself", async () => {
    const { url } = await start();
    await store.add({ name: "b", files: { "b/new": "new" } });
    while ((await rawRequest(url, "GET", "/b/new")).status !== 200);
    expect(said.at(-1)).toMatch(/^catalog: 2 bundles/);
  });

  it("takes a changed file of credentials without a restart, and keeps the old one while the new is broken", async () => {
    const auth = join(folder, "auth");
    await writeFile(auth, "bearer one\n");
    const { url } = await start({ auth });
    const status = async (token: string): Promise<number> =>
      (await rawRequest(url, "GET", "/a/small", { authorization: `Bearer ${token}` })).status;
    expect([await status("one"), await status("two")]).toEqual([200, 401]);
    await writeFile(auth, "nonsense\n");
    const isKept = (): boolean => said.some((line) => line.startsWith("warning: the old credentials stay"));
    while (!isKept()) expect(await status("one")).toBe(200);
    await writeFile(auth, "bearer two\n");
    while ((await status("two")) !== 200);
    expect(await status("one")).toBe(401);
  });

  it("serves TLS from files", async () => {
    const { cert, key } = await selfSigned(folder, "mirror");
    const { line } = await start({ tlsCert: cert, tlsKey: key });
    expect(line).toMatch(/^listening on https:/);
  });

  it("says in words why it does not start", async () => {
    const taken = new URL((await start()).url).host;
    const refused = (flags: ServeFlags): Promise<string> =>
      start(flags).then(
        () => "started",
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    expect(await refused({ listen: taken })).toBe(`cannot listen on ${taken}: another program listens there`);
    expect(await refused({ listen: "192.0.2.1:0" })).toMatch(
      /^cannot listen on 192\.0\.2\.1:0: this machine has no such/,
    );
    expect(await refused({ auth: join(folder, "absent") })).toMatch(/^cannot read .*absent/);
    expect(await refused({ trustProxy: "all" })).toMatch(/^--trust-proxy/);
    expect(await refused({ accessLog: join(folder, "none/access.log") })).toMatch(
      /^cannot write the access log/,
    );
    await writeFile(join(store.root, "index.json"), "{");
    expect(await refused({})).toMatch(/is no OCI index$/);
  });
});

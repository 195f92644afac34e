import { type ExecFileException, execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createHttpServer } from "../../server/http-server.ts";
import { silentLogger } from "../../src/log.ts";
import { selfSigned } from "../support/certificate.ts";
import { rawRequest, testMirror } from "../support/mirror-server.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const LLAMA = "ggml-org/llama.cpp";

let folder: string;
let root: string;
beforeEach(async () => {
  folder = await tmpDir();
  const store = await servedStore(join(folder, "store"));
  root = store.root;
  const assets = { "llama-b11347-bin-ubuntu-x64.tar.gz": "the archive", "other.txt": "other" };
  await store.add({ name: "a", releases: [{ repo: LLAMA, tag: "b11347", assets }] });
});

const path = `/${LLAMA}/releases/download/b11347/other.txt`;

/** Common name of the certificate that a server shows. */
async function shown(origin: string): Promise<string> {
  const socket = connectTls({
    port: Number(new URL(origin).port),
    host: "127.0.0.1",
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

describe("TLS", () => {
  it("serves with https addresses, and takes a new certificate without a restart", async () => {
    const tls = await selfSigned(folder, "first");
    const mirror = await testMirror(root, { tls });
    const ca = await readFile(tls.cert, "utf8");
    expect(mirror.url).toMatch(/^https:/);
    expect((await rawRequest(mirror.url, "GET", path, {}, ca)).text).toBe("other");
    const release = await rawRequest(mirror.url, "GET", `/repos/${LLAMA}/releases/latest`, {}, ca);
    expect(release.text).toContain(`"${mirror.url}${path}"`);

    const second = await selfSigned(folder, "second");
    await copyFile(second.cert, tls.cert);
    await mirror.server.checkCertificate();
    expect(await shown(mirror.url)).toBe("first");
    expect(mirror.said.at(-1)).toMatch(
      /^warning: the changed certificate or key cannot be used, the old one stays/,
    );
    await copyFile(second.key, tls.key);
    await mirror.server.checkCertificate();
    expect(await shown(mirror.url)).toBe("second");
  });

  it("does not start with a certificate and a key that do not fit, or with no file", async () => {
    const [a, b] = [await selfSigned(folder, "a"), await selfSigned(folder, "b")];
    const start = (tls: { cert: string; key: string }): Promise<unknown> =>
      createHttpServer(() => undefined, { tls, maxConnections: 1, pollMs: 0, logger: silentLogger });
    await expect(start({ cert: a.cert, key: b.key })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(start({ cert: a.cert, key: join(folder, "none") })).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
    });
    await writeFile(join(folder, "junk"), "junk");
    await expect(start({ cert: join(folder, "junk"), key: a.key })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });

  it("M10: gh release download gets the verified bytes, although it races REST and GraphQL", async () => {
    // gh wants https, a certificate it trusts, and a host without a port: a proxy leads mirror.example to the test's port.
    const tls = await selfSigned(folder, "gh", ["mirror.example"]);
    const mirror = await testMirror(root, { tls });
    const proxy = await connectProxy(Number(new URL(mirror.url).port));
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      GH_CONFIG_DIR: join(folder, "gh"),
      GH_ENTERPRISE_TOKEN: "any",
      GH_NO_UPDATE_NOTIFIER: "1",
      SSL_CERT_FILE: tls.cert,
      HTTPS_PROXY: proxy,
    };
    const repo = `mirror.example/${LLAMA}`;
    const args = ["release", "download", "b11347", "--repo", repo, "--pattern", "llama-*", "--dir", folder];
    const outcome = await new Promise<{ code: ExecFileException["code"]; stderr: string }>((resolve) => {
      execFile("gh", args, { env }, (error, _stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stderr });
      });
    });
    expect(outcome).toEqual({ code: 0, stderr: "" });
    expect(await readFile(join(folder, "llama-b11347-bin-ubuntu-x64.tar.gz"), "utf8")).toBe("the archive");
    expect(mirror.log.map(({ path: asked, status }) => `${status} ${asked}`)).toContain(
      `200 /api/v3/repos/${LLAMA}/releases/tags/b11347`,
    );
  });
});

/** A proxy that leads every CONNECT to one port of this machine. */
async function connectProxy(port: number): Promise<string> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => undefined);
    client.once("data", () => {
      const upstream = connect(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      open.add(upstream);
      upstream.on("error", () => undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

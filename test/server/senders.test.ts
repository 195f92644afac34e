import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import type { createServer } from "node:http";
import { createServer as createTlsServer, request as tlsRequest } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { startNginxFront } from "../../bench/support/nginx-front.ts";
import { createAccelSender } from "../../server/senders/accel.ts";
import { createSender } from "../../server/senders/create-sender.ts";
import { createSendfileSender } from "../../server/senders/sendfile.ts";
import { createStreamSender } from "../../server/senders/stream.ts";
import { loadSystemCalls, type SystemCalls } from "../../server/senders/system-calls.ts";
import { blobSenderContract } from "../contract/blob-sender.ts";
import { type BlobServer, startBlobServer } from "../support/blob-server.ts";
import { rawClient, splitAnswers } from "../support/raw-client.ts";
import { tmpDir } from "../support/tmp.ts";

const run = promisify(execFile);

async function systemCalls(): Promise<SystemCalls> {
  const calls = await loadSystemCalls();
  if (typeof calls === "string") throw new Error(calls);
  return calls;
}

async function nginxFront(server: BlobServer): Promise<string> {
  const nginx = await startNginxFront(server.port, server.folder);
  onTestFinished(nginx.stop);
  return nginx.url;
}

blobSenderContract("stream", { create: (idleMs) => Promise.resolve(createStreamSender({ idleMs })) });

blobSenderContract("sendfile", {
  create: async (idleMs) => createSendfileSender(await systemCalls(), { idleMs }),
});

blobSenderContract("sendfile, where it cannot be seen what is in the page cache", {
  create: async (idleMs) =>
    createSendfileSender({ ...(await systemCalls()), resident: () => false }, { idleMs }),
});

blobSenderContract("accel, through nginx", {
  create: (idleMs) => Promise.resolve(createAccelSender(createStreamSender({ idleMs }))),
  front: nginxFront,
});

describe("sendfile", () => {
  it("is not asked for bytes that the disk must be waited for", async () => {
    const calls = await systemCalls();
    const asked: { resident: boolean }[] = [];
    let seenCold = 0;
    const watching: SystemCalls = {
      ...calls,
      resident: (...range) => {
        const resident = calls.resident(...range);
        if (!resident) seenCold += 1;
        return resident;
      },
      sendfile: (socket, file, at, count) => {
        asked.push({ resident: calls.resident(file, at, count) });
        return calls.sendfile(socket, file, at, count);
      },
    };
    const server = await startBlobServer(createSendfileSender(watching, { idleMs: 30_000 }), await tmpDir());
    onTestFinished(server.close);
    const content = randomBytes(24 * 1024 * 1024);
    const { file } = await server.add("file.bin", content);
    const handle = await open(file, "r+");
    onTestFinished(() => handle.close());
    await handle.sync();
    await handle.readFile();
    // What this file system can tell of a file that was just read: not every one can.
    const tells = calls.resident(handle.fd, 0, content.length);
    await run("dd", [`if=${file}`, "iflag=nocache", "count=0"]);
    expect(calls.resident(handle.fd, 0, content.length)).toBe(false);

    const client = await rawClient(server.origin);
    client.get("/file.bin", { Connection: "close" });
    await client.closed;
    const [answer] = splitAnswers(client.received());
    expect(sha256(answer?.body ?? Buffer.alloc(0))).toBe(sha256(content));
    expect(seenCold).toBeGreaterThan(0);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every(({ resident }) => resident === tells)).toBe(true);
  });

  it("goes on with ordinary writes where the system call fails", async () => {
    const calls = await systemCalls();
    for (const failsAfter of [0, 2]) {
      let called = 0;
      const failing: SystemCalls = {
        ...calls,
        sendfile: (...what) => (called++ < failsAfter ? calls.sendfile(...what) : "failed"),
      };
      const server = await startBlobServer(createSendfileSender(failing, { idleMs: 30_000 }), await tmpDir());
      onTestFinished(server.close);
      const content = randomBytes(9 * 1024 * 1024);
      await server.add("file.bin", content);
      const client = await rawClient(server.origin);
      client.get("/file.bin", { Connection: "close" });
      await client.closed;
      expect(sha256(splitAnswers(client.received())[0]?.body ?? Buffer.alloc(0))).toBe(sha256(content));
      expect(called).toBe(failsAfter + 1);
    }
  });

  it("lets nothing past the encryption of a TLS connection", async () => {
    const home = await tmpDir();
    const [key, cert] = [join(home, "key.pem"), join(home, "cert.pem")];
    await run("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...["-subj", "/CN=localhost", "-keyout", key, "-out", cert],
    ]);
    const pair = { key: await readFile(key), cert: await readFile(cert) };
    const calls = await systemCalls();
    let called = 0;
    const counting: SystemCalls = {
      ...calls,
      sendfile: (...what) => {
        called += 1;
        return calls.sendfile(...what);
      },
    };
    const makeServer = ((listener: Parameters<typeof createTlsServer>[1]) =>
      createTlsServer(pair, listener)) as unknown as typeof createServer;
    const sender = createSendfileSender(counting, { idleMs: 30_000 });
    const server = await startBlobServer(sender, home, makeServer);
    onTestFinished(server.close);
    const content = randomBytes(5 * 1024 * 1024);
    await server.add("file.bin", content);
    const hash = createHash("sha256");
    await new Promise<void>((resolve, reject) => {
      const url = { host: "127.0.0.1", port: server.port, path: "/file.bin", agent: false, ca: pair.cert };
      tlsRequest({ ...url, servername: "localhost" }, (answer) => {
        answer.on("data", (chunk: Buffer) => hash.update(chunk)).on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
    expect(hash.digest("hex")).toBe(sha256(content));
    expect(called).toBe(0);
  });
});

describe("accel", () => {
  it("leaves the bytes to nginx, and sends them itself to who came past it", async () => {
    const kinds: string[] = [];
    const embedded = createStreamSender({ idleMs: 30_000 });
    const sender = createAccelSender({
      kind: "stream",
      send: (...what) => {
        kinds.push("embedded");
        return embedded.send(...what);
      },
    });
    const server = await startBlobServer(sender, await tmpDir());
    onTestFinished(server.close);
    const content = randomBytes(100_000);
    const { digest } = await server.add("file.bin", content);
    const front = await nginxFront(server);

    expect(Buffer.from(await (await fetch(`${front}/file.bin`)).arrayBuffer()).equals(content)).toBe(true);
    const part = await fetch(`${front}/file.bin`, { headers: { Range: "bytes=-10" } });
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(-10))).toBe(true);
    expect(kinds).toEqual([]);
    expect(server.outcomes).toEqual([
      { status: 200, bytes: 100_000 },
      { status: 206, bytes: 10 },
    ]);

    const direct = await fetch(`${server.origin}/file.bin`);
    expect(Buffer.from(await direct.arrayBuffer()).equals(content)).toBe(true);
    expect(kinds).toEqual(["embedded"]);

    // The store cannot be asked for by digest: only an answer of the mirror leads there.
    const outside = await fetch(`${front}/_blobs/sha256/${digest.slice("sha256:".length)}`);
    expect(outside.status).toBe(404);
  });
});

describe("createSender", () => {
  it("says which way it took and why", async () => {
    const idleMs = 60_000;
    const kinds = async (options: Parameters<typeof createSender>[0]): Promise<string[]> => {
      const { sender, why } = await createSender(options);
      return [sender.kind, why];
    };
    expect(await kinds({ sendfile: true, idleMs })).toEqual(["sendfile", "bodies: Linux sendfile"]);
    expect(await kinds({ sendfile: false, idleMs })).toEqual([
      "stream",
      "bodies: read and written (sendfile is switched off)",
    ]);
    expect(await kinds({ sendfile: true, tls: true, idleMs })).toEqual([
      "stream",
      "bodies: read and written (TLS encrypts them here)",
    ]);
    expect(await kinds({ sendfile: true, accel: "nginx", idleMs })).toEqual([
      "accel",
      "bodies: nginx moves them (X-Accel-Redirect); without it in front, bodies: Linux sendfile",
    ]);
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

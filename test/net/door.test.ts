import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readText } from "../../src/net/body.ts";
import { tmpDir } from "../support/tmp.ts";
import { ended, startProgram } from "./support/child.ts";
import { openDoor } from "./support/door.ts";
import { startProxy } from "./support/proxy.ts";
import { reply, serve } from "./support/server.ts";
import { TEST_CERTIFICATE } from "./support/tls-pair.ts";
import { serveTls } from "./support/tls-server.ts";

describe("a request", () => {
  it("asks for identity encoding, names the program, and returns what came", async () => {
    const server = await serve((_, response) => {
      reply(response, 200, { "content-type": "text/plain", "x-two": "a" }, "hello");
    });
    const door = openDoor([server.origin]);
    const response = await door.request(`${server.origin}/a%2Bb?page=2`, {
      headers: { Accept: "text/plain" },
    });
    expect(response).toMatchObject({ status: 200, url: `${server.origin}/a%2Bb?page=2` });
    expect(response.headers).toMatchObject({ "content-type": "text/plain", "x-two": "a" });
    expect(await readText(response, 100)).toBe("hello");
    expect(server.seen[0]).toMatchObject({
      method: "GET",
      url: "/a%2Bb?page=2",
      headers: { "accept-encoding": "identity", "user-agent": "engine-ferry/test", accept: "text/plain" },
    });
  });

  it("returns a status of 400 and above, and knows HEAD", async () => {
    const server = await serve((request, response) => {
      reply(response, request.method === "HEAD" ? 200 : 404, { "set-cookie": "x" });
    });
    const door = openDoor([server.origin]);
    expect((await door.request(server.origin)).status).toBe(404);
    expect((await door.request(server.origin, { method: "HEAD" })).status).toBe(200);
  });

  it("bounds what it reads as text", async () => {
    const server = await serve((_, response) => {
      reply(response, 200, {}, "x".repeat(1000));
    });
    const response = await openDoor([server.origin]).request(server.origin);
    await expect(readText(response, 999)).rejects.toMatchObject({ code: "UPSTREAM_MALFORMED" });
  });
});

describe("the off switch", () => {
  it("opens no connection at all", async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) =>
      listener.listen(0, "127.0.0.1", () => {
        resolve();
      }),
    );
    onTestFinished(() => void listener.close());
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const door = openDoor([origin], { offline: true });
    await expect(door.request(`${origin}/x?sig=secret`)).rejects.toMatchObject({
      code: "NET_OFFLINE",
      message: `${origin}/x?… is needed, but the network is switched off`,
    });
    expect(connections).toBe(0);
  });
});

describe("redirects", () => {
  it("follows them by hand, and shows the target without its signature", async () => {
    const blobs = await serve((_, response) => {
      reply(response, 200, {}, "bytes");
    });
    const server = await serve((_, response) => {
      reply(response, 302, { location: `${blobs.origin}/blob?sig=secret` }, "<a>moved</a>");
    });
    const response = await openDoor([server.origin]).request(`${server.origin}/file`);
    expect(await readText(response, 100)).toBe("bytes");
    expect(response.url).toBe(`${blobs.origin}/blob`);
    expect(blobs.seen[0]?.url).toBe("/blob?sig=secret");
  });

  it.each([301, 302, 303, 307, 308])("follows status %i, relative targets too", async (status) => {
    const server = await serve((request, response) => {
      if (request.url === "/a/b") reply(response, status, { location: "../c" });
      else reply(response, 200, {}, "there");
    });
    const response = await openDoor([server.origin]).request(`${server.origin}/a/b`);
    expect(response.url).toBe(`${server.origin}/c`);
  });

  it("follows five and no more", async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) reply(response, 200, {});
      else reply(response, 302, { location: `/${left - 1}` });
    });
    const door = openDoor([server.origin]);
    expect((await door.request(`${server.origin}/5`)).status).toBe(200);
    await expect(door.request(`${server.origin}/6`)).rejects.toMatchObject({ code: "NET_REDIRECT" });
  });

  it("refuses a redirect without a target, and plain http that was not configured", async () => {
    const server = await serve((request, response) => {
      reply(response, 302, request.url === "/bare" ? {} : { location: "http://elsewhere.invalid/x?sig=s" });
    });
    const door = openDoor([server.origin]);
    await expect(door.request(`${server.origin}/bare`)).rejects.toMatchObject({ code: "NET_REDIRECT" });
    await expect(door.request(`${server.origin}/http`)).rejects.toMatchObject({
      code: "NET_INSECURE",
      message: expect.not.stringContaining("sig=s") as string,
    });
    await expect(openDoor([]).request(server.origin)).rejects.toMatchObject({ code: "NET_INSECURE" });
  });
});

describe("the token", () => {
  it("B10: goes to its own origin alone, and not along with a redirect", async () => {
    const blobs = await serve((request, response) => {
      if (request.headers.authorization === undefined) reply(response, 200, {}, "bytes");
      else reply(response, 400, {}, "only one auth mechanism allowed");
    });
    const api = await serve((request, response) => {
      if (request.headers.authorization === "Bearer t0ken") {
        reply(response, 302, { location: `${blobs.origin}/x?sig=1` });
      } else reply(response, 401, {});
    });
    const door = openDoor([api.origin, blobs.origin], {
      credentials: { origin: `${api.origin}/api/v3`, token: "t0ken" },
    });
    expect((await door.request(`${api.origin}/asset`)).status).toBe(200);
    expect((await door.request(`${blobs.origin}/direct`)).status).toBe(200);
    expect(blobs.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it("B10: credentials of other hosts go to each its own, also where a redirect leads from one to another", async () => {
    const files = await serve((_, response) => {
      reply(response, 200, {});
    });
    const index = await serve((_, response) => {
      reply(response, 302, { location: `${files.origin}/x.whl` });
    });
    const door = openDoor([index.origin, files.origin], {
      otherCredentials: ({ origin }) => (origin === index.origin ? "Basic aW5kZXg=" : undefined),
    });
    expect((await door.request(`${index.origin}/x.whl`)).status).toBe(200);
    expect(index.seen[0]?.headers.authorization).toBe("Basic aW5kZXg=");
    expect(files.seen[0]?.headers).not.toHaveProperty("authorization");
  });

  it("B10: a caller's own authorization and cookie stay with the origin that was asked", async () => {
    const other = await serve((_, response) => {
      reply(response, 200, {});
    });
    const server = await serve((request, response) => {
      reply(response, 302, { location: request.url === "/1" ? "/2" : other.origin });
    });
    const headers = { Authorization: "Basic abc", Cookie: "c=1", "X-Kept": "yes" };
    await openDoor([server.origin]).request(`${server.origin}/1`, { headers });
    expect(server.seen.map((seen) => seen.headers.authorization)).toEqual(["Basic abc", "Basic abc"]);
    expect(other.seen[0]?.headers).toMatchObject({ "x-kept": "yes" });
    expect(other.seen[0]?.headers).not.toHaveProperty("authorization");
    expect(other.seen[0]?.headers).not.toHaveProperty("cookie");
  });
});

describe("failures", () => {
  it("names a refused connection", async () => {
    const server = await serve(() => undefined);
    await server.close();
    await expect(openDoor([server.origin]).request(`${server.origin}/f?jwt=x`)).rejects.toMatchObject({
      code: "NET_UNREACHABLE",
      details: { url: `${server.origin}/f?…`, reason: "refused" },
    });
  });

  it("names a reset, and a server that stays silent before and within its answer", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/reset") request.socket.destroy();
      if (request.url === "/half") response.writeHead(200, { "content-length": "10" }).write("half");
    });
    const door = openDoor([server.origin], { timeouts: { connect: 5000, idle: 200 } });
    await expect(door.request(`${server.origin}/reset`)).rejects.toMatchObject({
      details: { reason: "reset" },
    });
    await expect(door.request(`${server.origin}/silent`)).rejects.toMatchObject({
      code: "NET_TIMEOUT",
      details: { reason: "idle" },
    });
    const half = await door.request(`${server.origin}/half`);
    await expect(readText(half, 100)).rejects.toMatchObject({
      code: "NET_TIMEOUT",
      details: { reason: "idle" },
    });
  });

  it("does not limit how long an answer may take while something comes", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, {});
      let left = 8;
      const timer = setInterval(() => {
        response.write("x");
        if (--left === 0) {
          clearInterval(timer);
          response.end();
        }
      }, 250);
    });
    const response = await openDoor([server.origin], { timeouts: { connect: 5000, idle: 1500 } }).request(
      server.origin,
    );
    expect(await readText(response, 100)).toBe("xxxxxxxx");
  });

  it("ends with INTERRUPTED when the signal aborts", async () => {
    const stop = new AbortController();
    const server = await serve(() => {
      stop.abort();
    });
    await expect(
      openDoor([server.origin]).request(server.origin, { signal: stop.signal }),
    ).rejects.toMatchObject({
      code: "INTERRUPTED",
    });
  });

  it("names the CA setting where a certificate is not trusted", async () => {
    const origin = await serveTls((_, response) => {
      response.end("secret");
    });
    await expect(openDoor([]).request(`${origin}/x`)).rejects.toMatchObject({
      code: "NET_UNREACHABLE",
      details: { reason: "tls", code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS") as string,
    });
  });
});

describe("https with a CA of one's own", () => {
  it("is spoken directly and through a proxy's tunnel, and never led back to http", async () => {
    const origin = await serveTls((request, response) => {
      if (request.url === "/down") response.writeHead(302, { location: "http://127.0.0.1:1/x" }).end();
      else response.end("over tls");
    });
    const proxy = await startProxy();
    const ca = join(await tmpDir(), "ca.pem");
    await writeFile(ca, TEST_CERTIFICATE);
    const ask = async (...args: string[]): Promise<unknown> => {
      const { stdout, stderr } = await ended(startProgram("ask", args, { NODE_EXTRA_CA_CERTS: ca }));
      expect(stderr).toBe("");
      return JSON.parse(stdout);
    };
    expect(await ask(origin)).toEqual({ status: 200, body: "over tls" });
    expect(await ask(origin, proxy.url)).toEqual({ status: 200, body: "over tls" });
    expect(proxy.seen).toEqual([`CONNECT ${origin.slice("https://".length)}`]);
    expect(await ask(`${origin}/down`)).toEqual({ code: "NET_INSECURE" });
  });
});

describe("proxies", () => {
  it("takes plain http there as an ordinary request, with the proxy's own credentials", async () => {
    const proxy = await startProxy();
    const server = await serve((_, response) => {
      reply(response, 200, {}, "direct");
    });
    const address = proxy.url.replace("http://", "http://user:p%40ss@");
    const door = openDoor([server.origin], { proxy: { http: address } });
    expect(await readText(await door.request(`${server.origin}/x`), 100)).toBe("from the proxy");
    expect(proxy.seen).toEqual([`GET ${server.origin}/x`]);
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from("user:p@ss").toString("base64")}`]);
    expect(server.seen).toEqual([]);
  });

  it("goes around it for NO_PROXY, and reads nothing from the environment", async () => {
    const server = await serve((_, response) => {
      reply(response, 200, {}, "direct");
    });
    process.env["http_proxy"] = "http://127.0.0.1:1";
    onTestFinished(() => {
      delete process.env["http_proxy"];
    });
    for (const proxy of [{}, { https: "127.0.0.1:1" }, { http: "http://127.0.0.1:1", no: "127.0.0.1" }]) {
      const door = openDoor([server.origin], { proxy });
      expect(await readText(await door.request(server.origin), 100)).toBe("direct");
    }
  });

  it("names the proxy when it refuses a tunnel, and an address that cannot be read", async () => {
    const proxy = await startProxy(407);
    const door = openDoor([], { proxy: { https: proxy.url.replace("http://", "") } });
    await expect(door.request("https://example.invalid/x")).rejects.toMatchObject({
      code: "NET_UNREACHABLE",
      details: { reason: "proxy" },
      hint: expect.stringContaining("HTTPS_PROXY") as string,
    });
    expect(() => openDoor([], { proxy: { https: "http://[broken" } })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }) as Error,
    );
  });
});

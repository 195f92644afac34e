import { beforeEach, describe, expect, it } from "vitest";
import { type Auth, parseAuth } from "../../server/auth.ts";
import { testMirror } from "../support/mirror-server.ts";
import { rawClient, splitAnswers } from "../support/raw-client.ts";
import { type ServedStore, servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const RELEASE = "/repos/o/r/releases/tags/v1";

let store: ServedStore;
beforeEach(async () => {
  store = await servedStore(await tmpDir());
  await store.add({ name: "site-a", releases: [{ repo: "o/r", tag: "v1", assets: { "a.tar.gz": "a" } }] });
});

/** The address that the answer names its assets with. */
function baseIn(text: string): string | undefined {
  return /"browser_download_url": "(.*?)\/o\/r\//.exec(text)?.[1];
}

describe("answers that are kept", () => {
  it("are of the host that was asked, whatever the one before asked", async () => {
    const mirror = await testMirror(store.root);
    for (let round = 0; round < 2; round++) {
      for (const [host, base] of [
        ["a.example", "http://a.example"],
        ["b.example:81", "http://b.example:81"],
        ["A.EXAMPLE", "http://a.example"],
      ] as const) {
        expect(baseIn((await mirror.get(RELEASE, { Host: host })).text), host).toBe(base);
      }
      expect((await mirror.get(RELEASE, { Host: "a.example/evil" })).status).toBe(400);
    }
  });

  it("are of the address that a trusted proxy names, and of no other's", async () => {
    const trusting = await testMirror(store.root);
    const wary = await testMirror(store.root, { trust: "none" });
    const host = { Host: "inner.example" };
    const asked = [
      [host, "http://inner.example"],
      [{ ...host, "X-Forwarded-Host": "outer.example" }, "http://outer.example"],
      [{ ...host, "X-Forwarded-Proto": "https" }, "https://inner.example"],
      [{ ...host, "X-Forwarded-Prefix": "/ferry" }, "http://inner.example/ferry"],
    ] as const;
    for (let round = 0; round < 2; round++) {
      for (const [headers, base] of asked) {
        expect(baseIn((await trusting.get(RELEASE, headers)).text)).toBe(base);
        expect(baseIn((await wary.get(RELEASE, headers)).text)).toBe("http://inner.example");
      }
    }
  });

  it("are kept from whoever may not read, also when that begins and ends while it runs", async () => {
    let auth: Auth | undefined = parseAuth("bearer right", "auth");
    const mirror = await testMirror(store.root, { auth: () => auth });
    const right = { Authorization: "Bearer right" };
    for (let round = 0; round < 2; round++) {
      expect((await mirror.get(RELEASE, right)).status).toBe(200);
      expect((await mirror.get(RELEASE, { Authorization: "Bearer wrong" })).status).toBe(401);
      expect((await mirror.get(RELEASE)).status).toBe(401);
    }
    auth = undefined;
    expect((await mirror.get(RELEASE)).status).toBe(200);
    auth = parseAuth("bearer other", "auth");
    expect((await mirror.get(RELEASE, right)).status).toBe(401);
  });

  it("keep the order of requests on one connection, and are logged and counted each", async () => {
    const mirror = await testMirror(store.root);
    const whole = await mirror.get(RELEASE);
    const client = await rawClient(mirror.url);
    client.get(RELEASE);
    client.get("/healthz");
    client.get(RELEASE, { "If-None-Match": whole.headers.etag ?? "" });
    client.get(RELEASE, { Connection: "close" });
    await client.closed;
    const statuses = splitAnswers(client.received()).map(({ head }) => head.slice(9, 12));
    expect(statuses).toEqual(["200", "200", "304", "200"]);
    const log = await mirror.logged(5);
    expect(log.map(({ bytes, cut }) => [bytes > 0, cut])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, undefined],
      [false, undefined],
      [true, undefined],
    ]);
    const metrics = await mirror.metrics.registry.metrics();
    expect(metrics).toContain('ferry_http_requests_total{method="GET",status="200",kind="api"} 3');
    expect(metrics).toContain('ferry_http_requests_total{method="GET",status="304",kind="api"} 1');
    // Asking twice does not count twice.
    expect(await mirror.metrics.registry.metrics()).toContain('status="200",kind="api"} 3');
  });

  it("are not answered to who left, and are logged as cut", async () => {
    const mirror = await testMirror(store.root);
    await mirror.get(RELEASE);
    // Its connection is gone when the answers of this turn are written.
    mirror.server.server.once("request", (request) => request.socket.destroy());
    await expect(mirror.get(RELEASE)).rejects.toThrow();
    const [, entry] = await mirror.logged(2);
    expect(entry).toMatchObject({ bytes: 0, cut: true });
    expect((await mirror.get(RELEASE)).status).toBe(200);
  });
});

import { describe, expect, it } from "vitest";
import { type ServeFlags, serveOptions } from "../../server/options.ts";

const at = (flags: ServeFlags = {}, env: Record<string, string> = {}): ReturnType<typeof serveOptions> =>
  serveOptions(flags, { FERRY_STORE: "store", ...env }, "/srv");

describe("how the mirror is served", () => {
  it("has defaults", () => {
    expect(at()).toEqual({
      store: "/srv/store",
      listen: { host: "127.0.0.1", port: 8080 },
      workers: 1,
      sendfile: true,
      trustProxy: "loopback",
      idleTimeout: 120,
      drainTimeout: 30,
      drainDelay: 0,
      maxConnections: 4096,
      accessLog: "stderr",
    });
  });

  it.each([
    ["127.0.0.1:0", "127.0.0.1", 0],
    [":8080", "", 8080],
    ["8080", "127.0.0.1", 8080],
    ["[::1]:8443", "::1", 8443],
    ["mirror.example:443", "mirror.example", 443],
  ])("listens on %s", (text, host, port) => {
    expect(at({ listen: text }).listen).toEqual({ host, port });
  });

  it("takes every flag from the environment, and a flag before it", () => {
    const env = {
      FERRY_LISTEN: ":9",
      FERRY_BASE_URL: "https://m.example/ferry/",
      FERRY_TLS_CERT: "c.pem",
      FERRY_TLS_KEY: "/k.pem",
      FERRY_AUTH: "auth",
      FERRY_WORKERS: "3",
      FERRY_ACCEL: "nginx",
      FERRY_NO_SENDFILE: "1",
      FERRY_TRUST_PROXY: "10.0.0.0/8",
      FERRY_IDLE_TIMEOUT: "5",
      FERRY_DRAIN_TIMEOUT: "6",
      FERRY_DRAIN_DELAY: "7",
      FERRY_MAX_CONNECTIONS: "8",
      FERRY_ACCESS_LOG: "off",
    };
    const expected = {
      store: "/srv/store",
      listen: { host: "", port: 9 },
      baseUrl: "https://m.example/ferry",
      tls: { cert: "/srv/c.pem", key: "/k.pem" },
      auth: "/srv/auth",
      workers: 3,
      accel: "nginx",
      sendfile: false,
      trustProxy: "10.0.0.0/8",
      idleTimeout: 5,
      drainTimeout: 6,
      drainDelay: 7,
      maxConnections: 8,
      accessLog: "off",
    };
    expect(at({}, env)).toEqual(expected);
    expect(at({ listen: "8081", workers: "2", store: "/other" }, env)).toEqual({
      ...expected,
      store: "/other",
      listen: { host: "127.0.0.1", port: 8081 },
      workers: 2,
    });
    expect(at({ sendfile: false }).sendfile).toBe(false);
    expect(at({}, { FERRY_WORKERS: "" }).workers).toBe(1);
  });

  it.each<[ServeFlags, Record<string, string>, string]>([
    [{ listen: "nowhere" }, {}, "--listen (FERRY_LISTEN): must be HOST:PORT"],
    [{ listen: ":70000" }, {}, "--listen (FERRY_LISTEN): names a port"],
    [{ workers: "0" }, {}, "--workers (FERRY_WORKERS): must be at least 1"],
    [{ workers: "two" }, {}, "--workers (FERRY_WORKERS): "],
    [{ accel: "apache" }, {}, "--accel (FERRY_ACCEL): must be nginx"],
    [{ baseUrl: "mirror.example" }, {}, "--base-url (FERRY_BASE_URL): must be http(s)://"],
    [{ baseUrl: "https://u:p@m.example" }, {}, "--base-url"],
    [{ tlsCert: "c.pem" }, {}, "TLS needs both --tls-cert and --tls-key"],
    [{}, { FERRY_NO_SENDFILE: "yes" }, "--no-sendfile (FERRY_NO_SENDFILE): must be 1 or 0"],
  ])("refuses %j %j", (flags, env, words) => {
    expect(() => at(flags, env)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(words) as unknown }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { FerryError } from "../../src/errors.ts";
import { networkError } from "../../src/net/network-error.ts";

function coded(code: string, message = "it broke"): Error {
  return Object.assign(new Error(message), { code });
}

describe("networkError", () => {
  it.each([
    ["ENOTFOUND", "NET_UNREACHABLE", "dns"],
    ["ECONNREFUSED", "NET_UNREACHABLE", "refused"],
    ["ECONNRESET", "NET_UNREACHABLE", "reset"],
    ["UND_ERR_SOCKET", "NET_UNREACHABLE", "reset"],
    ["UND_ERR_CONNECT_TIMEOUT", "NET_TIMEOUT", "connect-timeout"],
    ["UND_ERR_BODY_TIMEOUT", "NET_TIMEOUT", "idle"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "NET_UNREACHABLE", "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "NET_UNREACHABLE", "tls"],
    ["EWHATEVER", "NET_UNREACHABLE", "other"],
  ])("%s → %s (%s)", (code, kind, reason) => {
    const error = networkError(coded(code), "https://user:pw@h.example/f?sig=secret");
    expect(error.code).toBe(kind);
    expect(error.details).toEqual({ url: "https://h.example/f?…", reason, code });
    expect(error.message).toContain("https://h.example/f?…");
    expect(error.message).toContain("it broke");
    expect(error.hint).toBeTruthy();
  });

  it("names the CA setting where a certificate is refused, and the proxy setting where nothing answers", () => {
    expect(networkError(coded("CERT_HAS_EXPIRED"), "https://h/").hint).toContain("NODE_EXTRA_CA_CERTS");
    expect(networkError(coded("ENOTFOUND"), "https://h/").hint).toContain("HTTPS_PROXY");
  });

  it("looks into wrapped and collected errors", () => {
    const wrapped = new Error("fetch failed", { cause: coded("ECONNRESET", "socket hang up") });
    expect(networkError(wrapped, "https://h/").details).toMatchObject({ reason: "reset" });
    const many = new AggregateError([coded("ECONNREFUSED", "connect ECONNREFUSED ::1:1")], "");
    expect(networkError(many, "https://h/").message).toContain("connect ECONNREFUSED ::1:1");
  });

  it("recognizes a proxy's refusal, and passes our own errors on", () => {
    const refused = coded("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling");
    expect(networkError(refused, "https://h/").details).toMatchObject({ reason: "proxy" });
    const own = new FerryError("NET_OFFLINE", "off");
    expect(networkError(own, "https://h/")).toBe(own);
    expect(networkError("odd", "https://h/").message).toContain("odd");
  });
});

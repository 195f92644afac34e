import { describe, expect, it } from "vitest";
import { isFerryError } from "../../src/errors.ts";
import { checkTarget, redirectTarget } from "../../src/net/redirect.ts";

function codeOf(work: () => URL): string {
  try {
    return work().href;
  } catch (error) {
    return isFerryError(error) ? error.code : "other";
  }
}

describe("checkTarget", () => {
  it.each([
    ["https://github.com/a", [], "https://github.com/a"],
    ["http://github.com/a", [], "NET_INSECURE"],
    ["http://mirror.lan:8080/a", ["http://mirror.lan:8080"], "http://mirror.lan:8080/a"],
    ["http://mirror.lan:8081/a", ["http://mirror.lan:8080"], "NET_INSECURE"],
    ["ftp://github.com/a", [], "NET_UNREACHABLE"],
    ["file:///etc/passwd", [], "NET_UNREACHABLE"],
    ["not a url", [], "NET_UNREACHABLE"],
  ])("%s with %j", (url, origins, expected) => {
    expect(codeOf(() => checkTarget(url, origins))).toBe(expected);
  });
});

describe("redirectTarget", () => {
  const lan = ["http://mirror.lan:8080", "http://blobs.lan"];
  it.each([
    ["https to https", "https://github.com/a", "https://blobs.example/b", "https://blobs.example/b"],
    ["relative", "https://github.com/a/b", "../c", "https://github.com/c"],
    ["https to http", "https://github.com/a", "http://blobs.example/b", "NET_INSECURE"],
    ["https to http that is configured", "https://github.com/a", "http://mirror.lan:8080/b", "NET_INSECURE"],
    ["http to configured http", "http://mirror.lan:8080/a", "http://blobs.lan/b", "http://blobs.lan/b"],
    ["http to other http", "http://mirror.lan:8080/a", "http://evil.example/b", "NET_INSECURE"],
    [
      "http to another port of the same host",
      "http://mirror.lan:8080/a",
      "http://mirror.lan:9000/b",
      "http://mirror.lan:9000/b",
    ],
    ["loopback to loopback", "http://127.0.0.1:1/a", "http://localhost:2/b", "http://localhost:2/b"],
    ["http to https", "http://mirror.lan:8080/a", "https://github.com/b", "https://github.com/b"],
    ["other scheme", "https://github.com/a", "ftp://github.com/b", "NET_REDIRECT"],
    ["unreadable", "https://github.com/a", "https://", "NET_REDIRECT"],
    ["absent", "https://github.com/a", undefined, "NET_REDIRECT"],
  ])("%s", (_, from, location, expected) => {
    expect(codeOf(() => redirectTarget(new URL(from), location, lan))).toBe(expected);
  });
});

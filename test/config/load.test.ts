import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { isFerryError } from "../../src/errors.ts";

const HOME = { HOME: "/home/u" };

describe("defaults", () => {
  it("talks to github.com with no options", () => {
    const { github, insecureOrigins, offline } = loadConfig(HOME);
    expect(github).toEqual({ url: "https://github.com", apiUrl: "https://api.github.com", token: undefined });
    expect(insecureOrigins).toEqual([]);
    expect(offline).toBe(false);
  });

  it("keeps the store under the XDG cache", () => {
    expect(loadConfig(HOME).storeRoot).toBe("/home/u/.cache/engine-ferry/store");
    expect(loadConfig({ ...HOME, XDG_CACHE_HOME: "/c" }).storeRoot).toBe("/c/engine-ferry/store");
    expect(loadConfig({ ...HOME, FERRY_STORE: "/s" }).storeRoot).toBe("/s");
    expect(loadConfig({ ...HOME, FERRY_STORE: "/s" }, { store: "/flag" }).storeRoot).toBe("/flag");
  });

  it("takes an empty variable for an absent one", () => {
    expect(loadConfig({ ...HOME, FERRY_STORE: "", GITHUB_TOKEN: "", FERRY_KEY_PASSPHRASE: "" })).toEqual(
      loadConfig(HOME),
    );
  });
});

it("speaks plain http only to bases that were configured so", () => {
  const config = loadConfig({
    ...HOME,
    FERRY_GITHUB_URL: "http://127.0.0.1:8123/",
    FERRY_GITHUB_API_URL: "https://ghe.test/api/v3/",
  });
  expect(config.github).toMatchObject({ url: "http://127.0.0.1:8123", apiUrl: "https://ghe.test/api/v3" });
  expect(config.insecureOrigins).toEqual(["http://127.0.0.1:8123"]);
});

it("reads proxies under both spellings", () => {
  expect(loadConfig({ ...HOME, https_proxy: "http://p:1", NO_PROXY: "localhost" }).proxy).toEqual({
    https: "http://p:1",
    no: "localhost",
  });
  expect(loadConfig({ ...HOME, HTTP_PROXY: "http://p:2" }).proxy).toEqual({ http: "http://p:2" });
});

it.each([
  [{ FERRY_GITHUB_URL: "github.com" }, "FERRY_GITHUB_URL is not a URL"],
  [{ FERRY_GITHUB_API_URL: "ftp://x" }, "FERRY_GITHUB_API_URL must begin with"],
  [{ FERRY_GITHUB_URL: "https://user:pw@github.com" }, "plain base"],
  [{ FERRY_GITHUB_URL: "https://github.com?x=1" }, "plain base"],
  [{ SOURCE_DATE_EPOCH: "yesterday" }, "SOURCE_DATE_EPOCH"],
  [{ SOURCE_DATE_EPOCH: "-1" }, "SOURCE_DATE_EPOCH"],
  [{ FERRY_OFFLINE: "yes" }, "FERRY_OFFLINE must be 1 or 0"],
])("refuses %j", (env, words) => {
  try {
    loadConfig({ ...HOME, ...env });
    expect.unreachable();
  } catch (error) {
    expect(isFerryError(error, "CONFIG_INVALID")).toBe(true);
    expect((error as Error).message).toContain(words);
  }
});

it("takes seconds and switches", () => {
  expect(loadConfig({ ...HOME, SOURCE_DATE_EPOCH: "1767225600", FERRY_OFFLINE: "1" })).toMatchObject({
    sourceDateEpoch: 1767225600,
    offline: true,
  });
});

it.each(["abc\r", "two words", "with\nline"])("refuses a token with what no token has: %j", (token) => {
  expect(() => loadConfig({ GITHUB_TOKEN: token })).toThrow(/GITHUB_TOKEN holds/);
});

it("takes a private index's user and password for its own origin alone", () => {
  const { python, insecureOrigins } = loadConfig({
    UV_DEFAULT_INDEX: "http://u%40x:p@index.example.org:81/simple/",
  });
  expect(python.credentials).toEqual({
    origin: "http://index.example.org:81",
    authorization: `Basic ${Buffer.from("u@x:p").toString("base64")}`,
  });
  expect(insecureOrigins).toEqual(["http://index.example.org:81"]);
  expect(
    loadConfig({ UV_DEFAULT_INDEX: "https://index.example.org/simple" }).python.credentials,
  ).toBeUndefined();
});

it("takes user and password of an index as uv does: odd percent signs, and variables for one with a name", () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
  const odd = loadConfig({ UV_DEFAULT_INDEX: "https://100%:p@index.example.org/" });
  expect(odd.python.credentials?.authorization).toBe(basic("100%:p"));
  const named = loadConfig({
    UV_DEFAULT_INDEX: "my-corp=https://index.example.org/simple",
    UV_INDEX_MY_CORP_USERNAME: "u",
    UV_INDEX_MY_CORP_PASSWORD: "p",
  });
  expect(named.python.credentials?.authorization).toBe(basic("u:p"));
});

import { describe, expect, it } from "vitest";
import { parseAuth } from "../../server/auth.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { testMirror } from "../support/mirror-server.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";

const FILE = `# who may read
bearer s3cret-token
bearer sha256:${hexOf(digestOf("hashed token"))}
basic alice:pass:word
basic bob:sha256:${hexOf(digestOf("bob's"))}
`;
const auth = parseAuth(FILE, "auth");
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

describe("who may read", () => {
  it.each([
    ["Bearer s3cret-token", "bearer"],
    ["bearer s3cret-token", "bearer"],
    ["token s3cret-token", "bearer"],
    [basic("alice:pass:word"), "alice"],
    [basic("bob:bob's"), "bob"],
    ["Bearer wrong", undefined],
    ["Bearer pass:word", undefined],
    [`Bearer sha256:${hexOf(digestOf("hashed token"))}`, undefined],
    [basic("alice:wrong"), undefined],
    [basic("alice:bob's"), undefined],
    [basic(":s3cret-token"), undefined],
    [basic("__token__:s3cret-token"), "bearer"],
    [basic("__token__:wrong"), undefined],
    [basic("__token__:pass:word"), undefined],
    [basic("alice"), undefined],
    ["Basic %%%", undefined],
    ["Digest x", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s is %s", (header, who) => {
    expect(auth.check(header)).toBe(who);
  });

  it.each([
    ["", "names nobody"],
    ["# nobody\n", "names nobody"],
    ["bearer\n", "auth:1"],
    ["\nbasic alice\n", "auth:2"],
    ["basic alice:\n", "auth:1"],
    ["s3cret\n", "auth:1"],
  ])("a file that says %j is refused, without its secrets", (text, words) => {
    expect(() => parseAuth(text, "auth")).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(words) as unknown }),
    );
    expect(() => parseAuth(text, "auth")).not.toThrow(/s3cret|alice/);
  });
});

describe("a mirror with --auth", () => {
  it("asks everybody but those who watch it", async () => {
    const store = await servedStore(await tmpDir());
    await store.add({ name: "a", files: { "a/1": "one" } });
    const mirror = await testMirror(store.root, { auth: () => auth });
    for (const path of ["/a/1", "/v1/bundles", "/metrics", "/", "/absent"]) {
      const answer = await mirror.get(path);
      expect([path, answer.status, answer.headers["www-authenticate"]]).toEqual([
        path,
        401,
        'Basic realm="engine-ferry", charset="UTF-8"',
      ]);
    }
    expect((await mirror.get("/healthz")).status).toBe(200);
    expect((await mirror.get("/readyz")).status).toBe(200);
    expect((await mirror.get("/a/1", { authorization: basic("alice:pass:word") })).text).toBe("one");
    expect((await mirror.get("/a/1", { authorization: "Bearer wrong" })).text).toMatch(/does not know/);
    expect((await mirror.logged(9)).map(({ user }) => user).filter((user) => user !== undefined)).toEqual([
      "alice",
    ]);
    expect(JSON.stringify(mirror.log)).not.toContain("pass:word");
  });
});

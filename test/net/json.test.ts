import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Clock } from "../../src/lib/clock.ts";
import { fetchJson, fetchPages, type JsonOptions, nextPage } from "../../src/net/json.ts";
import { createResponseCache } from "../../src/net/response-cache.ts";
import { fetchText } from "../../src/net/text.ts";
import { fastClock } from "../support/fast-clock.ts";
import { tmpDir } from "../support/tmp.ts";
import { openDoor } from "./support/door.ts";
import { recorder } from "./support/recorder.ts";
import { reply, sendJson, serve } from "./support/server.ts";

const Thing = z.object({ name: z.string() });
type Thing = z.infer<typeof Thing>;

function asking(clock: Clock = fastClock()): JsonOptions<Thing> & { logger: ReturnType<typeof recorder> } {
  return { schema: Thing, clock, logger: recorder(), random: () => 0 };
}

describe("fetchJson", () => {
  it("parses and checks an answer, and passes headers on", async () => {
    const server = await serve((_, response) => {
      sendJson(response, { name: "b1", more: 1 }, { etag: '"1"' });
    });
    const answer = await fetchJson(openDoor([server.origin]), server.origin, {
      ...asking(),
      headers: { accept: "x/y" },
    });
    expect(answer).toMatchObject({ value: { name: "b1" }, status: 200, headers: { etag: '"1"' } });
    expect(server.seen[0]?.headers.accept).toBe("x/y");
  });

  it("returns 404 as an answer", async () => {
    const server = await serve((_, response) => {
      reply(response, 404, { "content-type": "application/json" }, '{"message":"Not Found","status":"404"}');
    });
    const answer = await fetchJson(openDoor([server.origin]), server.origin, asking());
    expect(answer).toMatchObject({ value: undefined, status: 404 });
  });

  it("tries again after faults of the server and broken connections", async () => {
    const server = await serve((request, response, nth) => {
      if (nth === 1) reply(response, 502, {});
      else if (nth === 2) request.socket.destroy();
      else if (nth === 3) {
        response.writeHead(200, { "content-length": "50" }).write('{"na', () => request.socket.destroy());
      } else sendJson(response, { name: "b1" });
    });
    const clock = fastClock();
    const { value } = await fetchJson(openDoor([server.origin]), server.origin, asking(clock));
    expect(value).toEqual({ name: "b1" });
    expect(clock.slept).toEqual([250, 500, 1000]);
  });

  it("does not wait for a server that says a byte now and then", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => {
        clearInterval(drip);
      });
    });
    const policy = { tries: 2, baseMs: 1, capMs: 1, longestWaitMs: 1 };
    const asked = fetchJson(openDoor([server.origin]), server.origin, { ...asking(), policy, tryMs: 50 });
    await expect(asked).rejects.toMatchObject({
      code: "NET_TIMEOUT",
      message: expect.stringContaining("not answered whole") as string,
    });
    expect(server.seen).toHaveLength(2);
  });

  it("B2: tries again where a page for browsers comes with status 200, then names URL and content type", async () => {
    const server = await serve((_, response) => {
      reply(response, 200, { "content-type": "text/html; charset=utf-8" }, "<html>unicorn</html>");
    });
    await expect(fetchJson(openDoor([server.origin]), `${server.origin}/x`, asking())).rejects.toMatchObject({
      code: "UPSTREAM_MALFORMED",
      details: { url: `${server.origin}/x`, contentType: "text/html; charset=utf-8", status: 200 },
    });
    expect(server.seen).toHaveLength(6);
  });

  it("tries again where the text is no JSON, and fails at once where JSON has another shape", async () => {
    const server = await serve((request, response, nth) => {
      if (request.url === "/shape") sendJson(response, { name: 7 });
      else if (nth === 1) reply(response, 200, { "content-type": "text/plain" }, "oops");
      else sendJson(response, { name: "b1" });
    });
    const door = openDoor([server.origin]);
    expect((await fetchJson(door, `${server.origin}/text`, asking())).value).toEqual({ name: "b1" });
    await expect(fetchJson(door, `${server.origin}/shape`, asking())).rejects.toMatchObject({
      code: "UPSTREAM_MALFORMED",
      message: expect.stringContaining("name: ") as string,
    });
    expect(server.seen).toHaveLength(3);
  });

  it("bounds the size of an answer", async () => {
    const server = await serve((_, response) => {
      sendJson(response, { name: "x".repeat(2000) });
    });
    const options = { ...asking(), maxBytes: 1000 };
    await expect(fetchJson(openDoor([server.origin]), server.origin, options)).rejects.toMatchObject({
      code: "UPSTREAM_MALFORMED",
      details: { limit: 1000 },
    });
  });

  it("says what the server says when it gives up", async () => {
    const server = await serve((_, response) => {
      reply(response, 500, { "content-type": "text/plain" }, "database on fire");
    });
    await expect(fetchJson(openDoor([server.origin]), server.origin, asking())).rejects.toMatchObject({
      code: "NET_STATUS",
      message: `${server.origin}/ answered with status 500 after 6 tries: database on fire`,
      details: { status: 500, tries: 6 },
    });
  });

  it("ends with INTERRUPTED while it waits", async () => {
    const stop = new AbortController();
    const server = await serve((_, response) => {
      stop.abort();
      reply(response, 503, {});
    });
    const options = { ...asking(), signal: stop.signal };
    await expect(fetchJson(openDoor([server.origin]), server.origin, options)).rejects.toMatchObject({
      code: "INTERRUPTED",
    });
  });
});

describe("rate limits", () => {
  const message = JSON.stringify({ message: "You have exceeded a secondary rate limit." });
  const start = Date.parse("2026-10-10T00:00:00Z");
  const reset = String(start / 1000 + 1800);

  it.each<[string, number, Record<string, string>, string, number]>([
    [
      "403 with nothing remaining",
      403,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      "",
      1_801_000,
    ],
    ["429 with Retry-After", 429, { "retry-after": "9" }, "", 9000],
    ["429 without", 429, {}, "", 60_000],
    ["403 secondary without Retry-After", 403, {}, message, 60_000],
  ])("B11: %s is a wait", async (_, status, headers, body, waited) => {
    const server = await serve((_request, response, nth) => {
      if (nth === 1) reply(response, status, headers, body);
      else sendJson(response, { name: "b1" });
    });
    const clock = fastClock(start);
    const options = asking(clock);
    expect((await fetchJson(openDoor([server.origin]), server.origin, options)).value).toEqual({
      name: "b1",
    });
    expect(clock.slept).toEqual([waited]);
    if (waited > 120_000) {
      expect(options.logger.warnings.join()).toContain("waiting 30 min 1 s, until 2026-10-10T00:30:01Z");
    } else expect(options.logger.warnings).toEqual([]);
  });

  it("B11: a plain 403 fails at once as a matter of permission", async () => {
    const server = await serve((_, response) => {
      reply(
        response,
        403,
        { "x-ratelimit-remaining": "41" },
        JSON.stringify({ message: "Resource not accessible" }),
      );
    });
    await expect(fetchJson(openDoor([server.origin]), server.origin, asking())).rejects.toMatchObject({
      code: "NET_FORBIDDEN",
      message: `${server.origin}/ answered with status 403: Resource not accessible`,
      hint: expect.stringContaining("GITHUB_TOKEN") as string,
    });
    expect(server.seen).toHaveLength(1);
  });

  it("B11: a limit that does not end is named as one, never as an absent asset", async () => {
    const server = await serve((_, response) => {
      reply(response, 429, { "retry-after": "1" });
    });
    await expect(fetchJson(openDoor([server.origin]), server.origin, asking())).rejects.toMatchObject({
      code: "NET_RATE_LIMITED",
    });
  });
});

describe("conditional requests", () => {
  it("asks with the ETag it has, takes the kept text on 304, and keeps what is new", async () => {
    let version = 1;
    const server = await serve((request, response) => {
      const etag = `"v${version}"`;
      if (request.headers["if-none-match"] === etag) reply(response, 304, { etag });
      else {
        sendJson(response, { name: `b${version}` }, { etag, link: `<${server.origin}/?page=2>; rel="next"` });
      }
    });
    const door = openDoor([server.origin]);
    const cache = createResponseCache(join(await tmpDir(), "answers"), undefined);
    const ask = async (): Promise<unknown[]> => {
      const { value, status, headers } = await fetchJson(door, server.origin, { ...asking(), cache });
      return [value?.name, status, nextPage(headers, server.origin)];
    };
    const second = `${server.origin}/?page=2`;
    expect(await ask()).toEqual(["b1", 200, second]);
    expect(await ask()).toEqual(["b1", 200, second]);
    version = 2;
    expect(await ask()).toEqual(["b2", 200, second]);
    expect(server.seen.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"v1"', '"v1"']);
  });

  it("keeps answers apart by token, and the token out of the files", async () => {
    const folder = await tmpDir();
    const entry = { etag: '"1"', headers: {}, text: "{}" };
    await createResponseCache(folder, "s3cret-token").set("https://a/", entry);
    expect(await createResponseCache(folder, "s3cret-token").get("https://a/")).toEqual(entry);
    expect(await createResponseCache(folder, "other").get("https://a/")).toBeUndefined();
    expect(await createResponseCache(folder, undefined).get("https://a/")).toBeUndefined();
    for (const name of await readdir(folder)) {
      expect(await readFile(join(folder, name), "utf8")).not.toContain("s3cret");
    }
  });

  it("takes a damaged entry for an absent one, and does without a folder that cannot be written", async () => {
    const folder = await tmpDir();
    const cache = createResponseCache(folder, undefined);
    await cache.set("https://a/", { etag: '"1"', headers: {}, text: "{}" });
    for (const name of await readdir(folder)) await writeFile(join(folder, name), '{"version":1');
    expect(await cache.get("https://a/")).toBeUndefined();
    const file = join(folder, "file");
    await writeFile(file, "");
    await createResponseCache(join(file, "below"), undefined).set("https://a/", {
      etag: '"1"',
      headers: {},
      text: "",
    });
  });
});

describe("fetchText", () => {
  it("returns text as it is, with its bound, and does not wait for a long 404", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/gone") response.writeHead(410).write("x".repeat(100_000));
      else reply(response, 200, { "content-type": "text/plain" }, "abc  file\n");
    });
    const door = openDoor([server.origin]);
    expect((await fetchText(door, server.origin, asking())).text).toBe("abc  file\n");
    expect((await fetchText(door, `${server.origin}/gone`, asking())).text).toBeUndefined();
  });
});

describe("pages", () => {
  it.each<[string, string | undefined]>([
    [
      '<https://api.example/r?page=2>; rel="next", <https://api.example/r?page=5>; rel="last"',
      "https://api.example/r?page=2",
    ],
    [
      '<https://api.example/r?page=1>; rel="prev", <https://api.example/repositories/7/r?page=3>; rel="next"',
      "https://api.example/repositories/7/r?page=3",
    ],
    ["<https://api.example/r?page=2>; rel=next", "https://api.example/r?page=2"],
    ['<r?page=2>; title="x"; rel="next"', "https://api.example/r?page=2"],
    ['<https://api.example/r?page=5>; rel="last"', undefined],
    ['<https://api.example/r?page=5>; rel="nextish"', undefined],
    ["", undefined],
  ])("nextPage of %s", (link, expected) => {
    expect(nextPage({ link }, "https://api.example/r")).toBe(expected);
  });

  it("refuses a next page on another server", () => {
    const link = '<https://evil.example/r?page=2>; rel="next"';
    expect(() => nextPage({ link }, "https://api.example/r")).toThrow(
      expect.objectContaining({ code: "UPSTREAM_MALFORMED" }) as Error,
    );
  });

  it("reads page after page, and ends where links lead in a circle", async () => {
    const server = await serve((request, response) => {
      const page = Number(new URL(request.url ?? "", server.origin).searchParams.get("page") ?? "1");
      const next = page === 3 ? 1 : page + 1;
      sendJson(response, { name: `p${page}` }, { link: `<${server.origin}/?page=${next}>; rel="next"` });
    });
    const names: (string | undefined)[] = [];
    for await (const { value } of fetchPages(
      openDoor([server.origin]),
      `${server.origin}/?page=1`,
      asking(),
    )) {
      names.push(value?.name);
    }
    expect(names).toEqual(["p1", "p2", "p3"]);
  });
});

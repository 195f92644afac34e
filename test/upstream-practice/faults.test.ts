import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/lib/digest.ts";
import { GithubRelease } from "../../src/wire/github.ts";
import { readAll } from "../support/upstream/content.ts";
import type { Fault, FaultOrder, RateLimitShape } from "../support/upstream/fault.ts";
import { upstreamForTest } from "../support/upstream/in-test.ts";
import { startUpstream, type Upstream } from "../support/upstream/upstream.ts";
import { run } from "./run.ts";

const LLAMA = "ggml-org/llama.cpp";
const NAME = "llama-b11347-bin-ubuntu-x64.tar.gz";
const path = /llama-b11347-bin-ubuntu-x64/;

/** An upstream with one fault on the download of NAME. */
async function faulty(order: Fault & Partial<FaultOrder>): Promise<Upstream> {
  const upstream = await upstreamForTest();
  upstream.fault({ match: { path }, ...order });
  return upstream;
}

const urlOf = (upstream: Upstream): string => upstream.downloadUrl(LLAMA, "b11347", NAME);
const bytesOf = (upstream: Upstream): Buffer =>
  readAll(upstream.release(LLAMA, "b11347").asset(NAME).content);

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (response.body === null) throw new Error("there is no body");
  return response.body as ReadableStream<Uint8Array>;
}

/** The body as far as it came, and whether it came whole. */
async function receive(response: Response): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of bodyOf(response)) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), whole: true };
  } catch {
    return { bytes: Buffer.concat(chunks), whole: false };
  }
}

describe("faults of a download", () => {
  it("cut: ends the connection after so many bytes, all of which arrive; the next try is whole", async () => {
    const upstream = await faulty({ kind: "cut", after: 5_000 });
    const cut = await receive(await fetch(urlOf(upstream)));
    expect(cut.whole).toBe(false);
    expect(cut.bytes.equals(bytesOf(upstream).subarray(0, 5_000))).toBe(true);
    expect(upstream.requests.at(-1)).toMatchObject({ fault: "cut", bytes: 5_000, status: 200 });
    expect((await receive(await fetch(urlOf(upstream)))).bytes.equals(bytesOf(upstream))).toBe(true);
  });

  it("cut: curl says 18, and resumes after it", async () => {
    const upstream = await faulty({ kind: "cut", after: 5_000 });
    expect((await run("curl", ["-fsSL", "-o", "/dev/null", urlOf(upstream)])).code).toBe(18);
    const rest = await fetch(urlOf(upstream), { headers: { range: "bytes=5000-" } });
    expect((await receive(rest)).bytes.equals(bytesOf(upstream).subarray(5_000))).toBe(true);
  });

  it("cut: of a source archive, whose length nobody knows", async () => {
    const upstream = await faulty({ kind: "cut", after: 100, match: { path: /ComfyUI\/tar\.gz/ } });
    const url = `${upstream.githubUrl}/Comfy-Org/ComfyUI/archive/refs/tags/v0.39.2.tar.gz`;
    const cut = await receive(await fetch(url));
    expect([cut.whole, cut.bytes.length]).toEqual([false, 100]);
  });

  it("stall: gives so many bytes and then nothing, until it is closed", async () => {
    const upstream = await startUpstream();
    upstream.fault({ match: { path }, kind: "stall", after: 777 });
    const response = await fetch(urlOf(upstream));
    const reader = bodyOf(response).getReader();
    let received = 0;
    while (received < 777) received += (await reader.read()).value?.length ?? 777;
    expect(received).toBe(777);
    const next = reader.read().then(
      () => "more",
      () => "gone",
    );
    await upstream.close();
    expect(await next).toBe("gone");
    upstream.assertDone();
  });

  it.each([0, 1_000])("short: a well-formed answer of %i bytes", async (length) => {
    const upstream = await faulty({ kind: "short", length });
    const response = await fetch(urlOf(upstream));
    expect([response.status, response.headers.get("content-length")]).toEqual([200, String(length)]);
    expect(await receive(response)).toEqual({ bytes: bytesOf(upstream).subarray(0, length), whole: true });
  });

  it("html: a page with status 200", async () => {
    const upstream = await faulty({ kind: "html" });
    const response = await fetch(urlOf(upstream));
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(await response.text()).toMatch(/^<!DOCTYPE html>/);
  });

  it.each([undefined, "bytes=4000-6000"])(
    "flip: one bit of one byte, right length, with range %s",
    async (range) => {
      const upstream = await faulty({ kind: "flip", at: 5_000 });
      const response = await fetch(urlOf(upstream), range === undefined ? {} : { headers: { range } });
      const { bytes } = await receive(response);
      const start = range === undefined ? 0 : 4_000;
      const right = bytesOf(upstream).subarray(start, start + bytes.length);
      const wrong = [...bytes.keys()].filter((i) => bytes[i] !== right[i]);
      expect(wrong).toEqual([5_000 - start]);
    },
  );

  it("ignore-range: 200 and everything; unsatisfiable: 416 whatever is asked", async () => {
    const upstream = await faulty({ kind: "ignore-range", match: { path, range: true } });
    const headers = { range: "bytes=5000-" };
    const ignored = await fetch(urlOf(upstream), { headers });
    expect(ignored.status).toBe(200);
    expect((await receive(ignored)).bytes.equals(bytesOf(upstream))).toBe(true);
    upstream.fault({ match: { path }, kind: "unsatisfiable" });
    const refused = await fetch(urlOf(upstream), { headers });
    expect(refused.status).toBe(416);
    expect(refused.headers.get("content-range")).toBe(`bytes */${bytesOf(upstream).length}`);
  });

  it("expired: 403 once, though the address is fresh", async () => {
    const upstream = await faulty({ kind: "expired" });
    expect((await fetch(urlOf(upstream))).status).toBe(403);
    expect((await fetch(urlOf(upstream))).status).toBe(200);
  });

  it("slow: the same bytes in many pieces", async () => {
    const upstream = await faulty({ kind: "slow", bytesPerSecond: 200_000 });
    const { bytes } = await receive(await fetch(urlOf(upstream)));
    expect(digestOf(bytes)).toBe(digestOf(bytesOf(upstream)));
  });

  it("redirect: to where the test wants; redirect-loop: without end", async () => {
    const upstream = await faulty({ kind: "redirect", to: "http://stranger.invalid/x" });
    const away = await fetch(urlOf(upstream), { redirect: "manual" });
    expect([away.status, away.headers.get("location")]).toEqual([302, "http://stranger.invalid/x"]);
    upstream.fault({ match: { path }, kind: "redirect-loop", times: Infinity });
    expect((await run("curl", ["-fsSL", "--max-redirs", "7", urlOf(upstream)])).code).toBe(47);
    expect(upstream.requests.filter((record) => record.fault === "redirect-loop")).toHaveLength(8);
  });

  it("answer and hang-up: anything, at any host", async () => {
    const upstream = await faulty({
      kind: "answer",
      status: 503,
      body: "busy",
      match: { path, host: "github" },
    });
    const busy = await fetch(urlOf(upstream));
    expect([busy.status, await busy.text()]).toEqual([503, "busy"]);
    upstream.fault({ match: { path }, kind: "hang-up" });
    expect((await run("curl", ["-fsSL", urlOf(upstream)])).code).toBe(52);
    expect((await fetch(urlOf(upstream))).status).toBe(200);
  });

  it("strikes as often as ordered, after those that pass, and by method", async () => {
    const upstream = await faulty({ kind: "html", times: 2, skip: 1, match: { path, method: "GET" } });
    const types: (string | null)[] = [];
    for (const method of ["GET", "HEAD", "GET", "GET", "GET"]) {
      types.push((await fetch(urlOf(upstream), { method })).headers.get("content-type"));
    }
    const [binary, page] = ["application/octet-stream", "text/html; charset=utf-8"];
    expect(types).toEqual([binary, binary, page, page, binary]);
  });
});

describe("faults of the API", () => {
  const apiPath = /releases\/tags\/b11347$/;

  const cases: [RateLimitShape, number, Record<string, string | null>, RegExp][] = [
    [
      "primary",
      403,
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1790812930", "retry-after": null },
      /API rate/,
    ],
    ["retry-after", 429, { "retry-after": "130" }, /secondary rate limit/],
    ["retry-date", 429, { "retry-after": "Thu, 01 Oct 2026 00:02:10 GMT" }, /secondary rate limit/],
    ["secondary", 403, { "retry-after": null, "x-ratelimit-remaining": "4711" }, /secondary rate limit/],
    ["bare", 429, { "retry-after": null, "x-ratelimit-remaining": null }, /Too many/],
    ["permission", 403, { "retry-after": null, "x-ratelimit-remaining": "4711" }, /not accessible/],
  ];
  it.each(cases)("B11: rate-limit %s is %i", async (shape, status, headers, message) => {
    const upstream = await upstreamForTest({ now: () => Date.parse("2026-10-01T00:00:00Z") });
    upstream.fault({ match: { path: apiPath }, kind: "rate-limit", shape, seconds: 130 });
    const response = await fetch(`${upstream.apiUrl}/repos/${LLAMA}/releases/tags/b11347`);
    expect(response.status).toBe(status);
    for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
    expect(await response.json()).toMatchObject({ message: expect.stringMatching(message) as string });
  });

  it("B13: assets are begun uploads at first, or not in the list yet", async () => {
    const upstream = await upstreamForTest();
    const read = async (): Promise<GithubRelease> => {
      const response = await fetch(`${upstream.apiUrl}/repos/${LLAMA}/releases/tags/b11347`);
      return GithubRelease.parse(await response.json());
    };
    upstream.fault({ match: { path: apiPath }, kind: "hidden", assets: /ubuntu/ });
    upstream.fault({
      match: { path: apiPath },
      kind: "uploading",
      assets: /ubuntu-x64/,
      state: "open",
      size: 5,
    });
    expect((await read()).assets.filter((asset) => asset.name.includes("ubuntu"))).toEqual([]);
    const begun = (await read()).assets.find((asset) => asset.name === NAME);
    expect(begun).toMatchObject({ state: "open", size: 5, digest: null });
    const done = (await read()).assets.find((asset) => asset.name === NAME);
    expect(done).toMatchObject({
      state: "uploaded",
      digest: upstream.release(LLAMA, "b11347").asset(NAME).digest,
    });
  });
});

describe("strict both ways", () => {
  it("names a request that nobody should have made", async () => {
    const upstream = await startUpstream();
    expect((await fetch(`${upstream.githubUrl}/${LLAMA}/wiki`)).status).toBe(404);
    expect((await fetch(`${upstream.apiUrl}/repos/${LLAMA}/issues`)).status).toBe(404);
    expect((await fetch(`${upstream.blobUrl}/else`)).status).toBe(404);
    expect((await fetch(urlOf(upstream), { method: "POST" })).status).toBe(404);
    await upstream.close();
    expect(() => {
      upstream.assertDone();
    }).toThrow(
      /GET \/ggml-org\/llama.cpp\/wiki to the github host[^]+issues to the api[^]+else to the blob[^]+POST/,
    );
  });

  it("names a fault that did not strike, or not often enough", async () => {
    const upstream = await startUpstream();
    upstream.fault({ match: { path: /never/ }, kind: "html", times: Infinity });
    upstream.fault({ match: { path }, kind: "html", times: 2 });
    await fetch(urlOf(upstream));
    await upstream.close();
    expect(() => {
      upstream.assertDone();
    }).toThrow(/html at \/never\/ struck 0 of Infinity times[^]+struck 1 of 2 times/);
  });

  it("is content with legitimate absences", async () => {
    const upstream = await startUpstream();
    await fetch(upstream.downloadUrl(LLAMA, "b1", "x"));
    await fetch(`${upstream.apiUrl}/repos/no/body/releases/latest`);
    await upstream.close();
    upstream.assertDone();
  });

  it("refuses a pattern that remembers where it was", async () => {
    const upstream = await upstreamForTest();
    expect(() => {
      upstream.fault({ match: { path: /x/g }, kind: "html" });
    }).toThrow(/must not have g or y/);
  });
});

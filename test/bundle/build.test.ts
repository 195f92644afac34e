import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Lock } from "../../src/bundle/lock.ts";
import { PlanReport } from "../../src/bundle/plan-report.ts";
import { site } from "../support/site.ts";

const BOTH =
  "name: both\nengines:\n  - engine: llamacpp\n    versions: [b11347]\n  - engine: uv\n    versions: [0.12.23]\n";
const CPU =
  "name: cpu\nengines:\n  - engine: llamacpp\n    versions: [b11347]\n    arch: [amd64]\n    variants: [cpu]\n";

describe("plan", () => {
  it("lists every build of both architectures, with sizes and the source of each digest", async () => {
    const { ferry, spec, upstream } = await site();
    const run = await ferry("plan", await spec(BOTH), "--json");
    expect(run.code, run.stderr).toBe(0);
    const report = PlanReport.parse(JSON.parse(run.stdout));
    expect(report.builds.map((b) => `${b.engine} ${b.arch} ${b.variant}`).sort()).toEqual([
      "llamacpp amd64 cpu",
      "llamacpp amd64 cuda-12.8",
      "llamacpp amd64 cuda-13.4",
      "llamacpp amd64 vulkan",
      "llamacpp arm64 cpu",
      "llamacpp arm64 cuda-13.4",
      "llamacpp arm64 vulkan",
      "uv amd64 x86_64",
      "uv arm64 aarch64",
    ]);
    expect(report.files).toHaveLength(12);
    expect(new Set(report.files.map((file) => file.trust))).toEqual(new Set(["github"]));
    expect(report.totals.download).toEqual({ files: 12, bytes: report.totals.bytes });
    expect(report.missing).toEqual([]);
    expect(upstream.requests.every((request) => request.host === "api")).toBe(true);
    upstream.assertDone();
  });

  it("says the same in words", async () => {
    const { ferry, spec } = await site();
    const run = await ferry("plan", await spec(BOTH));
    expect(run.stdout).toMatch(/llamacpp b11347 {2}amd64 {2}cuda-13\.4/);
    expect(run.stdout).toContain("digest published by GitHub");
    expect(run.stdout).toContain("missing: nothing");
    expect(run.stdout).toMatch(/to download: 12 \(/);
  });

  it("writes a lock that pins tags, asset ids, sizes and digests", async () => {
    const { ferry, spec, at } = await site();
    expect((await ferry("plan", await spec(BOTH), "--write-lock", "l.json")).code).toBe(0);
    const lock = Lock.parse(JSON.parse(await readFile(at("l.json"), "utf8")));
    expect(lock.files).toHaveLength(12);
    expect(lock.releases.map((release) => release.tag).sort()).toEqual(["0.12.23", "b11347"]);
    expect(lock.files.every((file) => (file.assetId ?? 0) > 0 && file.digest !== null)).toBe(true);
  });
});

describe("build", () => {
  it("B22: gives the same bytes twice, from two stores, and what verify accepts", async () => {
    const { ferry, spec, at } = await site();
    const path = await spec(BOTH);
    expect((await ferry("keys", "new", "--out", "k")).code).toBe(0);
    const first = await ferry("build", path, "-o", "a.tar", "--sign-key", "k.key");
    expect(first.code, first.stderr).toBe(0);
    const second = await ferry("build", path, "-o", "b.tar", "--sign-key", "k.key", "--store", at("other"));
    expect(second.code, second.stderr).toBe(0);
    expect((await readFile(at("a.tar"))).equals(await readFile(at("b.tar")))).toBe(true);
    const verified = await ferry("verify", "a.tar", "--key", "k.pub");
    expect(verified.code, verified.stderr).toBe(0);
  });

  it("fetches nothing a second time", async () => {
    const { ferry, spec, upstream } = await site();
    const path = await spec(CPU);
    await ferry("build", path, "-o", "a.tar");
    const before = upstream.requests.filter((request) => request.host === "blob").length;
    const run = await ferry("build", path, "-o", "b.tar");
    expect(run.code, run.stderr).toBe(0);
    expect(upstream.requests.filter((request) => request.host === "blob")).toHaveLength(before);
  });
});

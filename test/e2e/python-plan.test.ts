import { beforeAll, describe, expect, it } from "vitest";
import type { PlanReport } from "../../src/bundle/plan-report.ts";
import { formatBytes } from "../../src/lib/size.ts";
import { pythonBuilderSite } from "../support/python-builder-site.ts";
import { realIndexSettings } from "../support/real-index.ts";
import { REAL_UV_TIMEOUT, realUv } from "../support/real-uv.ts";

const why =
  process.env["FERRY_OFFLINE_TESTS"] === "1"
    ? "FERRY_OFFLINE_TESTS=1, and they are resolved against the real index"
    : undefined;
if (why !== undefined) process.stdout.write(`skipped: plans of the real vLLM and SGLang: ${why}\n`);
beforeAll(() => realUv(), REAL_UV_TIMEOUT);

const SPEC = `name: gpu
engines:
  - { engine: vllm, versions: [0.30.0], variants: [cu13] }
  - { engine: sglang, versions: [0.5.23], variants: [cu13] }
`;

describe.skipIf(why !== undefined)("ferry plan of the real engines, against the real index", () => {
  it("resolves both for both architectures, and says count, size and glibc", {
    timeout: 300_000,
  }, async () => {
    const { ferry, spec, env } = await pythonBuilderSite({ recipes: {} });
    delete env["FERRY_RECIPES"];
    Object.assign(env, realIndexSettings(env));
    const path = await spec(SPEC);
    const run = await ferry("plan", path, "--json");
    expect(run.code, run.stderr).toBe(0);
    const { builds } = JSON.parse(run.stdout) as PlanReport;
    expect(builds.map(({ engine, arch }) => `${engine} ${arch}`)).toEqual([
      "vllm amd64",
      "vllm arm64",
      "sglang amd64",
      "sglang arm64",
    ]);
    for (const { engine, version, arch, python } of builds) {
      const { packages = 0, bytes = 0, glibc = "", wheels = 0 } = python ?? {};
      process.stdout.write(
        `plan: ${engine} ${version} ${arch}: ${packages} packages, ${wheels} wheels, ${formatBytes(bytes)}, glibc ${glibc}\n`,
      );
      expect(packages).toBeGreaterThan(150);
      expect(bytes).toBeGreaterThan(3e9);
      expect(bytes).toBeLessThan(6e9);
      expect(glibc).toMatch(/^2\.(2[89]|3[0-5])$/);
    }
  });
});

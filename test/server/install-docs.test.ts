import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { REFUSALS } from "../../server/install/install-plan.ts";
import { readInstallScript } from "../../server/install/script.ts";

const docs = await readFile(new URL("../../docs/install.md", import.meta.url), "utf8");
const script = await readInstallScript();

describe("docs/install.md", () => {
  it("explains every exit code that the script has, and no other", () => {
    const constants = [...script.matchAll(/\b[A-Z_]+=(\d+)(?= |$)/gm)].map(([, code]) => Number(code));
    const wanted = new Set([...constants, ...Object.values(REFUSALS), 129, 130, 143]);
    const explained = [...docs.matchAll(/^\| `(\d+)` +\|/gm)].map(([, code]) => Number(code));
    expect([...explained].sort((a, b) => a - b)).toEqual([...wanted].sort((a, b) => a - b));
    expect(new Set(explained).size).toBe(explained.length);
  });

  it("explains every option that the script has", () => {
    const { stdout, status } = spawnSync("sh", ["-s", "--", "--help"], { input: script, encoding: "utf8" });
    const options = [...new Set(stdout.match(/--[a-z-]+/g))];
    expect(status).toBe(0);
    expect(options.length).toBeGreaterThan(8);
    for (const option of options) expect(docs).toContain(`\`${option}`);
  });

  it("explains every key that a line of the plan can have", async () => {
    const part = await readFile(new URL("../../server/install/script/plan.sh", import.meta.url), "utf8");
    const { stdout } = spawnSync("sh", ["-c", `${part}\nplan_grammar`], { encoding: "utf8" });
    const keys = stdout.split("\n").flatMap((line) => /^\^\(?([a-z|-]+)/.exec(line)?.[1]?.split("|") ?? []);
    expect(keys.length).toBeGreaterThan(15);
    for (const key of keys) expect(docs).toContain(`\`${key}`);
  });
});

/**
 * Holds src and server to the layers of `.dependency-cruiser.cjs`. A check that read nothing finds nothing, so this one
 * also fails when it did not read every file, or saw no import in them.
 *
 * Usage: tsx scripts/check-layers.ts [ROOT]
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const FOLDERS = ["src", "server"];

const Result = z.object({
  modules: z.array(z.object({ source: z.string(), dependencies: z.array(z.unknown()) })),
  summary: z.object({
    violations: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        rule: z.object({ name: z.string() }),
        cycle: z.array(z.object({ name: z.string() })).optional(),
        via: z.array(z.object({ name: z.string() })).optional(),
      }),
    ),
  }),
});
type Result = z.infer<typeof Result>;

/** Paths of all sources, relative to `root`, with `/`. */
function listSources(root: string): string[] {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .sort();
}

function cruise(root: string): Result {
  const program = fileURLToPath(
    new URL("../node_modules/dependency-cruiser/bin/dependency-cruise.mjs", import.meta.url),
  );
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)));
  const run = spawnSync(
    process.execPath,
    [program, "--config", ".dependency-cruiser.cjs", "--output-type", "json", ...folders],
    { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
  );
  // dependency-cruiser exits with the number of errors, also when it could not start: the answer decides.
  if (run.stdout === "") {
    throw new Error(`dependency-cruiser gave no answer (exit ${run.status}):\n${run.stderr}`);
  }
  return Result.parse(JSON.parse(run.stdout));
}

function describe(violation: Result["summary"]["violations"][number]): string {
  const way = (violation.cycle ?? violation.via ?? []).map((step) => step.name);
  const detour = way.length > 1 ? ` (through ${way.join(" → ")})` : "";
  return `${violation.rule.name}: ${violation.from} → ${violation.to}${detour}`;
}

/** Every reason why the tree under `root` does not pass, and what was read to know it. */
function check(root: string): { problems: string[]; read: string } {
  const sources = listSources(root);
  if (sources.length === 0) {
    return { problems: [`there is no TypeScript file under ${FOLDERS.join(" or ")}`], read: "" };
  }
  const { modules, summary } = cruise(root);
  const seen = new Map(modules.map((module) => [module.source, module.dependencies.length]));
  const unread = sources.filter((source) => !seen.has(source));
  const imports = sources.reduce((sum, source) => sum + (seen.get(source) ?? 0), 0);
  const problems = summary.violations.map(describe);
  if (unread.length > 0) {
    problems.push(
      `${unread.length} of ${sources.length} files were not read: ${unread.slice(0, 10).join(", ")}`,
    );
  }
  if (imports === 0) problems.push(`no import was seen in ${sources.length} files, so nothing was checked`);
  return { problems, read: `${sources.length - unread.length} files, ${imports} imports` };
}

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("../", import.meta.url)));
const { problems, read } = check(root);
for (const problem of problems) console.error(`layers: ${problem}`);
console.log(`layers: ${problems.length === 0 ? "kept" : "NOT kept"} (${read})`);
process.exitCode = problems.length === 0 ? 0 : 1;

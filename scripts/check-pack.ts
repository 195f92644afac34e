/**
 * Proves that what `npm pack` makes can be installed in an empty folder and run there, with nothing of this checkout.
 * Expects a fresh build (`npm run check:pack` makes one).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuildFresh } from "./source-stamp.mjs";

const packageRoot = new URL("../", import.meta.url);

function run(program: string, args: string[], cwd: string): string {
  const result = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (result.status !== 0) {
    const why = result.error?.message ?? `exit ${result.status ?? result.signal}`;
    throw new Error(`${[program, ...args].join(" ")}: ${why}\n${result.stdout}${result.stderr}`);
  }
  return result.stdout;
}

/** What must be in the package, and what must not: by path within it. */
function checkContent(files: readonly string[]): void {
  const wanted = [
    "dist/server/install/script/main.sh",
    "scripts/verify-with-openssl.sh",
    "package.json",
    "bin/ferry.mjs",
    "dist/src/cli/main.js",
    "bundles/schema/recipe.schema.json",
  ];
  const missing = wanted.filter((name) => !files.includes(name));
  if (!files.some((name) => /^bundles\/engines\/[^/]+\.yaml$/.test(name))) {
    missing.push("bundles/engines/*.yaml");
  }
  const stray = files.filter((name) =>
    /^(src|server|test|scripts(?!\/verify-with-openssl\.sh$)|node_modules)\/|\.(ts|map|key|pem)$/.test(name),
  );
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(", ")}`);
  if (stray.length > 0) throw new Error(`the package should not hold ${stray.join(", ")}`);
}

function tryPackage(work: string): void {
  if (!isBuildFresh(packageRoot)) throw new Error("dist is not of the present sources; run: npm run build");
  const packed = run("npm", ["pack", "--json", "--pack-destination", work], fileURLToPath(packageRoot));
  const [report] = JSON.parse(packed) as { filename: string; version: string; files: { path: string }[] }[];
  if (report === undefined) throw new Error("npm pack reported no package");
  checkContent(report.files.map((file) => file.path));

  const empty = join(work, "empty");
  mkdirSync(empty);
  writeFileSync(join(empty, "package.json"), '{ "private": true }\n');
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", join(work, report.filename)], empty);

  const ferry = join(empty, "node_modules", ".bin", "ferry");
  const version = run(ferry, ["--version"], empty).trim();
  if (version !== report.version) {
    throw new Error(`ferry --version says ${version}, the package is ${report.version}`);
  }
  if (!run(ferry, ["--help"], empty).includes("Usage: ferry")) throw new Error("ferry --help shows no usage");
  if (!run(ferry, ["recipe", "list"], empty).includes("llamacpp")) {
    throw new Error("ferry recipe list lacks llamacpp");
  }
  console.log(
    `pack: ${report.filename} with ${report.files.length} files installs and runs on Node ${process.version}`,
  );
}

const work = mkdtempSync(join(tmpdir(), "ferry-pack-"));
try {
  tryPackage(work);
} catch (error) {
  console.error(`pack: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

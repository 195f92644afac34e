// Compiles src and server into dist and stamps it, so that bin/ferry.mjs can tell whether it is of these sources.
// The new build is made beside the old one and takes its place at the end: whoever starts the program meanwhile gets
// one or the other, whole.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sourceStamp, stampFile } from "./source-stamp.mjs";

const packageRoot = new URL("../", import.meta.url);
const root = fileURLToPath(packageRoot);
const dist = `${root}dist`;
const entry = `${dist}/src/cli/main.js`;

// Taken first: a file saved while the compiler runs makes the build count as stale.
const stamp = sourceStamp(packageRoot);
const fresh = mkdtempSync(`${root}dist.`);
const retired = `${fresh}.old`;
try {
  const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", packageRoot));
  const run = spawnSync(process.execPath, [compiler, "-p", `${root}tsconfig.build.json`, "--outDir", fresh], {
    stdio: "inherit",
  });
  if (run.status !== 0) process.exitCode = run.status ?? 1;
  else {
    // What the program reads at run time beside its modules: the parts of the install script.
    cpSync(`${root}server/install/script`, `${fresh}/server/install/script`, { recursive: true });
    if (existsSync(dist)) renameSync(dist, retired);
    renameSync(fresh, dist);
    if (!existsSync(entry)) throw new Error(`the compiler wrote no ${entry}`);
    writeFileSync(stampFile(packageRoot), `${stamp}\n`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(retired, { recursive: true, force: true });
}

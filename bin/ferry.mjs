#!/usr/bin/env node
// Starts the program. An installed package has no src folder: it runs what was built. A checkout runs the build only
// while that was made from these very sources, and the sources themselves otherwise: never stale code, never a wait for
// a build.
import { existsSync } from "node:fs";

const packageRoot = new URL("../", import.meta.url);
const built = new URL("dist/src/cli/main.js", packageRoot);
const sources = new URL("src/cli/main.ts", packageRoot);

async function load() {
  if (!existsSync(sources)) {
    if (existsSync(built)) return import(built.href);
    process.stderr.write(
      "ferry: this package was packed without a build. Pack it again with: npm run build && npm pack\n",
    );
    process.exit(1);
  }
  const { isBuildFresh } = await import("../scripts/source-stamp.mjs");
  if (isBuildFresh(packageRoot)) return import(built.href);
  await readTypeScript();
  return import(sources.href);
}

async function readTypeScript() {
  const { fileURLToPath } = await import("node:url");
  let tsx;
  try {
    tsx = await import("tsx/esm/api");
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    process.stderr.write(
      "ferry: this checkout has no build of its present sources, and the tools that run sources are not installed.\n" +
        "Run `npm ci`, then the same command again.\n",
    );
    process.exit(1);
  }
  // Ours by name: otherwise a tsconfig.json in the user's current folder would be taken.
  tsx.register({ tsconfig: fileURLToPath(new URL("tsconfig.json", packageRoot)) });
}

const { main } = await load();
await main(process);

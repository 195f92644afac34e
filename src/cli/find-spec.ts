import { join, resolve } from "node:path";
import { FerryError } from "../errors.ts";
import { fileSize } from "../lib/files.ts";
import type { Context } from "./context.ts";

/**
 * The spec that an argument names: a path, or the bare name of one under `bundles/` here or among our own examples.
 * Throws FILE_UNREADABLE saying where it was looked for.
 */
export async function findSpec(context: Context, name: string): Promise<string> {
  const places = [resolve(context.cwd, name)];
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name) && !/\.ya?ml$/.test(name)) {
    places.push(
      join(context.cwd, "bundles", `${name}.yaml`),
      join(context.packageRoot, "bundles", `${name}.yaml`),
    );
  }
  for (const place of places) if ((await fileSize(place)) !== undefined) return place;
  throw new FerryError("FILE_UNREADABLE", `there is no spec ${name}; looked at ${places.join(", ")}`, {
    hint: "Give the path of a YAML file; docs/cli.md shows one.",
  });
}

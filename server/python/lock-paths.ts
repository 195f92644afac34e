import type { CarriedBuild } from "../../src/bundle/document.ts";
import { encodePath } from "../../src/wire/github.ts";

/** Where a build's lock is, with addresses of this mirror, and where the tar of its wheels. */
export function lockPaths(
  base: string,
  { engine, version, arch, variant }: Pick<CarriedBuild, "engine" | "version" | "arch" | "variant">,
): { pylock: string; folder: string } {
  const folder = `${base}/v1/locks/${encodePath(`${engine}/${version}/${arch}/${variant}`)}`;
  return { pylock: `${folder}/pylock.toml`, folder: `${folder}/folder.tar` };
}

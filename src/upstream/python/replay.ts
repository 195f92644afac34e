import type { Digest } from "../../lib/digest.ts";
import { hexOf } from "../../lib/digest.ts";
import { encodePath } from "../../wire/github.ts";
import type { Pylock } from "../../wire/pylock.ts";
import { normaliseProject } from "../../wire/wheel-name.ts";
import { compile } from "./compile.ts";
import { reachingOnly, type Uv } from "./uv-process.ts";

/** What a document keeps of a resolution, enough to do it again. */
export interface ReplayFacts {
  /** `3.12` */
  version: string;
  /** `x86_64-manylinux_2_35` */
  platform: string;
  excludeNewer: string;
  /** A wheel by URL has its mirror path as address: `vllm @ /O/R/…`. */
  requirements: readonly string[];
  extraIndex?: { name: string; packages: readonly string[] } | undefined;
}

/** A package of a lock, for comparison. */
export interface LockedPackage {
  /** Normalised. */
  name: string;
  version: string | undefined;
  marker: string | undefined;
  files: LockedFile[];
}

export interface LockedFile {
  filename: string;
  sha256: string | undefined;
  /** Undefined, like the time, where uv was given the address and no index spoke of the file. */
  size: number | undefined;
  uploadTime: string | undefined;
  byAddress: boolean;
}

/**
 * Resolves a build again with the mirror at `base` as the whole world: its `/simple/`, its `/whl/NAME/`, its wheels by
 * path. `uv` must have a fresh folder, or its cache answers in the mirror's place. `digestOf` knows the wheels that
 * requirements name by path. Throws what uv makes of a mirror that lacks something.
 */
export async function resolveAgain(
  uv: Uv,
  facts: ReplayFacts,
  base: string,
  digestOf: (path: string) => Digest | undefined,
): Promise<LockedPackage[]> {
  const { extraIndex } = facts;
  const origin = base.replace(/\/+$/, "");
  const { lock } = await compile(uv, {
    what: "the bundle's own packages",
    requirements: facts.requirements.map((line) => atMirror(line, origin, digestOf)),
    python: facts.version,
    options: ["--no-build", "--python-platform", facts.platform],
    extraIndex:
      extraIndex === undefined ? undefined : { ...extraIndex, url: `${origin}/whl/${extraIndex.name}/` },
    excludeNewer: facts.excludeNewer,
    env: nowhereBut(origin),
  });
  return lockedPackages(lock);
}

/** `vllm @ /O/R/…/x+y.whl; marker` with the mirror's address and the wheel's digest. */
function atMirror(line: string, origin: string, digestOf: (path: string) => Digest | undefined): string {
  const found = /^(\s*[^\s@]+\s*@\s*)\/([^\s;]+)(.*)$/.exec(line);
  if (found === null) return line;
  const [, before = "", path = "", after = ""] = found;
  const digest = digestOf(path);
  const fragment = digest === undefined ? "" : `#sha256=${hexOf(digest)}`;
  return `${before}${origin}/${encodePath(path)}${fragment}${after === "" ? "" : ` ${after.trimStart()}`}`;
}

function nowhereBut(origin: string): Record<string, string> {
  return { ...reachingOnly(new URL(origin).hostname), UV_DEFAULT_INDEX: `${origin}/simple/` };
}

/** A lock's packages for comparison, whoever wrote it. */
export function lockedPackages(lock: Pylock): LockedPackage[] {
  return lock.packages.map(({ name, version, marker, wheels, archive }) => ({
    name: normaliseProject(name),
    version,
    marker,
    files: [...wheels, ...(archive === undefined ? [] : [archive])].map((file) => ({
      filename: file.name,
      sha256: file.hashes["sha256"],
      size: file.size,
      uploadTime: file.uploadTime,
      byAddress: file === archive,
    })),
  }));
}

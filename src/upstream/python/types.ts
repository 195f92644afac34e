import type { Digest } from "../../lib/digest.ts";
import type { Build } from "../../recipe/build.ts";

/** Architectures as bundles name them. */
export type PythonArch = "amd64" | "arm64";

/** One Python build to resolve: everything that decides what its environment is made of. */
export interface PythonRequest {
  engine: string;
  /** The engine's name for people. */
  label: string;
  version: string;
  arch: PythonArch;
  build: Build;
  /** The engine's project on the index, where it has one. */
  pypi: string | undefined;
  /** `3.12` */
  python: string;
  /** Newest glibc that the nodes have: `2.35`. */
  glibc: string;
  /** The engine's wheel among a release's assets. `url` is where its metadata may be read; GitHub vouches for the digest. */
  wheel: { filename: string; url: string; digest: Digest } | undefined;
  /** The requirements file of the source archive, as it is there. */
  sourceRequirements: { file: string; text: string } | undefined;
}

/** Which index a file was found in; `none` for one that a URL alone leads to. */
export type ResolvedIndex = { kind: "default" } | { kind: "extra"; name: string } | { kind: "none" };

/** A wheel of a locked package. Times are ISO 8601 in UTC, at most milliseconds. */
export interface ResolvedFile {
  filename: string;
  /** As the lock has it, percent-encoded, without a fragment. */
  url: string;
  /** Bytes; undefined where the index does not say (PyTorch's). */
  size: number | undefined;
  /** As the lock has it; undefined where it has none. */
  digest: Digest | undefined;
  /** Whether an index publishes that digest. Where none does, uv made it of what came when it resolved (P6). */
  claimed: boolean;
  index: ResolvedIndex;
  /** What the mirror serves as its upload time: before `excludeNewer`, whatever the index claims (P2). */
  uploadedAt: string;
  /** What the index claims. */
  claimedUploadedAt: string | undefined;
}

export interface ResolvedPackage {
  /** Normalised. */
  name: string;
  /** `2.10.0+cu129`; of a wheel by URL as its file name says. */
  version: string;
  marker: string | undefined;
  /** Withdrawn upstream: the reason, or true. */
  yanked: string | true | undefined;
  /** At least one. */
  files: ResolvedFile[];
}

/** A release on the index with all its files, wheels and source archives of every platform. */
export interface IndexRelease {
  project: string;
  version: string;
  /** Latest upload among the files. */
  published: string;
  files: {
    filename: string;
    url: string;
    size: number | undefined;
    digest: Digest | undefined;
    uploadedAt: string;
  }[];
}

/** The environment of one build, resolved for its platform and frozen in time. */
export interface Resolution {
  /** `x86_64-manylinux_2_35` */
  platform: string;
  python: string;
  published: string;
  /** `published` plus a day. */
  excludeNewer: string;
  /** What uv was given, a line each, in its order; the engine's release wheel as `vllm @ <url>#sha256=<hex>`. */
  requirements: string[];
  extraIndex: { name: string; url: string; packages: string[] } | undefined;
  /** Sorted by name. */
  packages: ResolvedPackage[];
  /** The engine's release on the index, where it is published there. */
  release: IndexRelease | undefined;
}

/** An interpreter as this very uv asks for it. */
export interface Interpreter {
  /** `cpython-3.12.15-linux-x86_64-gnu` */
  key: string;
  version: string;
  /** Tag of the release of `astral-sh/python-build-standalone`: `20261003`. */
  build: string;
  /** Asset name, decoded. */
  asset: string;
}

/** What the planner needs to know about Python; `src/upstream/python/resolver.ts` asks the real uv. */
export interface PythonResolver {
  /** Version of the uv that is asked: `0.12.23`. */
  readonly uvVersion: string;
  /** Resolves a build. Equal requests are answered once. Throws the PYTHON_* codes and INTERRUPTED. */
  resolve(request: PythonRequest): Promise<Resolution>;
  /** The interpreter that this uv asks for, `3.12` of an architecture. */
  interpreter(python: string, arch: PythonArch): Promise<Interpreter>;
  /** Throws PYTHON_INTERPRETER where uv's own table has another digest for the archive at `path` (P15). */
  checkInterpreter(interpreter: Interpreter, path: string): Promise<void>;
}

import type { Artifact } from "../../upstream/artifact.ts";
import type { Interpreter, Resolution, ResolvedFile, ResolvedPackage } from "../../upstream/python/types.ts";

/** A wheel that a build's lock names, as a file to carry. */
export interface PlannedWheel {
  artifact: Artifact;
  package: ResolvedPackage;
  file: ResolvedFile;
}

/** What a Python build consists of besides its recipe's words. */
export interface PlannedPython {
  resolution: Resolution;
  /** `0.12.23`, for the nodes: the same for all builds of a plan. */
  uvVersion: string;
  /** Version of the uv that was asked. */
  resolvedBy: string;
  /** uv for this architecture. */
  uv: Artifact;
  interpreter: {
    artifact: Artifact;
    facts: Interpreter;
    /** Throws PYTHON_INTERPRETER where uv knows the archive with another digest. */
    check(path: string): Promise<void>;
  };
  source: Artifact | undefined;
  /** Release assets that are unpacked beside the environment. */
  assets: Artifact[];
  /** The engine's own wheel, where a release has it. */
  wheel: Artifact | undefined;
  wheels: PlannedWheel[];
  /** Newest glibc that any package needs: `2.31`. */
  glibc: string;
  /** Bytes of the best wheel of each package. */
  bytes: number;
}

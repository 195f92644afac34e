import type { Digest } from "../../lib/digest.ts";
import type { Artifact } from "../../upstream/artifact.ts";
import type { PythonResolver } from "../../upstream/python/types.ts";
import type { Arch } from "../document-values.ts";

/** What planning Python builds needs besides releases; `open-bench.ts` makes one of store, door and uv. */
export interface PythonBench {
  /** The resolver of this version of uv, opened when it is first asked for; `archive` is what carries it. Throws PYTHON_UV. */
  resolver(uvVersion: string, archive: (arch: Arch) => Promise<Artifact>): Promise<PythonResolver>;
  /** Brings a source archive into the store, because its requirements decide what is planned. Bytes and digest are verified. */
  source(url: string, path: string, digest: Digest): Promise<{ size: number; file: string }>;
  /** Warns of a thing once, however often a plan is made. */
  warnOnce(text: string): void;
  /** Bytes of a file whose index says no size. Throws NET_*, UPSTREAM_MALFORMED. */
  sizeOf(url: string): Promise<number>;
}

import { FerryError } from "../../errors.ts";
import { lastPart } from "../../lib/last-part.ts";
import { contentLength } from "../../net/content-length.ts";
import type { Artifact } from "../../upstream/artifact.ts";
import type { PythonResolver } from "../../upstream/python/types.ts";
import type { Arch } from "../document-values.ts";
import { type FetchInput, inTurn } from "../fetch.ts";
import { fetchSource } from "../fetch-source.ts";
import type { PythonBench } from "./bench.ts";
import { unpackUv } from "./uv-tool.ts";

export interface BenchOptions extends Omit<FetchInput, "artifacts"> {
  /** `FERRY_UV`: a uv of this machine, in place of the carried one. */
  uv: string | undefined;
  /** Architecture of this machine; undefined where no uv is carried for it. */
  hostArch: Arch | undefined;
  /** This run's own, made when it is first asked for; the caller removes it. */
  folder(): Promise<string>;
  /** Asks the uv at this path. Throws PYTHON_UV where it cannot be run. */
  openResolver(uv: string): Promise<PythonResolver>;
}

/** A bench over store, door and uv. */
export function openPythonBench(options: BenchOptions): PythonBench {
  const opened = new Map<string, Promise<PythonResolver>>();
  const warned = new Set<string>();

  const open = async (archive: (arch: Arch) => Promise<Artifact>): Promise<PythonResolver> => {
    const { uv, hostArch } = options;
    if (uv !== undefined) return options.openResolver(uv);
    if (hostArch === undefined) {
      throw new FerryError("PYTHON_UV", "no uv is published in a form that this machine runs as a builder", {
        hint: "Install uv on it and name it in FERRY_UV.",
      });
    }
    return options.openResolver(await unpackUv(await archive(hostArch), await options.folder(), options));
  };
  const openOnce: PythonBench["resolver"] = async (version, archive) => {
    const opening = opened.get(version) ?? open(archive);
    opened.set(version, opening);
    const resolver = await opening;
    if (resolver.uvVersion !== version && !warned.has(version)) {
      warned.add(version);
      options.logger.warn(
        `${options.uv ?? "the carried uv"} is uv ${resolver.uvVersion}, and nodes are given ${version}: its own table may name another interpreter than the one that is carried. Say python: { uv: ${resolver.uvVersion} } in the spec to carry the one that resolves`,
      );
    }
    return resolver;
  };
  return {
    resolver: openOnce,
    source: async (url, path, digest) => {
      const label = lastPart(path);
      const { size } = await inTurn(options, () => fetchSource({ ...options, url, digest, label }));
      return { size, file: options.store.pathOf(digest) };
    },
    sizeOf: (url) => contentLength(options.door, url, options),
  };
}

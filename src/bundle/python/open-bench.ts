import { FerryError } from "../../errors.ts";
import type { Digest } from "../../lib/digest.ts";
import { lastPart } from "../../lib/last-part.ts";
import { once } from "../../lib/once.ts";
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
  const said = new Set<string>();
  const sources = new Map<Digest, Promise<{ size: number; file: string }>>();
  const sizes = new Map<string, Promise<number>>();
  const warnOnce = (text: string): void => {
    if (!said.has(text)) options.logger.warn(text);
    said.add(text);
  };

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
    const resolver = await once(opened, version, () => open(archive));
    if (resolver.uvVersion !== version) {
      warnOnce(
        `${options.uv ?? "the carried uv"} is uv ${resolver.uvVersion}, and nodes are given ${version}: its own table may name another interpreter than the one that is carried. Say python: { uv: ${resolver.uvVersion} } in the spec to carry the one that resolves`,
      );
    }
    return resolver;
  };
  return {
    resolver: openOnce,
    warnOnce,
    source: (url, path, digest) =>
      once(sources, digest, async () => {
        const label = lastPart(path);
        const { size } = await inTurn(options, () => fetchSource({ ...options, url, digest, label }));
        return { size, file: options.store.pathOf(digest) };
      }),
    sizeOf: (url) => once(sizes, url, () => contentLength(options.door, url, options)),
  };
}

import { library, libraryChain } from "./library-chain.ts";
import { stableHex } from "./random.ts";
import { type TarMember, tarGzOf } from "./tar-gz.ts";

export interface LlamaArchive {
  /** `b11347` */
  tag: string;
  /** The words between `bin-` and `.tar.gz`: `ubuntu-x64`, `ubuntu-cuda-13.4-arm64`, … */
  target: string;
  /** Bytes that the archive should about have. It cannot be smaller than its links and scripts: some 20 kB. */
  size: number;
}

/**
 * An archive shaped like llama.cpp's since December 2025: one top folder `llama-TAG/`, the programs, chains of `lib*.so`
 * links, backends beside them. `llama-server` is a shell script that answers `--version` (on standard error) and
 * `--list-devices` (on standard output) as the real one does, and fails as a loader does where a link was lost.
 */
export function llamaArchive({ tag, target, size }: LlamaArchive): Buffer {
  const top = `llama-${tag}`;
  const build = Number(tag.replace(/\D/g, ""));
  const cpu = target.endsWith("arm64") ? ["armv8.0_1", "armv8.6_1"] : ["x64", "haswell", "zen4"];
  const backend = /-(cuda|vulkan)-/.exec(`-${target}-`)?.[1];
  const filler = Math.max(256, size - 22_000);
  const members: TarMember[] = [
    { path: `${top}/`, type: "Directory" },
    { path: `${top}/LICENSE`, content: "MIT License\n" },
    { path: `${top}/llama-server`, content: serverScript(tag, build, target), mode: 0o755 },
    { path: `${top}/llama-cli`, content: serverScript(tag, build, target), mode: 0o755 },
    library(top, "llama-server-impl.so", 1024),
    ...libraryChain(top, "libllama", `0.0.${build}`, backend === undefined ? filler : 2048),
    ...libraryChain(top, "libggml", "0.15.3", 512),
    ...libraryChain(top, "libggml-base", "0.15.3", 1024),
    ...libraryChain(top, "libmtmd", `0.0.${build}`, 512),
    ...cpu.map((name) => library(top, `libggml-cpu-${name}.so`, 512)),
  ];
  if (backend !== undefined) members.push(library(top, `libggml-${backend}.so`, filler));
  return tarGzOf(members);
}

/** The CUDA runtime that belongs to such an archive, in a top folder of its own: to be merged into the same folder. */
export function cudartArchive(name: string, size: number): Buffer {
  const top = name.replace(/\.tar\.gz$/, "");
  const version = /cuda-(\d+\.\d+)/.exec(name)?.[1] ?? "13.4";
  const filler = Math.max(256, size - 6_000);
  return tarGzOf([
    { path: `${top}/`, type: "Directory" },
    ...libraryChain(top, "libcudart", `${version}.55`, 512),
    ...libraryChain(top, "libcublasLt", `${version}.0`, filler),
    ...libraryChain(top, "libcublas", `${version}.0`, 512),
  ]);
}

/**
 * FERRY_PRACTICE_GPU=1 makes it see a card, if the backend and what that needs lie beside it: a CUDA backend without its
 * runtime in the same folder loads nothing and says nothing, as the real program does.
 */
function serverScript(tag: string, build: number, target: string): string {
  const cuda = /cuda-(\d+)\./.exec(target)?.[1] ?? "none";
  const machine = target.endsWith("arm64") ? "aarch64" : "x86_64";
  return `#!/bin/sh
# Practice llama-server of ${tag} for ${target}.
here=$(cd "$(dirname "$0")" && pwd)
for needed in libllama.so.0 libggml.so.0 libggml-base.so.0; do
  if [ ! -s "$here/$needed" ]; then
    echo "$0: error while loading shared libraries: $needed: cannot open shared object file: No such file or directory" >&2
    exit 127
  fi
done
case "\${1:-}" in
--version)
  echo "version: ${build} (${stableHex(tag, 7)})" >&2
  echo "built with GNU 14.2.0 for ${machine}-linux-gnu" >&2
  ;;
--list-devices)
  echo "Available devices:"
  if [ "\${FERRY_PRACTICE_GPU:-0}" = 1 ]; then
    if [ -s "$here/libggml-cuda.so" ] && [ -s "$here/libcudart.so.${cuda}" ]; then
      echo "  CUDA0: Practice GPU (24564 MiB, 24112 MiB free)"
    fi
    if [ -s "$here/libggml-vulkan.so" ]; then
      echo "  Vulkan0: Practice GPU (24564 MiB, 24112 MiB free)"
    fi
  fi
  ;;
*)
  echo "practice llama-server: only --version and --list-devices are answered" >&2
  exit 1
  ;;
esac
`;
}

import type { Catalog } from "../../server/catalog.ts";
import type { LoadedBundle } from "../../server/catalog-bundle.ts";
import type { CarriedBuild, CarriedFile } from "../../src/bundle/document.ts";
import { type CarriedWheel, metadataPath, type PythonPart } from "../../src/bundle/document-python.ts";
import type { Arch } from "../../src/bundle/document-values.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { catalogOf, loadedBundle, SITE_KEY } from "./page-mirror.ts";
import { INTERPRETER_PATH, UV_PATH } from "./python-bundle.ts";

const signedBy = {
  signedBy: [hexOf(SITE_KEY).slice(0, 16)],
  signatures: [{ fingerprint: SITE_KEY, signature: Buffer.alloc(64) }],
};

/** Name, version and size of the largest wheels, as the real engines have them. */
const WHEELS = [
  ["vllm", "0.30.0", 315_400_000],
  ["torch", "2.13.0+cu130", 527_300_000],
  ["nvidia-cublas", "13.1.0.3", 423_100_000],
  ["nvidia-cudnn-cu13", "9.19.0.56", 366_200_000],
  ["sglang", "0.5.23", 6_100_000],
  ["sglang-kernel", "0.4.9", 373_000_000],
] as const;

interface Numbers {
  packages: number;
  bytes: number;
  glibc: string;
}

/** A mirror with Python engines of the sizes that they really have: one bundle proven closed, one not. */
export function pythonCatalog(): Catalog {
  const vllm = (arch: Arch, numbers: Numbers): CarriedBuild => build("vllm", "0.30.0", "cu13", arch, numbers);
  const first = bundleOf("site-a", "proven", "2026-10-13T09:02:47Z", [
    vllm("amd64", { packages: 198, bytes: 3_890_000_000, glibc: "2.31" }),
    vllm("arm64", { packages: 198, bytes: 3_950_000_000, glibc: "2.34" }),
  ]);
  const second = bundleOf("gpu-lab", "skipped", "2026-10-14T15:31:02Z", [
    build("sglang", "0.5.23", "cu13", "amd64", { packages: 207, bytes: 4_340_000_000, glibc: "2.34" }),
  ]);
  return catalogOf([first, second], (path) => path.startsWith("locks/vllm/0.30.0/arm64/"));
}

function bundleOf(
  name: string,
  closure: PythonPart["closure"],
  importedAt: string,
  builds: CarriedBuild[],
): LoadedBundle {
  const wheels = WHEELS.map(([project, version]): CarriedWheel => {
    const path = pathOf(project, version);
    return {
      path,
      project,
      version,
      index: version.includes("+") ? { kind: "extra", name: "cu130" } : { kind: "default" },
      uploadedAt: "2026-09-20T10:00:00Z",
      metadata: digestOf(metadataPath(path)),
    };
  });
  const files = new Map<string, CarriedFile>();
  const add = (path: string, size: number): void => {
    const url = `https://upstream.example/${path}`;
    files.set(path, {
      path,
      digest: digestOf(path),
      size,
      url,
      updatedAt: "2026-09-20T10:00:00Z",
      trust: "index",
    });
  };
  for (const [project, version, size] of WHEELS) {
    const path = pathOf(project, version);
    add(path, size);
    add(metadataPath(path), 9_000);
  }
  add(UV_PATH, 22_000_000);
  add(INTERPRETER_PATH, 31_000_000);
  for (const { python } of builds) if (python !== undefined) add(python.lock, 95_000);
  const python: PythonPart = {
    uv: "0.12.23",
    closure,
    wheels,
    publications: [],
    interpreters: [
      {
        key: "cpython-3.12.15-linux-x86_64-gnu",
        arch: "amd64",
        version: "3.12.15",
        build: "20261003",
        path: INTERPRETER_PATH,
      },
    ],
    notCarried: builds.slice(0, 1).flatMap(({ engine }) => [
      {
        engine,
        what: "model weights and tokenizers (Hugging Face Hub; on the node set HF_HUB_OFFLINE=1 and give a local folder)",
      },
      { engine, what: "kernels that flashinfer compiles or fetches at first use on some cards" },
    ]),
  };
  const document = {
    name,
    counter: 1,
    created: "2026-10-11T17:20:00Z",
    builds,
    files: [...files.values()],
    python,
  };
  return loadedBundle(document, { ...signedBy, importedAt });
}

function pathOf(project: string, version: string): string {
  const file = `${project.replaceAll("-", "_")}-${version}-cp38-abi3-manylinux_2_31_x86_64.whl`;
  if (version.includes("+")) return `whl/cu130/${file}`;
  const hex = hexOf(digestOf(file));
  return `packages/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}/${file}`;
}

function build(engine: string, version: string, variant: string, arch: Arch, numbers: Numbers): CarriedBuild {
  const lock = `locks/${engine}/${version}/${arch}/${variant}/pylock.toml`;
  const machine = arch === "amd64" ? "x86_64" : "aarch64";
  return {
    engine,
    version,
    arch,
    variant,
    build: { variant, binary: engine, python: "3.12", requirements: [`${engine}==${version}`] },
    needs: { nvidia: true, driver: "580" },
    files: [lock, UV_PATH, INTERPRETER_PATH, ...WHEELS.map(([project, of]) => pathOf(project, of))],
    python: {
      version: "3.12",
      lock,
      uv: UV_PATH,
      interpreter: INTERPRETER_PATH,
      assets: [],
      platform: `${machine}-manylinux_2_35`,
      published: "2026-09-22T05:23:10Z",
      excludeNewer: "2026-09-23T05:23:10Z",
      requirements: [`${engine}==${version}`],
      ...numbers,
    },
  };
}

import { readFile } from "node:fs/promises";
import type { PythonBuild } from "../../../src/bundle/document-python.ts";
import type { Build } from "../../../src/recipe/build.ts";
import { Recipe } from "../../../src/recipe/schema.ts";
import { type TarMember, tarGzOf } from "../archives/tar-gz.ts";
import { type BundledWheel, INTERPRETER_PATH, pythonBundle, UV_PATH } from "../python-bundle.ts";
import { type Distribution, makeWheel } from "../python-index/wheel.ts";
import { realInterpreter } from "../real-interpreter.ts";
import { realUv } from "../real-uv.ts";
import type { TestBundle } from "../served-store.ts";

export interface PythonPractice {
  name?: string;
  counter?: number;
  /** Default `small`. */
  engine?: string;
  /** Default 1.0. */
  versions?: readonly string[];
  /** Default: the engine's own wheel, with a program of its name, and a library that it needs. */
  wheels?: (version: string) => readonly Distribution[];
  /** Of every build, besides what makes it small's. */
  build?: Partial<Build>;
  python?: Partial<PythonBuild>;
  /** Further files, by mirror path. */
  files?: Readonly<Record<string, Buffer | string>>;
  /** Changes the text of every lock. */
  lock?: (text: string) => string;
  /** Default: a Python of this machine. */
  interpreter?: { path: string; archive: Buffer };
}

/** A bundle with an engine that runs in Python: real uv, a real interpreter, wheels made in code. */
export async function pythonPractice(options: PythonPractice = {}): Promise<TestBundle> {
  const { name = "py", counter = 1, engine = "small", versions = ["1.0"], wheels = smallWheels } = options;
  const { version: python, archive } = await realInterpreter();
  const interpreter = options.interpreter ?? { path: INTERPRETER_PATH, archive };
  const recipe = practiceRecipe(engine, { python, ...options.build });
  const bundle = pythonBundle({
    name,
    counter,
    files: { [UV_PATH]: await uvArchive(), [interpreter.path]: interpreter.archive, ...options.files },
    builds: versions.map((version) => {
      const bundled = wheels(version).map((distribution): BundledWheel => ({ distribution }));
      const build: Build = {
        variant: "cpu",
        binary: engine,
        python,
        requirements: [`${engine}==${version}`],
        ...options.build,
      };
      return {
        engine,
        version,
        wheels: bundled,
        python: { version: python, interpreter: interpreter.path, ...options.python },
        changes: { build },
      };
    }),
    document: { recipes: [{ engine, recipe }] },
  });
  const { lock = (text: string): string => text } = options;
  return withParts(bundle, (text) => lock(text.replace(">=3.12", `>=${python}`)));
}

/** Source and assets are files of their builds too, and locks are for the Python that is here. */
function withParts(bundle: TestBundle, lock: (text: string) => string): TestBundle {
  const builds = bundle.document?.builds?.map((build) => {
    const { source, assets = [] } = build.python ?? {};
    return { ...build, files: [...build.files, ...(source === undefined ? [] : [source]), ...assets] };
  });
  const files = Object.entries(bundle.files ?? {}).map(([path, content]) => [
    path,
    path.endsWith("/pylock.toml") ? lock(String(content)) : content,
  ]);
  return {
    ...bundle,
    files: Object.fromEntries(files) as Record<string, string | Buffer>,
    document: { ...bundle.document, ...(builds === undefined ? {} : { builds }) },
  };
}

function practiceRecipe(engine: string, { source, ...build }: Partial<Build>): Recipe {
  const own = { variant: "cpu", binary: engine, requirements: [`${engine}=={version}`] };
  const { top, dir, url } = source ?? {};
  return Recipe.parse({
    label: "Small",
    github: "o/small",
    pypi: engine,
    versions: { pattern: "^[0-9.]+$", ordering: "pep440", example: "1.0" },
    arch: { amd64: "x86_64", arm64: "aarch64" },
    ...(source === undefined ? {} : { defaults: { source: { top, dir, url } }, releases: PINS }),
    builds: [{ ...own, ...build }],
  });
}

const PINS = { "1.0": { sha256: "0".repeat(64), published: "2026-09-01T08:00:00Z" } };

/** `small VERSION on lib 2.0`, from a program that needs a second wheel. */
export function smallWheels(version: string): Distribution[] {
  const main = `import sys\nimport lib\n\n\ndef main():\n    print("small ${version} on lib", lib.VERSION, *sys.argv[2:])\n`;
  return [
    makeWheel({
      name: "small",
      version,
      requires: ["lib==2.0"],
      scripts: { small: "small:main" },
      files: { "small/__init__.py": main },
    }),
    makeWheel({ name: "lib", version: "2.0+local" }),
  ];
}

let uv: Promise<Buffer> | undefined;

/** The real uv as its release packs it. */
export function uvArchive(): Promise<Buffer> {
  uv ??= realUv().then(async (path) => {
    const members: TarMember[] = [
      { path: "uv-x86_64-unknown-linux-gnu/", type: "Directory" },
      { path: "uv-x86_64-unknown-linux-gnu/uv", content: await readFile(path), mode: 0o755 },
    ];
    return tarGzOf(members);
  });
  return uv;
}

/** A torch with kernels for one kind of card; PRACTICE_CARDS says how many of 8.9 there are. */
export function torchWheel(arch: string): Distribution {
  const module = `import os
__version__ = "2.10.0"


class version:
    cuda = "13.0"


class cuda:
    is_available = staticmethod(lambda: cuda.device_count() > 0)
    device_count = staticmethod(lambda: int(os.environ.get("PRACTICE_CARDS", "0")))
    get_device_name = staticmethod(lambda number: "Practice GPU")
    get_device_capability = staticmethod(lambda number: (8, 9))
    get_arch_list = staticmethod(lambda: ["${arch}"])


class Tensor:
    def __init__(self, each):
        self.each = each

    def __matmul__(self, other):
        return Tensor(64.0)

    def sum(self):
        return self

    def item(self):
        return self.each * 64 * 64


def ones(shape, device):
    if "${arch}" != "sm_89":
        raise RuntimeError("CUDA error: no kernel image is available for execution on the device\\nSearch for it")
    return Tensor(1.0)
`;
  return makeWheel({ name: "torch", version: "2.10.0", files: { "torch/__init__.py": module } });
}

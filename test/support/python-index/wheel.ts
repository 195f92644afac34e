import { createHash } from "node:crypto";
import { type Digest, digestOf } from "../../../src/lib/digest.ts";
import { tarGzOf } from "../archives/tar-gz.ts";
import { zipOf } from "./zip-file.ts";

export interface WheelWords {
  /** As its maker writes it: `Markdown_It.py` is a name of `markdown-it-py`. */
  name: string;
  /** `1.0`, `2.10.0+cu129` */
  version: string;
  /** Build number, of which the file's name speaks: `2`. */
  build?: string;
  /** `py3-none-any` by default; `cp312-cp312-manylinux_2_17_x86_64`. */
  tag?: string;
  /** PEP 508, a line each: `idna>=3; platform_machine == "aarch64"`. */
  requires?: string[];
  requiresPython?: string;
  extras?: string[];
  /** Content by path; without it there is one module that has `VERSION`. */
  files?: Record<string, string>;
  /** `{ tool: "tool:main" }` */
  scripts?: Record<string, string>;
  /** Bytes that do not compress, to make it larger. */
  ballast?: Uint8Array;
}

/** A distribution as an index lists it. */
export interface Distribution {
  /** Normalised. */
  project: string;
  version: string;
  filename: string;
  bytes: Buffer;
  digest: Digest;
  /** METADATA, byte for byte; undefined of a source archive. */
  metadata: Buffer | undefined;
  requiresPython: string | undefined;
}

/** A wheel that installs with pip and uv: METADATA, WHEEL, RECORD and its files. */
export function makeWheel(words: WheelWords): Distribution {
  const { name, version, tag = "py3-none-any", build } = words;
  const stem = `${name.replace(/[-_.]+/g, "_")}-${version}`;
  const info = `${stem}.dist-info`;
  const module = name.replace(/[-_.]+/g, "_").toLowerCase();
  const files = words.files ?? {
    [`${module}/__init__.py`]: `VERSION = "${version}"\n\n\ndef main():\n    print("${name}", VERSION)\n`,
  };
  const metadata = metadataOf(words);
  const members: { name: string; content: Uint8Array | string }[] = [
    ...Object.entries(files).map(([path, content]) => ({ name: path, content })),
    { name: `${info}/METADATA`, content: metadata },
    { name: `${info}/WHEEL`, content: wheelFile(tag, build) },
  ];
  if (words.ballast !== undefined) members.push({ name: `${module}/ballast.bin`, content: words.ballast });
  if (words.scripts !== undefined) {
    const lines = Object.entries(words.scripts).map(([script, target]) => `${script} = ${target}\n`);
    members.push({ name: `${info}/entry_points.txt`, content: `[console_scripts]\n${lines.join("")}` });
  }
  const record = members.map(({ name: path, content }) => {
    const hash = createHash("sha256").update(content).digest("base64url");
    return `${path},sha256=${hash},${Buffer.from(content).length}\n`;
  });
  members.push({ name: `${info}/RECORD`, content: `${record.join("")}${info}/RECORD,,\n` });
  const bytes = zipOf(members);
  return {
    project: normalised(name),
    version,
    filename: `${stem}${build === undefined ? "" : `-${build}`}-${tag}.whl`,
    bytes,
    digest: digestOf(bytes),
    metadata: Buffer.from(metadata),
    requiresPython: words.requiresPython,
  };
}

/** A source archive: setuptools is what it says it is built with. */
export function makeSdist(words: Pick<WheelWords, "name" | "version" | "requires">): Distribution {
  const stem = `${words.name.replace(/[-_.]+/g, "_").toLowerCase()}-${words.version}`;
  const text = (path: string, content: string) => ({
    path: `${stem}/${path}`,
    content: Buffer.from(content),
  });
  const bytes = tarGzOf([
    text("PKG-INFO", metadataOf(words)),
    text("pyproject.toml", '[build-system]\nrequires = ["setuptools"]\n'),
  ]);
  return {
    project: normalised(words.name),
    version: words.version,
    filename: `${stem}.tar.gz`,
    bytes,
    digest: digestOf(bytes),
    metadata: undefined,
    requiresPython: undefined,
  };
}

function metadataOf({ name, version, requires = [], requiresPython, extras = [] }: WheelWords): string {
  return [
    "Metadata-Version: 2.2",
    `Name: ${name}`,
    `Version: ${version}`,
    ...(requiresPython === undefined ? [] : [`Requires-Python: ${requiresPython}`]),
    ...requires.map((line) => `Requires-Dist: ${line}`),
    ...extras.map((extra) => `Provides-Extra: ${extra}`),
    "",
    `${name} is made in a test.`,
    "",
  ].join("\n");
}

function wheelFile(tag: string, build: string | undefined): string {
  const [pythons = "", abis = "", platforms = ""] = tag.split("-");
  const tags = pythons
    .split(".")
    .flatMap((python) =>
      abis
        .split(".")
        .flatMap((abi) => platforms.split(".").map((platform) => `${python}-${abi}-${platform}`)),
    );
  return [
    "Wheel-Version: 1.0",
    "Generator: a test",
    `Root-Is-Purelib: ${platforms === "any"}`,
    ...(build === undefined ? [] : [`Build: ${build}`]),
    ...tags.map((one) => `Tag: ${one}`),
    "",
  ].join("\n");
}

/** PEP 503, of the tests' own: the product's is what they test. */
export function normalised(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}

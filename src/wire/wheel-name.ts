/** The name of a wheel's file, read: what it is of and where it runs (PEP 427, PEP 425, PEP 600). */
export interface WheelName {
  /** Normalised. */
  project: string;
  /** As it is written: `2.10.0+cu129`. */
  version: string;
  /** `2` of `vllm-0.23.0-2-…`: number and what follows it. */
  build: { number: number; rest: string } | undefined;
  pythons: string[];
  abis: string[];
  platforms: string[];
}

/** PEP 503: `Markdown_It.py` is `markdown-it-py`. */
export function normaliseProject(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}

/** Project, version, build and the three tags; `%` stands in none of them, so encoded names are refused. */
const PATTERN =
  /^([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-([A-Za-z0-9!+._]+)(?:-(\d[A-Za-z0-9._]*))?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/;

/** Undefined where it is no wheel's name. `filename` is decoded. */
export function parseWheelName(filename: string): WheelName | undefined {
  const found = PATTERN.exec(filename);
  if (found === null) return undefined;
  const [project = "", version = "", build, ...tags] = found.slice(1);
  const [pythons = [], abis = [], platforms = []] = tags.map((tag) => tag.split("."));
  return { project: normaliseProject(project), version, build: parseBuild(build), pythons, abis, platforms };
}

/** The digits at its beginning count as a number, and what follows them as text. */
function parseBuild(build: string | undefined): WheelName["build"] {
  if (build === undefined) return undefined;
  const number = Number.parseInt(build, 10);
  return { number, rest: build.replace(/^\d+/, "") };
}

/** `cu129` of `2.10.0+cu129`, also of `2.10.0+abc.cu129`; undefined where no CUDA family is named. */
export function cudaFamily(version: string): string | undefined {
  const local = version.split("+")[1] ?? "";
  return local
    .toLowerCase()
    .split(/[._-]/)
    .find((part) => /^cu\d{2,3}$/.test(part));
}

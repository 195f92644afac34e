import type { Digest } from "../lib/digest.ts";
import { buildName } from "./build-name.ts";
import type { BundleDocument } from "./document.ts";
import { metadataPath } from "./document-python.ts";

/** What contradicts itself in a document's words on Python, as sentences; empty where nothing does. */
export function checkPython(document: BundleDocument): string[] {
  return [...checkBuilds(document), ...checkWheels(document)];
}

function checkBuilds({ python, builds }: BundleDocument): string[] {
  const problems: string[] = [];
  for (const carried of builds) {
    const { python: build, files: needed } = carried;
    if (build === undefined) continue;
    const name = buildName(carried);
    if (python === undefined) {
      problems.push(`the build ${name} runs in Python, of which the document says nothing`);
    }
    const parts = [build.lock, build.uv, build.interpreter, build.source, build.wheel, ...build.assets];
    for (const path of parts) {
      if (path !== undefined && !needed.includes(path)) {
        problems.push(`the build ${name} names ${path}, which is not among the files that it needs`);
      }
    }
  }
  return problems;
}

function checkWheels({ python, files }: BundleDocument): string[] {
  const digests = new Map<string, Digest>(files.map(({ path, digest }) => [path, digest]));
  const problems: string[] = [];
  const demand = (what: string, path: string): void => {
    if (!digests.has(path)) problems.push(`${what} ${path} is not among the files`);
  };
  const seen = new Set<string>();
  for (const { path, metadata } of python?.wheels ?? []) {
    if (seen.has(path)) problems.push(`the wheel ${path} is listed twice`);
    seen.add(path);
    if (!path.endsWith(".whl")) problems.push(`the wheel ${path} is not called as one`);
    demand("the wheel", path);
    demand("the metadata", metadataPath(path));
    const served = digests.get(metadataPath(path));
    if (served !== undefined && served !== metadata) {
      problems.push(`the wheel ${path} and the files disagree about the digest of its metadata`);
    }
  }
  for (const { path } of python?.interpreters ?? []) demand("the interpreter", path);
  return problems;
}

import { FerryError, isFerryError } from "../../errors.ts";
import { parseDigest } from "../../lib/digest.ts";
import type { PylockFile } from "../../wire/pylock.ts";
import { compile } from "./compile.ts";
import type { IndexRelease } from "./types.ts";
import type { Uv } from "./uv-process.ts";

export interface ReleaseQuestion {
  /** Normalised. */
  project: string;
  version: string;
  /** `3.12` */
  python: string;
}

/**
 * A release as the index has it now, with the files of every platform, asked through uv. Its publication is the latest
 * upload of them all. Throws PYTHON_NO_SOLUTION where it is not there or undated, PYTHON_SOURCE_ONLY where it has no wheel.
 */
export async function askRelease(uv: Uv, question: ReleaseQuestion): Promise<IndexRelease> {
  const { project, version, python } = question;
  const what = `${project} ${version} on the package index`;
  const request = { what, requirements: [`${project}==${version}`], python };
  const options = ["--no-deps", "--universal"];
  // First without source archives: a release that has wheels is never built, so none of its code runs here when uv
  // lists the source archive as well.
  await compile(uv, { ...request, options: [...options, "--no-build"] });
  const { lock } = await compile(uv, { ...request, options });
  const found = lock.packages.flatMap(({ wheels, sdist }) => [
    ...wheels,
    ...(sdist === undefined ? [] : [sdist]),
  ]);
  const published = latest(found);
  if (published === undefined) {
    throw new FerryError("PYTHON_NO_SOLUTION", `${what} has no upload times`, {
      hint: "Locks are frozen at a release's publication: let UV_DEFAULT_INDEX name an index that gives upload times (PEP 700).",
    });
  }
  return {
    project,
    version: lock.packages[0]?.version ?? version,
    published,
    files: found.map((file) => ({
      filename: file.name,
      url: file.url ?? "",
      size: file.size,
      digest: uv.unclaimed.has(bare(file.url))
        ? undefined
        : parseDigest(`sha256:${file.hashes["sha256"] ?? ""}`),
      uploadedAt: file.uploadTime ?? published,
    })),
  };
}

/** The latest upload of a release on the default index, or undefined where it is not there or undated. */
export async function latestUpload(uv: Uv, question: ReleaseQuestion): Promise<string | undefined> {
  const { project, version, python } = question;
  const what = `${project} ${version} on the package index`;
  const requirements = [`${project}==${version}`];
  try {
    const options = ["--no-deps", "--universal", "--no-build"];
    const { lock } = await compile(uv, { what, requirements, python, options });
    return latest(lock.packages.flatMap(({ wheels }) => wheels));
  } catch (error) {
    if (isFerryError(error, "PYTHON_NO_SOLUTION") || isFerryError(error, "PYTHON_SOURCE_ONLY")) {
      return undefined;
    }
    throw error;
  }
}

function bare(url = ""): string {
  return url.replace(/#.*$/, "");
}

function latest(files: readonly PylockFile[]): string | undefined {
  return files
    .map((file) => file.uploadTime)
    .filter((time) => time !== undefined)
    .sort((a, b) => Date.parse(a) - Date.parse(b))
    .at(-1);
}

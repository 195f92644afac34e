import { z } from "zod";
import type { BundleSource } from "../archive/bundle-source.ts";
import { sumSizes } from "../lib/size.ts";
import { Needs } from "../recipe/build.ts";
import { KeyRef } from "../trust/key-id.ts";
import type { Verifier } from "../trust/verifier.ts";
import { type BundleDocument, type CarriedBuild, CarriedFile, MissingBuild } from "./document.ts";
import { metadataPath, type PythonBuild, PythonPart } from "./document-python.ts";
import { Arch, Sha256 } from "./document-values.ts";
import { type OpenedBundle, openBundle } from "./open.ts";

const InspectedBuild = z.strictObject({
  arch: Arch,
  variant: z.string(),
  needs: Needs,
  /** Mirror paths, in the order of the recipe. */
  files: z.array(z.string()),
  bytes: z.int(),
  /** Of an engine that runs in Python. */
  python: z
    .strictObject({
      version: z.string(),
      packages: z.int(),
      /** Newest glibc that a package needs. */
      glibc: z.string(),
      /** Bytes of the wheels that an installation downloads. */
      bytes: z.int(),
      excludeNewer: z.string(),
    })
    .optional(),
});

const InspectedPython = z.object({
  uv: PythonPart.shape.uv,
  resolvedBy: PythonPart.shape.resolvedBy,
  closure: PythonPart.shape.closure,
  notCarried: PythonPart.shape.notCarried,
});

/** `ferry inspect --json`: what a bundle says about itself. Sizes are bytes. No file's bytes have been looked at. */
export const InspectReport = z.strictObject({
  /** The path that was read, or `standard input`. */
  bundle: z.string(),
  formatVersion: z.int(),
  name: z.string(),
  counter: z.int(),
  created: z.string(),
  /** Digest of the manifest: what a signature covers. */
  manifest: Sha256,
  signature: z.strictObject({
    /** Whether a key was given and the signature checked with it. False means that anybody may have written all this. */
    checked: z.boolean(),
    /** The given keys that signed; empty where nothing was checked. */
    signedBy: z.array(KeyRef),
    /** The keys that the signatures claim; empty where the bundle is unsigned. */
    claims: z.array(KeyRef),
  }),
  /** Distinct contents and their size. */
  contents: z.int(),
  bytes: z.int(),
  engines: z.array(
    z.strictObject({
      engine: z.string(),
      version: z.string(),
      /** Size of what the builds need, each content once. */
      bytes: z.int(),
      builds: z.array(InspectedBuild),
    }),
  ),
  files: z.array(CarriedFile),
  /** Absent where no engine runs in Python. */
  python: InspectedPython.optional(),
  /** Paths of files that no build needs, wheels' metadata left out. */
  otherFiles: z.array(z.string()),
  releases: z.array(
    z.strictObject({ repo: z.string(), tag: z.string(), publishedAt: z.string(), assets: z.int() }),
  ),
  /** Gaps that the builder allowed. */
  missing: z.array(MissingBuild),
});
export type InspectReport = z.infer<typeof InspectReport>;

/**
 * Reads a bundle's metadata, and no more of it. Without verifiers the signature is not checked, and the report says so.
 * Throws what `openBundle` throws.
 */
export async function inspectBundle(
  source: BundleSource,
  verifiers?: readonly Verifier[],
): Promise<InspectReport> {
  const opened = await openBundle(source, verifiers === undefined ? "unsigned-ok" : { verifiers });
  return reportBundle(opened, verifiers !== undefined);
}

function reportBundle(opened: OpenedBundle, checked: boolean): InspectReport {
  const { document, blobs } = opened;
  const { python } = document;
  const needed = new Set([
    ...document.builds.flatMap(({ files }) => files),
    ...(python?.wheels ?? []).map(({ path }) => metadataPath(path)),
  ]);
  return {
    bundle: opened.label,
    formatVersion: document.formatVersion,
    name: document.name,
    counter: document.counter,
    created: document.created,
    manifest: opened.manifestDigest,
    signature: { checked, signedBy: opened.signedBy, claims: opened.claims },
    contents: blobs.length,
    bytes: sumSizes(blobs),
    engines: inspectEngines(document),
    files: document.files,
    ...(python === undefined ? {} : { python: InspectedPython.parse(python) }),
    otherFiles: document.files.map(({ path }) => path).filter((path) => !needed.has(path)),
    releases: document.releases.map(({ repo, tag, publishedAt, assets }) => ({
      repo,
      tag,
      publishedAt,
      assets: assets.length,
    })),
    missing: document.missing,
  };
}

function inspectEngines(document: BundleDocument): InspectReport["engines"] {
  const bytesOf = sizer(document);
  const engines = new Map<string, CarriedBuild[]>();
  for (const build of document.builds) {
    const key = `${build.engine} ${build.version}`;
    engines.set(key, [...(engines.get(key) ?? []), build]);
  }
  return [...engines.values()].map((builds) => ({
    engine: builds[0]?.engine ?? "",
    version: builds[0]?.version ?? "",
    bytes: bytesOf(builds.flatMap(({ files }) => files)),
    builds: builds.map(({ arch, variant, needs, files, python }) => ({
      arch,
      variant,
      needs,
      files,
      bytes: bytesOf(files),
      ...(python === undefined ? {} : { python: pythonFacts(python) }),
    })),
  }));
}

function pythonFacts({
  version,
  packages,
  glibc,
  bytes,
  excludeNewer,
}: PythonBuild): z.infer<typeof InspectedBuild>["python"] {
  return { version, packages, glibc, bytes, excludeNewer };
}

/** Sums the sizes of the distinct contents behind some paths. */
function sizer(document: BundleDocument): (paths: readonly string[]) => number {
  const files = new Map(document.files.map((file) => [file.path, file]));
  return (paths) => {
    const sizes = new Map(paths.map((path) => [files.get(path)?.digest, files.get(path)?.size ?? 0]));
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  };
}

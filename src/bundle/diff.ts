import { z } from "zod";
import { canonicalJson, type Json } from "../lib/canonical-json.ts";
import { buildName } from "./build-name.ts";
import { type BundleDocument, type CarriedBuild, type CarriedFile } from "./document.ts";
import { Arch, Sha256 } from "./document-values.ts";

const Named = z.strictObject({ name: z.string(), counter: z.int(), created: z.string() });
const BuildKey = z.strictObject({ engine: z.string(), version: z.string(), arch: Arch, variant: z.string() });
const FileState = z.strictObject({ digest: Sha256, size: z.int(), updatedAt: z.string() });
const FileChange = z.strictObject({ path: z.string(), from: FileState, to: FileState });
const FileAt = FileState.extend({ path: z.string() });

/** `ferry diff --json`: from an older bundle to a newer one. Sizes are bytes. */
export const DiffReport = z.strictObject({
  from: Named,
  to: Named,
  builds: z.strictObject({
    added: z.array(BuildKey),
    removed: z.array(BuildKey),
    /** Of the same name in both, with other files, other bytes, or another recipe behind them. */
    changed: z.array(BuildKey.extend({ why: z.array(z.enum(["files", "bytes", "build", "needs"])) })),
  }),
  files: z.strictObject({
    added: z.array(FileAt),
    removed: z.array(FileAt),
    /** The same path with other bytes: somebody replaced a published file. */
    changed: z.array(FileChange),
    unchanged: z.int(),
  }),
  /** Size of the contents that the newer bundle has and the older lacks: what must cross the gap. */
  bytesToCarry: z.int(),
  /** Size of all contents of the newer bundle. */
  bytes: z.int(),
});
export type DiffReport = z.infer<typeof DiffReport>;

/** What changed between two bundles. A pure function of their documents. */
export function diffDocuments(from: BundleDocument, to: BundleDocument): DiffReport {
  const before = new Map(from.files.map((file) => [file.path, file]));
  const after = new Map(to.files.map((file) => [file.path, file]));
  const held = new Set(from.files.map(({ digest }) => digest));
  const contents = new Map(to.files.map(({ digest, size }) => [digest, size]));
  const kept = to.files.flatMap((file) => {
    const old = before.get(file.path);
    return old === undefined ? [] : [{ old, file }];
  });
  const changed = kept.filter(({ old, file }) => old.digest !== file.digest);
  return {
    from: named(from),
    to: named(to),
    builds: diffBuilds(from, to),
    files: {
      added: to.files.filter(({ path }) => !before.has(path)).map(fileAt),
      removed: from.files.filter(({ path }) => !after.has(path)).map(fileAt),
      changed: changed.map(({ old, file }) => ({ path: file.path, from: state(old), to: state(file) })),
      unchanged: kept.length - changed.length,
    },
    bytesToCarry: sum([...contents].filter(([digest]) => !held.has(digest))),
    bytes: sum([...contents]),
  };
}

function diffBuilds(from: BundleDocument, to: BundleDocument): DiffReport["builds"] {
  const before = new Map(from.builds.map((build) => [buildName(build), build]));
  const after = new Set(to.builds.map(buildName));
  const digestsBefore = new Map(from.files.map(({ path, digest }) => [path, digest]));
  const digestsAfter = new Map(to.files.map(({ path, digest }) => [path, digest]));
  const changed = to.builds.flatMap((build) => {
    const old = before.get(buildName(build));
    if (old === undefined) return [];
    const why: DiffReport["builds"]["changed"][number]["why"] = [];
    if (differ(old.files, build.files)) why.push("files");
    else if (build.files.some((path) => digestsBefore.get(path) !== digestsAfter.get(path))) {
      why.push("bytes");
    }
    if (differ(old.build, build.build)) why.push("build");
    if (differ(old.needs, build.needs)) why.push("needs");
    return why.length === 0 ? [] : [{ ...keyOf(build), why }];
  });
  return {
    added: to.builds.filter((build) => !before.has(buildName(build))).map(keyOf),
    removed: from.builds.filter((build) => !after.has(buildName(build))).map(keyOf),
    changed,
  };
}

function differ(a: Json, b: Json): boolean {
  return canonicalJson(a) !== canonicalJson(b);
}

function keyOf({ engine, version, arch, variant }: CarriedBuild): z.infer<typeof BuildKey> {
  return { engine, version, arch, variant };
}

function state({ digest, size, updatedAt }: CarriedFile): z.infer<typeof FileState> {
  return { digest, size, updatedAt };
}

function fileAt(file: CarriedFile): z.infer<typeof FileAt> {
  return { path: file.path, ...state(file) };
}

function named({ name, counter, created }: BundleDocument): z.infer<typeof Named> {
  return { name, counter, created };
}

function sum(contents: readonly (readonly [unknown, number])[]): number {
  return contents.reduce((total, [, size]) => total + size, 0);
}

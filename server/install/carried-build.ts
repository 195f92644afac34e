import type { CarriedBuild, CarriedFile } from "../../src/bundle/document.ts";
import { lastPart } from "../../src/lib/last-part.ts";
import { keyRefFromFingerprint } from "../../src/trust/key-id.ts";
import type { Catalog, CatalogBundle } from "../catalog.ts";
import type { Candidate, PlanFile } from "./install-plan.ts";
import { pythonFiles } from "./python-candidate.ts";

/** What of a catalog an install plan is made of. */
export type InstallCatalog = Pick<Catalog, "bundles" | "lookup">;

/** A build that is here, whole, as the document of one bundle lists it. */
export interface Holding {
  carried: CarriedBuild;
  bundle: Candidate["bundle"];
  files: Candidate["files"];
}

export type BuildName = Pick<CarriedBuild, "engine" | "version" | "arch" | "variant">;

/**
 * Finds a build among the bundles, the last imported first, or says why it cannot be had. All its files come from one
 * document, so that one signature vouches for all of them. Bundles that `key` signed come before all others: a node that
 * trusts a key has no use for the same build of another signer.
 */
export function findHolding(catalog: InstallCatalog, name: BuildName, key = ""): Holding | string {
  let reason: string | undefined;
  for (const bundle of inOrder(catalog.bundles, key)) {
    const carried = bundle.document.builds.find((build) => isSame(build, name));
    if (carried === undefined) continue;
    const files = filesOf(catalog, bundle, carried);
    if (typeof files !== "string") {
      const { document, manifest } = bundle;
      return {
        carried,
        bundle: { name: document.name, counter: document.counter, manifest: manifest.digest },
        files,
      };
    }
    reason ??= files;
  }
  return reason ?? whyAbsent(catalog, name);
}

function inOrder(bundles: readonly CatalogBundle[], key: string): CatalogBundle[] {
  const signed = ({ signatures }: CatalogBundle): boolean =>
    signatures.some(({ fingerprint }) => keyRefFromFingerprint(fingerprint).keyId === key);
  const newest = bundles.toReversed();
  return key === "" ? newest : [...newest.filter(signed), ...newest.filter((bundle) => !signed(bundle))];
}

function isSame(build: CarriedBuild, name: BuildName): boolean {
  return (
    build.engine === name.engine &&
    build.version === name.version &&
    build.arch === name.arch &&
    build.variant === name.variant
  );
}

function filesOf(
  catalog: InstallCatalog,
  bundle: CatalogBundle,
  build: CarriedBuild,
): Candidate["files"] | string {
  const found = presentFiles(catalog, bundle, build);
  if (typeof found === "string") return found;
  if (build.python !== undefined) return pythonFiles(build.python, found);
  const archives: PlanFile[] = [];
  for (const { path, digest, size } of found) {
    const archive = archiveKind(path);
    if (archive === undefined) return `${lastPart(path)} is no archive that tar can unpack`;
    archives.push({ path, digest, size, archive, strip: 1 });
  }
  return archives;
}

/** All files of a build, in the document's order of the build, wheels too; or why not all of them are here. */
function presentFiles(
  catalog: InstallCatalog,
  { document }: CatalogBundle,
  build: CarriedBuild,
): CarriedFile[] | string {
  const { name, counter, files } = document;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found: CarriedFile[] = [];
  for (const path of build.files) {
    const file = byPath.get(path);
    const served = catalog.lookup(path);
    const last = lastPart(path);
    if (file === undefined || served === undefined) {
      return `bundle ${name}-${counter} lists it, but ${last} is not here: another volume of that bundle has not been imported`;
    }
    if (served.digest !== file.digest) {
      return `bundle ${name}-${counter} lists it, but another bundle has taken the place of ${last}`;
    }
    found.push(file);
  }
  return found;
}

function archiveKind(path: string): PlanFile["archive"] | undefined {
  if (/\.(tar\.gz|tgz)$/.test(path)) return "tar.gz";
  if (/\.(tar\.xz|txz)$/.test(path)) return "tar.xz";
  return path.endsWith(".tar") ? "tar" : undefined;
}

function whyAbsent({ bundles }: InstallCatalog, name: BuildName): string {
  const { engine, version, arch, variant } = name;
  for (const { document } of bundles.toReversed()) {
    const gap = document.missing.find(
      (one) =>
        one.engine === engine && one.version === version && one.arch === arch && one.variant === variant,
    );
    if (gap !== undefined) {
      return `bundle ${document.name}-${document.counter} was built without it: ${gap.reason}`;
    }
  }
  return "no bundle of this mirror carries it";
}

/** What is here of an engine (of all, where none is given), a line each, in the order in which it was imported. */
export function carriedLines({ bundles }: InstallCatalog, engine?: string): string[] {
  const lines = new Map<string, Map<string, Set<string>>>();
  for (const build of bundles.flatMap(({ document }) => document.builds)) {
    if (engine !== undefined && build.engine !== engine) continue;
    const name = `${build.engine} ${build.version}`;
    const archs = lines.get(name) ?? new Map<string, Set<string>>();
    lines.set(name, archs);
    archs.set(build.arch, (archs.get(build.arch) ?? new Set()).add(build.variant));
  }
  return [...lines].map(([name, archs]) => {
    const parts = [...archs].map(([arch, variants]) => `${arch}: ${[...variants].join(", ")}`);
    return `${name} (${parts.join("; ")})`;
  });
}

import { FerryError } from "../../errors.ts";
import { parseDigest } from "../../lib/digest.ts";
import type { Pylock, PylockFile, PylockPackage } from "../../wire/pylock.ts";
import { normaliseProject, parseWheelName } from "../../wire/wheel-name.ts";
import type { ResolvedFile, ResolvedIndex, ResolvedPackage } from "./types.ts";

export interface LockFacts {
  /** Names it in errors. */
  what: string;
  published: string;
  excludeNewer: string;
  extraIndex: { name: string; packages: readonly string[] } | undefined;
  /** Addresses whose digest uv made itself, because no index gave one (P6). */
  unclaimed: ReadonlySet<string>;
  yanked: ReadonlyMap<string, string | true>;
  /** Latest upload of the same public version on the default index, by project of the second one. */
  elsewhere: ReadonlyMap<string, string>;
}

/** The lock's packages as we carry them: wheels alone, each with its index, its claimed digest and its times. */
export function resolvedPackages(lock: Pylock, facts: LockFacts): ResolvedPackage[] {
  return lock.packages
    .map((entry) => resolvedPackage(entry, facts))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function resolvedPackage(entry: PylockPackage, facts: LockFacts): ResolvedPackage {
  const name = normaliseProject(entry.name);
  const { archive } = entry;
  const index = archive === undefined ? indexOf(name, facts) : ({ kind: "none" } as const);
  const wheels = archive === undefined ? entry.wheels : [archive];
  const first = parseWheelName(wheels[0]?.name ?? "");
  if (first === undefined) throw sourceOnly(name, entry.version, facts.what);
  return {
    name,
    version: archive === undefined ? (entry.version ?? first.version) : first.version,
    marker: entry.marker,
    yanked: facts.yanked.get(name),
    files: wheels.map((wheel) => resolvedFile(wheel, name, index, facts)),
  };
}

function indexOf(name: string, { extraIndex }: LockFacts): ResolvedIndex {
  return extraIndex?.packages.includes(name) === true
    ? { kind: "extra", name: extraIndex.name }
    : { kind: "default" };
}

function resolvedFile(
  file: PylockFile,
  project: string,
  index: ResolvedIndex,
  facts: LockFacts,
): ResolvedFile {
  const url = (file.url ?? "").replace(/#.*$/, "");
  return {
    filename: file.name,
    url,
    size: file.size,
    digest: parseDigest(`sha256:${file.hashes["sha256"] ?? ""}`),
    claimed: !facts.unclaimed.has(url),
    index,
    uploadedAt: servedTime(file.uploadTime, facts.elsewhere.get(project), index, facts),
    claimedUploadedAt: file.uploadTime,
  };
}

/**
 * The time that the mirror serves: as claimed by the default index, which was asked with the same limit. PyTorch's dates
 * its files anew when it copies them (P2): there the earlier of its own time and that of the same version on the default
 * index counts. Where that is unknown or past the limit, the engine's publication stands for it.
 */
function servedTime(
  claimed: string | undefined,
  elsewhere: string | undefined,
  index: ResolvedIndex,
  { published, excludeNewer }: LockFacts,
): string {
  const times = index.kind === "extra" ? [claimed, elsewhere] : [claimed];
  const known = times.filter((time) => time !== undefined).sort((a, b) => Date.parse(a) - Date.parse(b));
  const [earliest] = known;
  return earliest === undefined || Date.parse(earliest) >= Date.parse(excludeNewer) ? published : earliest;
}

function sourceOnly(name: string, version: string | undefined, what: string): FerryError {
  return new FerryError(
    "PYTHON_SOURCE_ONLY",
    `${what}: ${name} ${version ?? ""} is locked without a wheel`.replace("  ", " "),
    {
      hint: "Nothing is built from source. Let the recipe give a wheel by its address, as NAME @ https://….whl#sha256=….",
      details: { projects: [name] },
    },
  );
}

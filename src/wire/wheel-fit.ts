import { parseWheelName, type WheelName } from "./wheel-name.ts";

/** Where a wheel is to run: CPython on Linux with glibc. */
export interface WheelTarget {
  /** `3.12` */
  python: string;
  arch: "amd64" | "arm64";
  /** Newest glibc there: `2.35`. */
  glibc: string;
}

const MACHINES = { amd64: "x86_64", arm64: "aarch64" } as const;
/** Names from before PEP 600, as the glibc that they stand for. */
const LEGACY = { manylinux1: 5, manylinux2010: 12, manylinux2014: 17 } as const;
/** Oldest glibc that wheels name: aarch64 came with manylinux2014. */
const OLDEST = { amd64: 5, arm64: 17 } as const;

/** The machine's name in tags and in uv's platforms: `x86_64`. */
export function machineOf(arch: WheelTarget["arch"]): "x86_64" | "aarch64" {
  return MACHINES[arch];
}

/** The oldest glibc that any wheel for an architecture speaks of: what an environment of pure wheels is said to need. */
export function oldestGlibc(arch: WheelTarget["arch"]): string {
  return `2.${OLDEST[arch]}`;
}

/** Minor version of glibc that a platform tag names; 0 for none; undefined where it is of another platform. */
function minorOf(platform: string, machine: string): number | undefined {
  if (platform === "any" || platform === `linux_${machine}`) return 0;
  if (!platform.endsWith(`_${machine}`)) return undefined;
  const name = platform.slice(0, -machine.length - 1);
  const modern = /^manylinux_2_(\d+)$/.exec(name);
  if (modern !== null) return Number(modern[1]);
  return Object.entries(LEGACY).find(([legacy]) => legacy === name)?.[1];
}

/** How well it suits the target, 0 the best, in uv's order of tags; undefined where it does not install there. */
function wheelRank(wheel: WheelName, target: WheelTarget): number | undefined {
  const ranks = ranksFor(target);
  let best: number | undefined;
  for (const python of wheel.pythons) {
    for (const abi of wheel.abis) {
      for (const platform of wheel.platforms) {
        const rank = ranks.get(`${python}-${abi}-${platform}`);
        if (rank !== undefined && (best === undefined || rank < best)) best = rank;
      }
    }
  }
  return best;
}

/**
 * The file that uv and pip install of a package's: by tags, then by build number, the higher first. Undefined where none
 * fits. Names are decoded.
 */
export function bestWheel<T>(
  files: readonly T[],
  nameOf: (file: T) => string,
  target: WheelTarget,
): T | undefined {
  const fitting = files.flatMap((file) => {
    const wheel = parseWheelName(nameOf(file));
    const rank = wheel === undefined ? undefined : wheelRank(wheel, target);
    return wheel === undefined || rank === undefined ? [] : [{ file, rank, build: wheel.build }];
  });
  fitting.sort((a, b) => a.rank - b.rank || compareBuilds(b.build, a.build));
  return fitting[0]?.file;
}

function compareBuilds(a: WheelName["build"], b: WheelName["build"]): number {
  const numbers = (a?.number ?? -1) - (b?.number ?? -1);
  if (numbers !== 0) return numbers;
  const [first, second] = [a?.rest ?? "", b?.rest ?? ""];
  return first === second ? 0 : first < second ? -1 : 1;
}

const known = new Map<string, ReadonlyMap<string, number>>();

function ranksFor(target: WheelTarget): ReadonlyMap<string, number> {
  const key = `${target.python} ${target.arch} ${target.glibc}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const ranks = new Map<string, number>();
  for (const tag of tagsFor(target)) if (!ranks.has(tag)) ranks.set(tag, ranks.size);
  known.set(key, ranks);
  return ranks;
}

/** All tags that fit, best first: the order of uv's `crates/uv-platform-tags/src/tags.rs`. */
function tagsFor(target: WheelTarget): string[] {
  const minor = Number(target.python.split(".")[1]);
  const platforms = platformsFor(target);
  const minors = (from: number, to: number): number[] =>
    Array.from({ length: from - to + 1 }, (_, index) => from - index);
  const on = (tag: string): string[] => platforms.map((platform) => `${tag}-${platform}`);
  return [
    ...on(`cp3${minor}-cp3${minor}`),
    ...on(`cp3${minor}-abi3`),
    ...on(`cp3${minor}-none`),
    ...minors(minor - 1, 2).flatMap((older) => on(`cp3${older}-abi3`)),
    ...on(`py3${minor}-none`),
    ...on("py3-none"),
    ...minors(minor - 1, 0).flatMap((older) => on(`py3${older}-none`)),
    `cp3${minor}-none-any`,
    `py3${minor}-none-any`,
    "py3-none-any",
    ...minors(minor - 1, 0).map((older) => `py3${older}-none-any`),
  ];
}

function platformsFor({ arch, glibc }: WheelTarget): string[] {
  const machine = machineOf(arch);
  const platforms: string[] = [];
  for (let minor = Number(glibc.split(".")[1]); minor >= OLDEST[arch]; minor -= 1) {
    platforms.push(`manylinux_2_${minor}_${machine}`);
    for (const [legacy, same] of Object.entries(LEGACY)) {
      if (same === minor) platforms.push(`${legacy}_${machine}`);
    }
  }
  return [...platforms, `linux_${machine}`];
}

/**
 * The newest glibc that a set of packages needs on an architecture, `2.31`: of each package the wheel that is content
 * with the oldest counts, because uv and pip fall back to it. `packages`: the decoded file names of each. Undefined where
 * none needs any: their wheels are pure (`any`), say none (`linux_x86_64`), or are for another architecture.
 */
export function glibcOfPackages(
  packages: readonly (readonly string[])[],
  arch: WheelTarget["arch"],
): string | undefined {
  const minors = packages.map((filenames) => Math.min(...filenames.map((name) => minorNeeded(name, arch))));
  const newest = Math.max(0, ...minors.filter((minor) => Number.isFinite(minor)));
  return newest === 0 ? undefined : `2.${newest}`;
}

/** Infinity where it is for another architecture. */
function minorNeeded(filename: string, arch: WheelTarget["arch"]): number {
  const machine = machineOf(arch);
  const wheel = parseWheelName(filename);
  const minors = (wheel?.platforms ?? []).map((platform) => minorOf(platform, machine) ?? Infinity);
  return Math.min(...minors);
}

import { FerryError } from "../errors.ts";
import type { Build, BuildProblem } from "./build.ts";
import { near } from "./near.ts";

type Wheel = NonNullable<Build["wheel"]>;

/**
 * The one wheel of a release whose name begins and ends as the recipe says: what lies between (the manylinux tag) moves
 * from version to version. Throws UPSTREAM_MISSING_ASSETS or UPSTREAM_AMBIGUOUS naming the candidates.
 */
export function resolveWheel(wheel: Wheel, assetNames: readonly string[]): string {
  const problem = wheelProblem(wheel, assetNames);
  if (problem !== undefined) {
    throw new FerryError(problem.code, problem.message, {
      hint: "Ask for another version, or correct the wheel's prefix and suffix in the recipe.",
      details: { ...problem },
    });
  }
  return matches(wheel, assetNames)[0] ?? "";
}

export function wheelProblem(wheel: Wheel, assetNames: readonly string[]): BuildProblem | undefined {
  const found = matches(wheel, assetNames);
  if (found.length === 1) return undefined;
  const pattern = `${wheel.prefix}*${wheel.suffix}`;
  const where = `${wheel.repo} ${wheel.tag}`;
  if (found.length > 1) {
    const message = `${where} has ${found.length} wheels where ${pattern} must be one: ${found.join(", ")}`;
    return { code: "UPSTREAM_AMBIGUOUS", assets: [pattern], candidates: found, message };
  }
  const wheels = assetNames.filter((name) => name.endsWith(".whl"));
  const likely = near([pattern], wheels);
  const candidates = likely.length > 0 ? likely : wheels.slice(0, 6);
  const has = candidates.length === 0 ? "it has no wheels" : `it has ${candidates.join(", ")}`;
  return {
    code: "UPSTREAM_MISSING_ASSETS",
    assets: [pattern],
    candidates,
    message: `${where} has no ${pattern}; ${has}`,
  };
}

function matches(wheel: Wheel, assetNames: readonly string[]): string[] {
  const shortest = wheel.prefix.length + wheel.suffix.length;
  return assetNames.filter(
    (name) => name.length >= shortest && name.startsWith(wheel.prefix) && name.endsWith(wheel.suffix),
  );
}

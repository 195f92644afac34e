import type { CarriedBuild } from "./document.ts";

/** How a build is called, and told apart: `llamacpp b11347 amd64 cuda-13.4`. */
export function buildName(build: Pick<CarriedBuild, "engine" | "version" | "arch" | "variant">): string {
  return `${build.engine} ${build.version} ${build.arch} ${build.variant}`;
}

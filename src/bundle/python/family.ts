import { FerryError } from "../../errors.ts";
import type { ResolvedPackage } from "../../upstream/python/types.ts";
import { cudaFamily } from "../../wire/wheel-name.ts";

/** Libraries that torch loads: of two CUDA families, one of the two is missing at run time (`libcudart.so.13` not found). */
const LIBRARY = /^nvidia-(?:cublas|cuda-runtime|cudnn|nccl)-cu(\d{2})$/;

/**
 * The major version of CUDA that a package was built for or is: `12` for `torch 2.13.0+cu129` and `nvidia-cudnn-cu12`;
 * undefined where its name and version do not say.
 */
export function cudaMajor({ name, version }: Pick<ResolvedPackage, "name" | "version">): string | undefined {
  return cudaFamily(version)?.slice(2, 4) ?? LIBRARY.exec(name)?.[1];
}

/**
 * Refuses an environment whose packages were built for different families of CUDA (P13): it would be carried, installed,
 * and fail at its first import. `index` is the name of the second index, which says a family too: `cu129`.
 */
export function refuseMixedFamilies(
  build: string,
  packages: readonly ResolvedPackage[],
  index: string | undefined,
): void {
  const families = new Map<string, string[]>();
  const add = (family: string | undefined, what: string): void => {
    if (family !== undefined) families.set(family, [...(families.get(family) ?? []), what]);
  };
  add(/^cu(\d{2})\d*$/.exec(index ?? "")?.[1], `the index ${index ?? ""}`);
  for (const found of packages) add(cudaMajor(found), `${found.name} ${found.version}`);
  if (families.size <= 1) return;
  const words = [...families].sort().map(([family, what]) => `CUDA ${family}: ${what.join(", ")}`);
  throw new FerryError("PYTHON_FAMILY", `${build} mixes families of CUDA: ${words.join("; ")}`, {
    hint: "Such an environment does not start. Ask for another version or variant; a recipe of your own can pin what fits.",
    details: { families: Object.fromEntries(families) },
  });
}

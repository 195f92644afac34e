import { randomBytesOf } from "./random.ts";
import type { TarMember } from "./tar-gz.ts";

/**
 * A shared library as archives carry it: `libx.so -> libx.so.0 -> libx.so.0.0.7`. `version` is the full one; the link in
 * the middle bears its first number. The content starts like an ELF file and is random otherwise.
 */
export function libraryChain(folder: string, stem: string, version: string, size: number): TarMember[] {
  const [major = version] = version.split(".");
  const middle = `${stem}.so.${major}`;
  const file = `${stem}.so.${version}`;
  const real = { ...library(folder, file, size), path: `${folder}/${file}` };
  const links: TarMember[] = [
    { path: `${folder}/${middle}`, type: "SymbolicLink", linkpath: file, mode: 0o777 },
    { path: `${folder}/${stem}.so`, type: "SymbolicLink", linkpath: middle, mode: 0o777 },
  ];
  return [real, ...links];
}

/** A shared library without links, such as a backend that is loaded by name: `libggml-cuda.so`. */
export function library(folder: string, name: string, size: number): TarMember {
  const content = randomBytesOf(`${folder}/${name}`, Math.max(size, 16));
  content.write("\u007fELF", 0, "latin1");
  return { path: `${folder}/${name}`, content, mode: 0o755 };
}

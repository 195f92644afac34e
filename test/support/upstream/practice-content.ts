import { cudartArchive, llamaArchive } from "../archives/llamacpp.ts";
import { randomBytesOf } from "../archives/random.ts";
import { sourceArchive } from "../archives/source.ts";
import { uvArchive } from "../archives/uv.ts";
import { type Content, lazyContent } from "./content.ts";

export interface ContentRequest {
  repo: string;
  tag: string;
  /** The asset's name; it decides what the bytes look like. */
  name: string;
  /** Bytes that the asset should about have. */
  size: number;
}

/**
 * Bytes for an asset of that name: archives that look like the real ones where an install unpacks them, random bytes of
 * exactly `size` otherwise. The same request gives the same bytes in every process.
 */
export function practiceContent(request: ContentRequest): Content {
  const { repo, tag, name, size } = request;
  // The Windows runtimes carry no tag in their names and are the same bytes in every release.
  const place = name.startsWith("cudart-llama-bin-win-") ? repo : `${repo}/${tag}`;
  const key = `${place}/${name}/${size}`;
  return lazyContent(key, () => archiveFor(request) ?? randomBytesOf(key, size));
}

function archiveFor({ repo, tag, name, size }: ContentRequest): Buffer | undefined {
  const target = /^llama-b\d+-bin-(.+)\.tar\.gz$/.exec(name)?.[1];
  if (target !== undefined) return llamaArchive({ tag, target, size });
  if (/^cudart-llama-.+\.tar\.gz$/.test(name)) return cudartArchive(name, size);
  const triple = /^uv-(.+)\.tar\.gz$/.exec(name)?.[1];
  if (triple !== undefined) return uvArchive(tag, triple, size);
  if (name === "source.tar.gz") return sourceArchive(repo, tag, size);
  return undefined;
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { listSafe } from "../archive/untar-safe.ts";
import { FerryError, fromFileError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { hexOf } from "../lib/digest.ts";
import { makeFolder, writeFileAtomic } from "../lib/files.ts";
import type { Logger } from "../log.ts";
import type { Door } from "../net/door-types.ts";
import { addPin } from "../recipe/pins.ts";
import type { Recipe } from "../recipe/schema.ts";
import { sourceOf } from "../recipe/source.ts";
import type { LayoutStore } from "../store/layout-store.ts";
import type { Releases } from "../upstream/releases.ts";
import { Sha256 } from "./document-values.ts";
import { inTurn } from "./fetch.ts";
import { fetchSource } from "./fetch-source.ts";

/** `ferry recipe pin --json`. */
export const PinReport = z.strictObject({
  engine: z.string(),
  version: z.string(),
  url: z.string(),
  digest: Sha256,
  /** Bytes of the archive as GitHub packs it today. */
  size: z.int(),
  /** Publication of the release: the time that Python resolution is frozen at. */
  published: z.string(),
  /** Where the pin was written. */
  file: z.string(),
});
export type PinReport = z.infer<typeof PinReport>;

export interface PinInput {
  engine: string;
  version: string;
  recipe: Recipe;
  /** Folder that the pin file is written to. */
  overlay: string;
  store: LayoutStore;
  releases: Releases;
  door: Door;
  githubUrl: string;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
  random: () => number;
}

/**
 * Fetches a version's source archive, looks whether it is one (safe paths, the top folder that the recipe names), and
 * pins its digest in the operator's overlay. GitHub publishes no digest for these archives, so this is trust on first
 * use: what is shown is for a person to compare. Throws DIGEST_MISMATCH where another digest is pinned already.
 */
export function pinSource(input: PinInput): Promise<PinReport> {
  return inTurn(input, () => pinInTurn(input));
}

async function pinInTurn(input: PinInput): Promise<PinReport> {
  const { engine, version, recipe, overlay } = input;
  const source = sourceOf(recipe, version);
  const release = await input.releases.byTag(source.repo, source.tag);
  const published = (release.published_at ?? release.created_at).replace(/\.\d+Z$/, "Z");
  const url = `${input.githubUrl}${source.url}`;
  const { digest, size } = await fetchSource(
    { ...input, url, digest: undefined, label: `${recipe.label} ${version} source` },
    (archive) => requireTop(archive, source.top, url),
  );
  const file = join(overlay, `${engine}.pins.yaml`);
  const text = addPin(await existingText(file), version, { sha256: hexOf(digest), published }, file);
  await makeFolder(overlay).catch((error: unknown) => {
    throw fromFileError(error, "make the overlay folder", overlay, "FILE_UNWRITABLE");
  });
  await writeFileAtomic(file, text);
  return { engine, version, url, digest, size, published, file };
}

async function requireTop(archive: string, top: string, url: string): Promise<void> {
  const members = await listSafe(archive);
  const other = members.find((member) => member.path !== top && !member.path.startsWith(`${top}/`));
  if (members.length > 0 && other === undefined) return;
  throw new FerryError(
    "ARCHIVE_UNSAFE",
    `${url}: expected one folder ${top}, found ${other?.path ?? "an empty archive"}`,
    {
      hint: "The archive is not the one that the recipe describes. Nothing was pinned.",
    },
  );
}

async function existingText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw fromFileError(error, "read", file, "FILE_UNREADABLE");
  }
}

import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { isDigest } from "../../lib/digest.ts";

const Offset = z.int().nonnegative();

/** What is known about an unfinished download: it lies beside the partial file as `<name>.json`. */
export const DownloadState = z.strictObject({
  version: z.literal(1),
  /** Asked for, without query and credentials. */
  url: z.string(),
  /** Bytes; null where upstream does not say beforehand. */
  size: Offset.nullable(),
  digest: z.string().refine(isDigest).nullable(),
  /** Of the answers that the bytes came from. */
  etag: z.string().nullable(),
  /** Written byte ranges, sorted, each from start up to but without end. */
  ranges: z.array(z.tuple([Offset, Offset])),
});
export type DownloadState = z.infer<typeof DownloadState>;

export function statePath(partialPath: string): string {
  return `${partialPath}.json`;
}

/** The state, or undefined where there is none that can be read: then nothing is known about the partial file. */
export async function readState(partialPath: string): Promise<DownloadState | undefined> {
  try {
    const parsed = DownloadState.safeParse(JSON.parse(await readFile(statePath(partialPath), "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Replaces the state in one step. Not flushed to the disk: after a loss of power the digest over all bytes decides anyway,
 * and flushing would wait for the data of the download with it.
 */
export async function writeState(partialPath: string, state: DownloadState): Promise<void> {
  const path = statePath(partialPath);
  // One name and not a new one each time: a killed run leaves it, and the next one writes over it.
  const temporary = `${path}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify(state));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes what a finished or abandoned download left beside the partial file. */
export async function removeState(partialPath: string): Promise<void> {
  await rm(statePath(partialPath), { force: true });
  await rm(`${statePath(partialPath)}.tmp`, { force: true });
}

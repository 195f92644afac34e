import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FerryError, fromFileError } from "../errors.ts";
import { type Digest, hexOf, isDigest } from "../lib/digest.ts";
import { writeFileAtomic } from "../lib/files.ts";
import type { LayoutStore } from "./layout-store.ts";

const Mark = z.strictObject({
  what: z.string(),
  digests: z.array(z.string().refine((text): text is Digest => isDigest(text))),
});

/** An import that is running, or was killed and will be resumed: what it names is not garbage. */
export type ImportMark = z.infer<typeof Mark> & { path: string };

/**
 * Marks blobs as wanted before they are looked for or written, until the index names them. `id` is the bundle's manifest
 * digest, so that a resumed import takes over its own mark. Waits for a running garbage collection, so that no blob that
 * was found here can vanish afterwards. Throws STORE_BUSY.
 */
export async function markImport(
  store: LayoutStore,
  id: Digest,
  what: string,
  digests: Iterable<Digest>,
): Promise<{ done(): Promise<void> }> {
  const path = join(store.folders.importing, `${hexOf(id)}.json`);
  const lock = await store.lock("index", `starting to import ${what}`, 60_000);
  try {
    await writeFileAtomic(path, JSON.stringify(Mark.parse({ what, digests: [id, ...digests] })));
  } finally {
    await lock.release();
  }
  return {
    done: async () => {
      await rm(path, { force: true });
    },
  };
}

/** Imports that are running or unfinished. Throws STORE_DAMAGED where a mark cannot be read: it may name anything. */
export async function importMarks(store: LayoutStore): Promise<ImportMark[]> {
  const { importing } = store.folders;
  let names: string[];
  try {
    names = (await readdir(importing)).filter((name) => name.endsWith(".json"));
  } catch (error) {
    throw fromFileError(error, "read", importing, "STORE_DAMAGED");
  }
  const marks: ImportMark[] = [];
  for (const name of names.sort()) {
    const path = join(importing, name);
    try {
      marks.push({ ...Mark.parse(JSON.parse(await readFile(path, "utf8"))), path });
    } catch (cause) {
      throw new FerryError("STORE_DAMAGED", `${path}, the mark of an unfinished import, cannot be read`, {
        cause,
        hint: "Remove it if no import is running, and run the import again.",
      });
    }
  }
  return marks;
}

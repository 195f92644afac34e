import { randomBytes } from "node:crypto";
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

export interface RunningImport {
  /** The index names everything by now: removes this mark, and those that killed imports of the same bundle left. */
  done(): Promise<void>;
  /** Nothing of this run is wanted any more: removes its own mark alone. Another import of the same bundle has its own. */
  giveUp(): Promise<void>;
}

/**
 * Marks blobs as wanted before they are looked for or written, until the index names them. `id` is the bundle's manifest
 * digest. Each run has a mark of its own, so that one which fails takes nothing from another that imports the same bundle.
 * Waits for a running garbage collection, so that no blob that was found here can vanish afterwards. Throws STORE_BUSY.
 */
export async function markImport(
  store: LayoutStore,
  id: Digest,
  what: string,
  digests: Iterable<Digest>,
): Promise<RunningImport> {
  const { importing } = store.folders;
  const own = join(importing, `${hexOf(id)}.${randomBytes(6).toString("hex")}.json`);
  const lock = await store.lock("index", `starting to import ${what}`, 60_000);
  try {
    await writeFileAtomic(own, JSON.stringify(Mark.parse({ what, digests: [id, ...digests] })));
  } finally {
    await lock.release();
  }
  return {
    done: async () => {
      const names = (await readdir(importing)).filter((name) => name.startsWith(hexOf(id)));
      for (const name of names) await rm(join(importing, name), { force: true });
    },
    giveUp: () => rm(own, { force: true }),
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

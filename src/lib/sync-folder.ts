import { open } from "node:fs/promises";

/** Flushes a folder, so that names made or renamed in it survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

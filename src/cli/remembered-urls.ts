import { dirname } from "node:path";
import { z } from "zod";
import { makeFolder, readText, writeFileAtomic } from "../lib/files.ts";

/** A set of addresses that outlives a run. What cannot be read counts as empty. */
export function rememberedUrls(path: string): { read(): Promise<Set<string>>; write(): Promise<void> } {
  const urls = new Set<string>();
  let before = 0;
  return {
    read: async () => {
      for (const url of await load(path)) urls.add(url);
      before = urls.size;
      return urls;
    },
    write: async () => {
      if (urls.size === before) return;
      await makeFolder(dirname(path));
      await writeFileAtomic(path, `${JSON.stringify([...urls].sort())}\n`);
    },
  };
}

async function load(path: string): Promise<string[]> {
  try {
    return z.array(z.string()).parse(JSON.parse(await readText(path)));
  } catch {
    return [];
  }
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { digestOf, hexOf } from "../lib/digest.ts";
import { makeFolder, writeFileAtomic } from "../lib/files.ts";

const CacheEntry = z.strictObject({
  etag: z.string().min(1),
  /** Of the answer: content type, link, last-modified. */
  headers: z.record(z.string(), z.string()),
  text: z.string(),
});
export type CacheEntry = z.infer<typeof CacheEntry>;

/**
 * Answers that were received, to ask again with If-None-Match. An entry is never used without the server's 304, so a
 * stale one costs nothing; GitHub does not count a 304 to a request that carries a token.
 */
export interface ResponseCache {
  get(url: string): Promise<CacheEntry | undefined>;
  set(url: string, entry: CacheEntry): Promise<void>;
}

const Stored = z.strictObject({ version: z.literal(1), key: z.string(), entry: CacheEntry });

/**
 * A cache of one file an answer in `folder`, which may be deleted at any time. Keyed by URL and token, because GitHub's
 * ETags depend on both; the token itself is not stored, its digest's first digits are. A file that cannot be read or
 * written counts as absent: the cache saves requests and is never needed.
 */
export function createResponseCache(folder: string, token: string | undefined): ResponseCache {
  const fingerprint = token === undefined ? "" : hexOf(digestOf(token)).slice(0, 16);
  const keyOf = (url: string): string => hexOf(digestOf(`${fingerprint}\n${url}`));
  const pathOf = (key: string): string => join(folder, `${key}.json`);
  return {
    async get(url) {
      const key = keyOf(url);
      try {
        const stored = Stored.parse(JSON.parse(await readFile(pathOf(key), "utf8")));
        return stored.key === key ? stored.entry : undefined;
      } catch {
        return undefined;
      }
    },
    async set(url, entry) {
      const key = keyOf(url);
      try {
        await makeFolder(folder);
        await writeFileAtomic(pathOf(key), JSON.stringify({ version: 1, key, entry }), 0o600);
      } catch {
        // Without the entry the next run asks for the whole answer.
      }
    },
  };
}

import { FerryError } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import { type Index, Manifest, MEDIA_TYPE_MANIFEST } from "../wire/oci.ts";

/**
 * Every digest that an index names, directly or through its manifests. `readManifest` gives a manifest's verified bytes.
 * Throws STORE_DAMAGED where a manifest cannot be read or is of an unknown kind: nobody may then say that anything is garbage.
 */
export async function reachable(
  index: Index,
  readManifest: (digest: Digest) => Promise<Uint8Array>,
): Promise<Set<Digest>> {
  const found = new Set<Digest>();
  for (const entry of index.manifests) {
    if (entry.mediaType !== MEDIA_TYPE_MANIFEST) {
      throw cannotTell(`the store's index names ${entry.digest} of the unknown kind ${entry.mediaType}`);
    }
    found.add(entry.digest);
    const manifest = parse(await readManifest(entry.digest), entry.digest);
    for (const { digest } of [manifest.config, ...manifest.layers]) found.add(digest);
  }
  return found;
}

function parse(bytes: Uint8Array, digest: Digest): Manifest {
  try {
    return Manifest.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch (cause) {
    throw cannotTell(`${digest} is no OCI image manifest`, cause);
  }
}

function cannotTell(what: string, cause?: unknown): FerryError {
  return new FerryError("STORE_DAMAGED", `${what}, so nothing can be said to be garbage`, {
    cause,
    hint: "Remove that entry from the store's index.json, or import its bundle again; then collect garbage.",
  });
}

import { type Digest, digestFromHex } from "../lib/digest.ts";

/**
 * Digests by file name from the text of a checksum file: `<64 hex>  <name>` lines as sha256sum writes them (`*` marks
 * binary mode), or a lone digest for a sidecar that belongs to one file. Lines of other forms count for nothing, so an
 * HTML page or a signature yields an empty map and the asset stays without a digest; so does one with two digests.
 */
export function parseChecksums(text: string, sidecarOf?: string): Map<string, Digest> {
  const found = new Map<string, Digest>();
  const contradicted = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^([0-9a-fA-F]{64})(?:[ \t]+[*]?(?:\.\/)?(\S.*?))?\s*$/.exec(line);
    if (match?.[1] === undefined) continue;
    const name = match[2] ?? sidecarOf;
    if (name === undefined) continue;
    const digest = digestFromHex(match[1].toLowerCase());
    if ((found.get(name) ?? digest) !== digest) contradicted.add(name);
    found.set(name, digest);
  }
  for (const name of contradicted) found.delete(name);
  return found;
}

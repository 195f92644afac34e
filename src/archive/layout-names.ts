import { printable } from "../lib/printable.ts";
import { INDEX_FILE, LAYOUT_FILE, parseBlobName } from "../wire/oci.ts";

/** What a name inside a bundle may be: one of the layout's files, or a folder that they lie in. */
export type LayoutName = { kind: "file" | "folder"; name: string } | { kind: "refused"; why: string };

const FOLDERS = new Set(["", ".", "blobs", "blobs/sha256"]);

/**
 * Judges a name as it stands in a tar or a folder. Only `oci-layout`, `index.json` and `blobs/sha256/<64 hex>` are files of a
 * bundle; everything else is refused, so that no name of a bundle can lead anywhere. A leading `./` is tolerated, because
 * `tar -c .` writes it. The `ferry/` folder of a store is refused: a store is not a bundle.
 */
export function judgeLayoutName(raw: string, isFolder: boolean): LayoutName {
  const name = raw.replace(/^\.\//, "").replace(isFolder ? /\/$/ : /$^/, "");
  if (raw.startsWith("/")) return { kind: "refused", why: "its name is absolute" };
  if (name.split("/").includes("..")) return { kind: "refused", why: "its name leads out of the bundle" };
  if (name === "ferry" || name.startsWith("ferry/")) {
    return { kind: "refused", why: "this is a store, not a bundle" };
  }
  if (isFolder) {
    return FOLDERS.has(name)
      ? { kind: "folder", name }
      : { kind: "refused", why: "a bundle has no such folder" };
  }
  if (name === LAYOUT_FILE || name === INDEX_FILE || parseBlobName(name) !== undefined) {
    return { kind: "file", name };
  }
  return { kind: "refused", why: "a bundle has no such file" };
}

/** A foreign name for people: quoted, escaped, and not longer than a line. */
export function quoted(name: string): string {
  return `"${printable(name.length > 120 ? `${name.slice(0, 120)}…` : name)}"`;
}

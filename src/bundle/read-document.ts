import { z } from "zod";
import { canonicalJson, type Json } from "../lib/canonical-json.ts";
import { malformed } from "./bundle-faults.ts";
import { checkDocument } from "./check-document.ts";
import { BundleDocument, DOCUMENT_FORMAT } from "./document.ts";
import { parseMetadata } from "./parse-metadata.ts";

/** Looked at before anything else, so that a newer document is called newer and not malformed. */
const FormatVersion = z.looseObject({ formatVersion: z.number() });

/**
 * The document in its canonical bytes. Throws BUNDLE_MALFORMED where it is of another format version, not what the schema
 * says, spelled in another way than ours, or contradicts itself.
 */
export function readDocument(bytes: Buffer, label: string): BundleDocument {
  const format = parseMetadata(FormatVersion, bytes, "its document");
  if (typeof format === "string") throw malformed(label, format);
  if (format.formatVersion !== DOCUMENT_FORMAT) {
    throw malformed(
      label,
      `its format version is ${format.formatVersion}, and this ferry reads version ${DOCUMENT_FORMAT}`,
      "Update engine-ferry on this machine, or build the bundle with the version that is in use here.",
    );
  }
  const document = parseMetadata(BundleDocument, bytes, "its document");
  if (typeof document === "string") throw malformed(label, document);
  if (!Buffer.from(canonicalJson(JSON.parse(bytes.toString("utf8")) as Json)).equals(bytes)) {
    throw malformed(label, "its document is not written as canonical JSON");
  }
  const problems = checkDocument(document);
  if (problems.length > 0) throw malformed(label, `its document contradicts itself: ${problems.join("; ")}`);
  return document;
}

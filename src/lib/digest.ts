import { createHash } from "node:crypto";

/** A content digest as OCI, GitHub and we write it: `sha256:` and 64 lower-case hexadecimal digits. */
export type Digest = `sha256:${string}`;

const PATTERN = /^sha256:[0-9a-f]{64}$/;

export function isDigest(text: string): text is Digest {
  return PATTERN.test(text);
}

/** The digest in `text`, or undefined where it is not one of ours. Upper-case digits are accepted and lowered. */
export function parseDigest(text: string): Digest | undefined {
  const lower = text.toLowerCase();
  return isDigest(lower) ? lower : undefined;
}

/** The 64 digits alone: the blob's file name in an OCI layout. */
export function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}

export function digestFromHex(hex: string): Digest {
  return `sha256:${hex}`;
}

export function digestOf(bytes: Uint8Array | string): Digest {
  return digestFromHex(createHash("sha256").update(bytes).digest("hex"));
}

/** Enough of a digest for a person to compare: the first 12 digits. */
export function shortDigest(digest: Digest): string {
  return hexOf(digest).slice(0, 12);
}

import { FerryError } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import { printable } from "../lib/printable.ts";
import { type CarriedBlob, nameOf } from "./carried-blobs.ts";

/** What can be wrong with a bundle, in words. `label` is how the source calls itself: its path, or `standard input`. */

const CARRY_AGAIN = "Carry the bundle again from the machine that built it, and compare its size there.";
const SHOWN = 10;

export function malformed(label: string, why: string, hint?: string): FerryError {
  return new FerryError("BUNDLE_MALFORMED", `${label} is not a sound bundle: ${why}`, {
    hint: hint ?? `It was made by something else, changed, or damaged on the way. ${CARRY_AGAIN}`,
  });
}

/** A metadata blob whose bytes are not what its name says. `what` names it: `its manifest`. */
export function damagedMetadata(label: string, what: string, expected: Digest, found: Digest): FerryError {
  return new FerryError(
    "DIGEST_MISMATCH",
    `${label}: ${what} is damaged: expected ${expected}, found ${found}`,
    {
      hint: CARRY_AGAIN,
      details: { damaged: [{ paths: [], expected, found }] },
    },
  );
}

/** A carried content with the digest that its bytes have instead of its own. */
export interface DamagedBlob {
  blob: CarriedBlob;
  found: Digest;
}

/** Contents whose bytes are not what the manifest says; at least one. `total` is the number of distinct contents. */
export function damagedFiles(label: string, damaged: readonly DamagedBlob[], total: number): FerryError {
  const lines = damaged.map(({ blob, found }) => `${nameOf(blob)}: expected ${blob.digest}, found ${found}`);
  const [first = ""] = lines;
  const message =
    lines.length === 1
      ? `${label}: damaged file ${first}`
      : `${label}: ${lines.length} of ${total} files are damaged:\n  ${lines.join("\n  ")}`;
  return new FerryError("DIGEST_MISMATCH", message, {
    hint: CARRY_AGAIN,
    details: {
      damaged: damaged.map(({ blob, found }) => ({ paths: blob.paths, expected: blob.digest, found })),
    },
  });
}

export function wrongSize(label: string, blob: CarriedBlob, found: number): FerryError {
  return new FerryError(
    "SIZE_MISMATCH",
    `${label}: ${nameOf(blob)} has ${found} bytes, expected ${blob.size}`,
    {
      hint: CARRY_AGAIN,
      details: { paths: blob.paths, digest: blob.digest, expected: blob.size, found },
    },
  );
}

export function unlisted(label: string, names: readonly string[]): FerryError {
  const what = names.length === 1 ? "a file" : `${names.length} files`;
  return new FerryError(
    "BUNDLE_UNLISTED",
    `${label} holds ${what} that its manifest does not list: ${listed(names)}`,
    {
      hint: "Somebody added to the bundle after it was signed. Take out what does not belong, or carry the bundle again.",
      details: { unlisted: names },
    },
  );
}

/** The bundle ends early. `total` is the number of distinct contents that it should have. */
export function truncated(
  label: string,
  absent: readonly CarriedBlob[],
  total: number,
  cause?: unknown,
): FerryError {
  const paths = absent.flatMap((blob) => blob.paths);
  return new FerryError(
    "BUNDLE_TRUNCATED",
    `${label} is incomplete: ${absent.length} of ${total} files are absent or cut short: ${listed(paths)}`,
    {
      hint: `It was cut on the way, or the medium was full. ${CARRY_AGAIN}`,
      details: { absent: paths },
      cause,
    },
  );
}

export function endsInMetadata(label: string, what: string): FerryError {
  return new FerryError("BUNDLE_TRUNCATED", `${label} is incomplete: it ends before ${what}`, {
    hint: `Nothing of it can be used. ${CARRY_AGAIN}`,
    details: { absent: [what] },
  });
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map(printable).join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}

import { FerryError } from "../errors.ts";

/** Errors of reading a bundle. `label` is how the bundle is called: its path, or `standard input`. */
export function malformed(label: string, what: string, hint?: string): FerryError {
  return new FerryError("BUNDLE_MALFORMED", `${label}: ${what}`, {
    hint:
      hint ??
      "It was damaged or made by something else than ferry. Copy the bundle again, or build it again.",
    details: { bundle: label },
  });
}

/** `missing` is how many bytes are lacking at least, where that is known. */
export function truncated(label: string, what: string, missing?: number): FerryError {
  const lack = missing === undefined ? "" : ` (at least ${missing} bytes are missing)`;
  return new FerryError("BUNDLE_TRUNCATED", `${label} ends too early: ${what}${lack}`, {
    hint: "The copy is not whole: was the medium full, or removed too soon? Compare its size with the original's and copy it again.",
    details: missing === undefined ? { bundle: label } : { bundle: label, missing },
  });
}

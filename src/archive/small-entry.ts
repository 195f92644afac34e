import { malformed } from "./faults.ts";

/** Metadata is read whole; more than this is none, and must not fill the memory. */
const MAX_WHOLE = 64 * 1024 * 1024;

/** Refuses to read a member whole that is no metadata by its size. */
export function requireSmall(label: string, name: string, size: number): void {
  if (size <= MAX_WHOLE) return;
  throw malformed(label, `${name} should be metadata and has ${size} bytes`);
}

/** What of a wheel's core metadata (RFC 822 headers, PEP 566) the mirror and the checks need. */
export interface CoreMetadata {
  name: string;
  version: string;
  requiresPython: string | undefined;
}

/** Reads the headers; the description after the first empty line plays no part. undefined where Name or Version is missing. */
export function parseCoreMetadata(text: string): CoreMetadata | undefined {
  const [folded = ""] = text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .split("\n\n", 1);
  // A header may go on in the next line, which then begins with a space.
  const headers = folded.replaceAll(/\n[ \t]+/g, " ");
  const one = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "im").exec(headers)?.[1];
  const name = one("Name");
  const version = one("Version");
  if (name === undefined || version === undefined || name === "" || version === "") return undefined;
  const requiresPython = one("Requires-Python");
  return { name, version, requiresPython: requiresPython === "" ? undefined : requiresPython };
}

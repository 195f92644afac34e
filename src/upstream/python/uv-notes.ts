import { normaliseProject } from "../../wire/wheel-name.ts";

/** What uv warns of withdrawn releases (P17): the reason, or true, by project. */
export function yankedIn(notes: string): Map<string, string | true> {
  const found = notes.matchAll(/^warning: `([^`=]+)==[^`]*` is yanked(?: \(reason: "(.*)"\))?$/gm);
  return new Map(
    [...found].map(([, name = "", reason]) => [
      normaliseProject(name),
      reason === undefined || reason === "" ? true : reason,
    ]),
  );
}

/** uv's own words on what it asks servers for, as 0.12 and 0.13 have them. */
const KNOWN =
  /(?:Sending fresh \w+ request|Sending revalidation request|Found (?:fresh|stale|modified|not-modified) response) for: /;

/**
 * Wheels of an index that uv read whole, which it does where the index gives no digest (P6): the lock then has the digest
 * of what came, claimed by nobody. undefined where nothing of it is in words that are known: then nobody can tell. A whole read after a HEAD is another thing: a server without ranges.
 */
export function readWhole(notes: string): Set<string> | undefined {
  if (!KNOWN.test(notes)) return undefined;
  const asked = (method: string): string[] =>
    [...notes.matchAll(new RegExp(`Sending fresh ${method} request for: (\\S+\\.whl)(?:#\\S*)?$`, "gm"))].map(
      ([, url = ""]) => url,
    );
  const heads = new Set(asked("HEAD"));
  return new Set(asked("GET").filter((url) => !heads.has(url)));
}

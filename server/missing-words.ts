const SHOWN = 12;

/** The first of some names as a sentence has them, and how many more there are. */
export function list(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What brings a thing that is not here: lines of a spec. */
export function toCarryIt(lines: string): string {
  return `To carry it, add to the spec of the next bundle:\n\n${lines}`;
}

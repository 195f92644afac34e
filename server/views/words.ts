/** `1 file`, `12 files`, `1,204 files`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** `1204` as `1,204`, whatever the machine's language. */
export function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `a`, `a and b`, `a, b and c`; `a, b, c and 4 more` where there are more than `shown`. */
export function listed(names: readonly string[], shown = 6): string {
  const more = names.length - shown;
  if (more > 1) return `${names.slice(0, shown).join(", ")} and ${more} more`;
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

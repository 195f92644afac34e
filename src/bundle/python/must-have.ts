/** What must be there by then: an absent one is a fault of ours, and nothing is signed without it. */
export function mustHave<T>(files: ReadonlyMap<string, T>, path: string): T {
  const found = files.get(path);
  if (found === undefined) throw new Error(`${path} was planned and not fetched`);
  return found;
}

/**
 * Names that come near to absent ones, nearest first, at most six: those that share most of their words (parts between
 * dashes and dots) with one of them. For error messages, so that a moved or renamed asset is seen at once.
 */
export function near(absent: readonly string[], names: readonly string[]): string[] {
  const scored = names.map((name) => ({
    name,
    score: Math.max(0, ...absent.map((wanted) => likeness(wanted, name))),
  }));
  return scored
    .filter(({ score }) => score >= 0.6)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, 6)
    .map(({ name }) => name);
}

function likeness(a: string, b: string): number {
  const [wanted, found] = [wordsOf(a), wordsOf(b)];
  const shared = wanted.filter((word) => found.includes(word)).length;
  return shared / Math.max(wanted.length, found.length);
}

function wordsOf(name: string): string[] {
  return name.split(/[-._+]/);
}

/** By code units, as canonical JSON sorts: the same order on every machine, whatever its locale. For `sort`. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

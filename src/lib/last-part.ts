/** The file name at the end of a path, or at that of an address without a query. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

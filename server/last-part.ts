/** The file name at the end of a path. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

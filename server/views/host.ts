/** The host of an address, with its port where it has one. */
export function hostOf(base: string): string | undefined {
  return /^https?:\/\/([^/]+)/.exec(base)?.[1];
}

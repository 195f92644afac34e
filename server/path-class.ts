/** Kinds of address, for metrics and for the words of a 404. */
export const PATH_CLASSES = [
  "release-asset",
  "source-archive",
  "release-api",
  "uv-versions",
  "python",
  "mirror",
  "other",
] as const;
export type PathClass = (typeof PATH_CLASSES)[number];

const RULES: readonly (readonly [PathClass, RegExp])[] = [
  ["uv-versions", /^github\/versions\//],
  ["release-api", /^(?:api\/v3\/)?repos\/|^api\/|^graphql$|^rate_limit$/],
  ["mirror", /^v1(?:\/|$)|^install\.sh$/],
  ["python", /^(?:simple|whl|packages|pypi)(?:\/|$)|^python-downloads\.json$/],
  ["release-asset", /^[^/]+\/[^/]+\/releases\/(?:latest\/)?download\/./],
  ["source-archive", /^[^/]+\/[^/]+\/archive\/./],
];

/** `path` is decoded and has no leading slash. */
export function classOf(path: string): PathClass {
  return RULES.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";
}

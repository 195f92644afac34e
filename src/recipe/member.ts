/** What may stand for the `*` of a family: a number, possibly with further parts (13.4, 13.4.1). */
const NUMBER = "\\d+(?:\\.\\d+)*";

/** Source of a pattern for the variants that a family such as `cuda-13.*` may come to. */
export function memberSource(family: string): string {
  return `${family.slice(0, -1).replaceAll(".", "\\.").replaceAll("-", "\\x2d")}${NUMBER}`;
}

export function memberPattern(family: string): RegExp {
  return new RegExp(`^${memberSource(family)}$`, "u");
}

export function isFamily(variant: string): boolean {
  return variant.endsWith("*");
}

/** `cuda-13` for `cuda-13.*`: what a spec may ask for whatever the member is. A name that does not move is its own. */
export function familyName(variant: string): string {
  return isFamily(variant) ? variant.slice(0, -2) : variant;
}

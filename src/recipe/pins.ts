import { stringify } from "yaml";
import { z } from "zod";
import { FerryError } from "../errors.ts";
import { parseYamlAs } from "../lib/yaml-file.ts";
import type { Recipe } from "./schema.ts";
import { Pin } from "./shape.ts";

/** `<engine>.pins.yaml` in an overlay: digests of source archives beside the recipe, so that no recipe must be copied. */
export const PinFile = z.strictObject({ releases: z.record(z.string().min(1), Pin) });
type Pins = Readonly<Record<string, Pin>>;

const HEADER =
  "# Digests of source archives, written by `ferry recipe pin`. Each is trusted from then on: review what changes here.\n";

export function parsePins(text: string, file: string): Pins {
  return parseYamlAs(PinFile, text, file, "RECIPE_INVALID").releases;
}

/** The recipe with further pins. Throws RECIPE_INVALID where one contradicts the recipe or is no version of the engine. */
export function withPins(recipe: Recipe, pins: Pins, file: string): Recipe {
  for (const [version, pin] of Object.entries(pins)) {
    if (!new RegExp(recipe.versions.pattern, "u").test(version)) {
      throw new FerryError(
        "RECIPE_INVALID",
        `${file}: releases.${version}: is no version of ${recipe.label}`,
      );
    }
    refuseOtherDigest(recipe.releases?.[version], pin, version, file);
  }
  if (!recipe.builds.some((rule) => rule.source ?? recipe.defaults?.source)) {
    throw new FerryError(
      "RECIPE_INVALID",
      `${file}: ${recipe.label} has no source archive that could be pinned`,
    );
  }
  return { ...recipe, releases: { ...recipe.releases, ...pins } };
}

/**
 * The text of a pin file with one more pin. `current` is the file's text so far, if there is one.
 * Pinning the same digest again changes nothing; another digest throws DIGEST_MISMATCH: upstream's archive has changed.
 */
export function addPin(current: string | undefined, version: string, pin: Pin, file: string): string {
  const pins = current === undefined ? {} : parsePins(current, file);
  refuseOtherDigest(pins[version], pin, version, file);
  const all = Object.entries({ ...pins, [version]: Pin.parse(pin) }).sort(([a], [b]) => (a < b ? -1 : 1));
  return HEADER + stringify({ releases: Object.fromEntries(all) });
}

function refuseOtherDigest(known: Pin | undefined, pin: Pin, version: string, file: string): void {
  if (known === undefined || known.sha256 === pin.sha256) return;
  throw new FerryError(
    "DIGEST_MISMATCH",
    `${version} is pinned with two digests: ${known.sha256} so far, ${pin.sha256} now (${file})`,
    {
      hint: "Find out which archive is right, for example by unpacking both; then remove the wrong pin by hand.",
      details: { file, version, pinned: known.sha256, found: pin.sha256 },
    },
  );
}

import { FerryError } from "../errors.ts";
import type { Digest } from "../lib/digest.ts";
import type { Index } from "../wire/oci.ts";
import { bundleEntries, nameAndCounter } from "./store-index.ts";

interface Incoming {
  label: string;
  name: string;
  counter: number;
  manifest: Digest;
}

/**
 * Refuses a bundle whose counter goes back, so that nobody can bring an old one with known holes in as new; and one that
 * has the name and counter of another. A bundle that is in the index itself may always come again: that repairs it.
 * Throws BUNDLE_OLDER, BUNDLE_CONFLICT.
 */
export function refuseCounter(index: Index, incoming: Incoming, allowOlder: boolean): void {
  const { label, name, counter, manifest } = incoming;
  const entries = bundleEntries(index);
  if (entries.some((entry) => entry.digest === manifest)) return;
  const counters = entries
    .map((entry) => ({ ...nameAndCounter(entry), digest: entry.digest }))
    .filter((other) => other.name === name);
  const same = counters.find((other) => other.counter === counter);
  if (same !== undefined) {
    throw new FerryError(
      "BUNDLE_CONFLICT",
      `${label} is ${name} ${counter} with other content than the ${name} ${counter} of this store: here ${same.digest}, new ${manifest}`,
      {
        hint: `Every bundle of a name needs a counter of its own: raise it in the spec and build again. If this one is right: ferry remove ${name}@${counter}, then import it; what both carry is not written twice.`,
        details: { name, counter, here: same.digest, new: manifest },
      },
    );
  }
  const newest = Math.max(0, ...counters.map((other) => other.counter));
  if (counter > newest || allowOlder) return;
  throw new FerryError(
    "BUNDLE_OLDER",
    `${label} is ${name} ${counter}, and this store has ${name} ${newest} already`,
    {
      hint: "Is it the medium that you meant? If the older bundle is wanted beside the newer one, import it with --allow-older.",
      details: { name, counter, newest },
    },
  );
}

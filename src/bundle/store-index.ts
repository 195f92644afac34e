import { isDeepStrictEqual } from "node:util";
import type { Digest } from "../lib/digest.ts";
import { signatureTag } from "../trust/cosign.ts";
import { ANNOTATION_REF_NAME, type Descriptor, type Index } from "../wire/oci.ts";
import { BUNDLE_ARTIFACT_TYPE } from "./document.ts";

/** The entries of a store's index that are bundles, each once: an index may name a manifest under several tags. */
export function bundleEntries(index: Index): Descriptor[] {
  const entries = index.manifests.filter((entry) => entry.artifactType === BUNDLE_ARTIFACT_TYPE);
  return [...new Map(entries.map((entry) => [entry.digest, entry])).values()];
}

/** What an index entry is called: `site-a-3`, or its digest where it has no name. */
export function refName(entry: Descriptor): string {
  return entry.annotations?.[ANNOTATION_REF_NAME] ?? entry.digest;
}

/** Name and counter of a bundle, from its entry alone, so that a bundle whose record is damaged has them too. */
export function nameAndCounter(entry: Descriptor): { name: string; counter: number } {
  const match = /^(.+)-([1-9]\d*)$/.exec(refName(entry));
  return { name: match?.[1] ?? refName(entry), counter: Number(match?.[2] ?? 0) };
}

/** A bundle for people: `site-a 3`. */
export function callBundle(entry: Descriptor): string {
  const { name, counter } = nameAndCounter(entry);
  return counter === 0 ? name : `${name} ${counter}`;
}

/** The entry that carries the signatures of a manifest. */
export function signatureEntry(index: Index, manifest: Digest): Descriptor | undefined {
  const tag = signatureTag(manifest);
  return index.manifests.find((entry) => refName(entry) === tag);
}

/**
 * Puts a bundle's entries (its own, its signature's) into an index, in place of those of the same names. The signature of a
 * bundle that is replaced by other bytes goes with it; one that is there already stays where the bundle comes without.
 * Gives back the very index where nothing would change.
 */
export function mergeBundle(index: Index, added: readonly Descriptor[]): Index {
  const names = new Set(added.map(refName));
  const digests = new Set(added.map((entry) => entry.digest));
  const replaced = index.manifests.filter((entry) => names.has(refName(entry)) && !digests.has(entry.digest));
  const dropped = new Set([...names, ...replaced.map((entry) => signatureTag(entry.digest))]);
  const before = index.manifests.filter((entry) => names.has(refName(entry)));
  if (replaced.length === 0 && isDeepStrictEqual(before, added)) return index;
  return {
    ...index,
    manifests: [...index.manifests.filter((entry) => !dropped.has(refName(entry))), ...added],
  };
}

/** An index without some bundles and their signatures. */
export function dropBundles(index: Index, manifests: readonly Digest[]): Index {
  const digests = new Set(manifests);
  const tags = new Set(manifests.map(signatureTag));
  return {
    ...index,
    manifests: index.manifests.filter((entry) => !digests.has(entry.digest) && !tags.has(refName(entry))),
  };
}

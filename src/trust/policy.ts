import { FerryError } from "../errors.ts";
import type { ClaimedSignature } from "./cosign.ts";
import { type KeyRef, keyRefFromFingerprint } from "./key-id.ts";
import type { Verifier } from "./verifier.ts";

/**
 * Decides whether signatures over `payload` are enough: one of the trusted keys must have signed, and no signature that
 * claims a trusted key may be wrong. Returns the trusted keys that signed. Signatures of other keys are left aside.
 * Throws SIGNATURE_INVALID naming the keys that signed and the keys that are trusted.
 */
export function judgeSignatures(
  payload: Buffer,
  signatures: readonly ClaimedSignature[],
  verifiers: readonly Verifier[],
  label: string,
): KeyRef[] {
  const trusted = new Map(verifiers.map((verifier) => [verifier.fingerprint, verifier]));
  const claimed = signatures.map(({ fingerprint }) => keyRefFromFingerprint(fingerprint));
  const details = {
    signedBy: claimed,
    trusted: verifiers.map(({ keyId, fingerprint }) => ({ keyId, fingerprint })),
  };
  const accepted: KeyRef[] = [];
  for (const { fingerprint, signature } of signatures) {
    const verifier = trusted.get(fingerprint);
    if (verifier === undefined) continue;
    const ref = keyRefFromFingerprint(fingerprint);
    if (!verifier.verify(payload, signature)) {
      throw new FerryError(
        "SIGNATURE_INVALID",
        `${label}: the signature of key ${ref.keyId} does not fit the bundle's manifest`,
        {
          hint: "The bundle was changed after it was signed, or damaged on the way. Do not use it; carry it again.",
          details,
        },
      );
    }
    accepted.push(ref);
  }
  if (accepted.length === 0) {
    throw new FerryError(
      "SIGNATURE_INVALID",
      `${label} is signed by ${names(claimed)}, which is not trusted here; trusted: ${names(verifiers)}`,
      {
        hint: "If the builder's key was changed on purpose, bring its new .pub file over a way that you trust and give it with --key. Otherwise do not use the bundle.",
        details,
      },
    );
  }
  return accepted;
}

function names(keys: readonly KeyRef[]): string {
  if (keys.length === 0) return "no key";
  return `${keys.length === 1 ? "key" : "keys"} ${keys.map(({ keyId }) => keyId).join(", ")}`;
}

import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { type Digest, digestOf, hexOf } from "../lib/digest.ts";

/** The kinds of key that we sign and verify with; cosign and openssl know both. */
export type KeyAlgorithm = "ed25519" | "p256";

/** What a key is called: the same for both halves of a pair. */
export const KeyRef = z.strictObject({
  /** First 16 hexadecimal digits of the fingerprint: enough for people to compare. */
  keyId: z.string().regex(/^[0-9a-f]{16}$/),
  /** SHA-256 of the public key as DER (SubjectPublicKeyInfo): `openssl pkey -pubin -outform DER | openssl dgst -sha256`. */
  fingerprint: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 hex digits") as unknown as z.ZodType<
    Digest,
    string
  >,
});
export type KeyRef = z.infer<typeof KeyRef>;

export function keyRefFromFingerprint(fingerprint: Digest): KeyRef {
  return { keyId: hexOf(fingerprint).slice(0, 16), fingerprint };
}

export function keyRefOf(publicKey: KeyObject): KeyRef {
  return keyRefFromFingerprint(digestOf(publicKey.export({ type: "spki", format: "der" })));
}

/** Which of our algorithms a key is for, or undefined where it is for none of them. */
export function algorithmOf(key: KeyObject): KeyAlgorithm | undefined {
  if (key.asymmetricKeyType === "ed25519") return "ed25519";
  if (key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1") return "p256";
  return undefined;
}

/** What a key is, in words, for a refusal: `an RSA key of 2048 bits`. */
export function describeKey(key: KeyObject): string {
  const type = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails;
  if (type === "rsa" || type === "rsa-pss") return `an RSA key of ${details?.modulusLength ?? 0} bits`;
  if (type === "ec") return `an elliptic-curve key on ${details?.namedCurve ?? "an unnamed curve"}`;
  return `a key of type ${type ?? "unknown"}`;
}

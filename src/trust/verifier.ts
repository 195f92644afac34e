import { createPublicKey, type KeyObject, verify as verifyWithOpenssl } from "node:crypto";
import { FerryError } from "../errors.ts";
import { algorithmOf, describeKey, type KeyAlgorithm, type KeyRef, keyRefOf } from "./key-id.ts";
import { pemLabel } from "./pem.ts";

/** The public half of a key pair: whoever holds it trusts what its private half signed. */
export interface Verifier extends KeyRef {
  readonly algorithm: KeyAlgorithm;
  /** Whether `signature` is this key's over `bytes`. Never throws: a signature of odd shape is a wrong one. */
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
}

/**
 * The verifier in a PEM file (SubjectPublicKeyInfo), as `ferry keys new`, openssl and cosign write it.
 * Throws KEY_INVALID naming `label`, also for a private key: the side that verifies must not hold it.
 */
export function loadVerifier(text: string, label: string): Verifier {
  const key = loadPublicKey(text, label);
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) {
    throw new FerryError(
      "KEY_INVALID",
      `${label} is ${describeKey(key)}; bundles are signed with Ed25519 or ECDSA P-256`,
      {
        hint: "Use the .pub file of the pair that the builder signs with.",
      },
    );
  }
  const digest = algorithm === "ed25519" ? null : "sha256";
  return {
    ...keyRefOf(key),
    algorithm,
    verify: (bytes, signature) => {
      try {
        return verifyWithOpenssl(digest, bytes, key, signature);
      } catch {
        return false;
      }
    },
  };
}

function loadPublicKey(text: string, label: string): KeyObject {
  const pem = pemLabel(text, label);
  if (pem.endsWith("PRIVATE KEY")) {
    throw new FerryError("KEY_INVALID", `${label} is a private key, expected a public key`, {
      hint: `Verifying needs only the .pub file; keep the private key on the builder. The public half: openssl pkey -in ${label} -pubout`,
    });
  }
  if (pem !== "PUBLIC KEY") {
    throw new FerryError("KEY_INVALID", `${label} is a PEM file of type ${pem}, expected PUBLIC KEY`, {
      hint: "Use the .pub file that ferry keys new wrote, or convert yours with: openssl pkey -pubin -in FILE -pubout",
    });
  }
  try {
    return createPublicKey({ key: text, format: "pem" });
  } catch (error) {
    throw new FerryError(
      "KEY_INVALID",
      `${label} says that it is a PUBLIC KEY but cannot be read as one: it is damaged`,
      {
        cause: error,
        hint: "Copy the .pub file again and compare its fingerprint with the builder's: ferry keys show FILE",
      },
    );
  }
}

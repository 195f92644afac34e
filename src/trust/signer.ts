import { createPrivateKey, createPublicKey, type KeyObject, sign as signWithOpenssl } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { FerryError } from "../errors.ts";
import { algorithmOf, describeKey, type KeyAlgorithm, type KeyRef, keyRefOf } from "./key-id.ts";
import { isEncrypted, pemLabel } from "./pem.ts";

/**
 * The private half of a key pair. Signing is deterministic, so the same bundle signed twice has the same bytes:
 * Ed25519 is so by design, ECDSA P-256 (over SHA-256, DER) through the nonces of RFC 6979.
 */
export interface Signer extends KeyRef {
  readonly algorithm: KeyAlgorithm;
  sign(bytes: Uint8Array): Buffer;
}

const NEW_KEY = "Make a pair with: ferry keys new --out NAME";

/**
 * The signer in a PEM file: PKCS#8, encrypted or not, or SEC 1 for P-256. `label` names the file in errors.
 * Throws KEY_INVALID where it is not a private key of ours, KEY_PASSPHRASE where the passphrase is absent or wrong.
 */
export function loadSigner(text: string, label: string, passphrase?: string): Signer {
  const key = loadPrivateKey(text, label, passphrase);
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) {
    throw new FerryError(
      "KEY_INVALID",
      `${label} is ${describeKey(key)}; bundles are signed with Ed25519 or ECDSA P-256`,
      {
        hint: NEW_KEY,
      },
    );
  }
  const ref = keyRefOf(createPublicKey(key));
  return { ...ref, algorithm, sign: algorithm === "ed25519" ? ed25519(key) : ecdsaP256(key) };
}

function ed25519(key: KeyObject): Signer["sign"] {
  return (bytes) => signWithOpenssl(null, bytes, key);
}

/** node:crypto draws its ECDSA nonces at random and offers no other way, hence the library. */
function ecdsaP256(key: KeyObject): Signer["sign"] {
  const secret = Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
  return (bytes) => Buffer.from(p256.sign(bytes, secret, { prehash: true, lowS: false, format: "der" }));
}

function loadPrivateKey(text: string, label: string, passphrase: string | undefined): KeyObject {
  const pem = pemLabel(text, label);
  refuseOtherKinds(pem, label);
  const encrypted = isEncrypted(text, pem);
  if (encrypted && passphrase === undefined) {
    throw new FerryError("KEY_PASSPHRASE", `${label} is encrypted and no passphrase was given`, {
      hint: "Give the passphrase at the prompt, in a file, or in the environment.",
    });
  }
  try {
    return createPrivateKey({
      key: text,
      format: "pem",
      ...(passphrase === undefined ? {} : { passphrase }),
    });
  } catch (error) {
    // A wrong passphrase decrypts to noise, which OpenSSL reports in several ways; damage to the file looks the same.
    if (encrypted) {
      throw new FerryError("KEY_PASSPHRASE", `the passphrase does not open ${label}`, {
        cause: error,
        hint: `Try it with: openssl pkey -in ${label} -noout. If that fails too, the passphrase is another one or the file is damaged.`,
      });
    }
    throw new FerryError(
      "KEY_INVALID",
      `${label} says that it is a ${pem} but cannot be read as one: it is damaged`,
      {
        cause: error,
        hint: `Take the key from its backup, or make a new one. ${NEW_KEY}`,
      },
    );
  }
}

function refuseOtherKinds(pem: string, label: string): void {
  if (pem === "PRIVATE KEY" || pem === "ENCRYPTED PRIVATE KEY" || pem === "EC PRIVATE KEY") return;
  const refuse = (found: string, hint: string): never => {
    throw new FerryError("KEY_INVALID", `${label} is ${found}, expected a private key (PKCS#8 PEM)`, {
      hint,
    });
  };
  if (pem === "PUBLIC KEY") {
    refuse("a public key", "Signing needs the other half of the pair, the file that ends in .key.");
  }
  if (pem === "ENCRYPTED SIGSTORE PRIVATE KEY" || pem === "ENCRYPTED COSIGN PRIVATE KEY") {
    refuse(
      "a private key in cosign's own encrypted format, which cosign alone can open",
      `${NEW_KEY}, and give it to cosign too with: cosign import-key-pair --key NAME.key. Public keys that cosign wrote are read as they are.`,
    );
  }
  if (pem === "RSA PRIVATE KEY") {
    refuse("an RSA key", `Bundles are signed with Ed25519 or ECDSA P-256. ${NEW_KEY}`);
  }
  refuse(`a PEM file of type ${pem}`, NEW_KEY);
}

import { FerryError } from "../errors.ts";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----/g;
/** `openssl ecparam -genkey` writes this in front of the key; it says nothing that the key does not say. */
const PREAMBLE = "EC PARAMETERS";

/**
 * The label of the one PEM block in `text`: `PRIVATE KEY`, `PUBLIC KEY`, …
 * Throws KEY_INVALID naming `label` where there is none, or several: reading the first and ignoring the rest would
 * trust less, or more, than the file seems to say.
 */
export function pemLabel(text: string, label: string): string {
  const found = [...text.matchAll(BLOCK)].map((match) => match[1] ?? "").filter((name) => name !== PREAMBLE);
  const [first] = found;
  if (first === undefined) {
    throw new FerryError("KEY_INVALID", `${label} is not a key: it holds no PEM block`, {
      hint: "A key file begins with -----BEGIN … KEY-----. Make a pair with: ferry keys new --out NAME",
    });
  }
  if (found.length > 1) {
    throw new FerryError(
      "KEY_INVALID",
      `${label} holds ${found.length} PEM blocks (${found.join(", ")}), expected one key`,
      {
        hint: "Put each key into a file of its own and name each file.",
      },
    );
  }
  return first;
}

export function isEncrypted(text: string, pem: string): boolean {
  return pem === "ENCRYPTED PRIVATE KEY" || text.includes("Proc-Type: 4,ENCRYPTED");
}

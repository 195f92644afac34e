import { createHash, timingSafeEqual } from "node:crypto";
import { FerryError } from "../src/errors.ts";
import { readText } from "../src/lib/files.ts";

/** Who may read. Holds digests of secrets only. */
export interface Auth {
  /** Who the `Authorization` header proves to be (a user's name, or `bearer`), or undefined. */
  check(header: string | undefined): string | undefined;
}

interface Credential {
  /** undefined for tokens. */
  user: string | undefined;
  secret: Buffer;
}

/** Clients that know only names and passwords (uv, pip) give a token as this user's password. */
const TOKEN_USER = "__token__";
const HASHED = /^sha256:([0-9a-f]{64})$/i;

/**
 * Reads the file of `--auth`, one credential a line, `#` begins a comment:
 * `bearer TOKEN`, `bearer sha256:HEX`, `basic USER:PASSWORD`, `basic USER:sha256:HEX`.
 * Throws FILE_UNREADABLE, CONFIG_INVALID with the line; never prints a secret.
 */
export async function loadAuth(file: string): Promise<Auth> {
  return parseAuth(await readText(file), file);
}

export function parseAuth(text: string, file: string): Auth {
  const credentials = text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === "" || trimmed.startsWith("#") ? [] : [parseLine(trimmed, `${file}:${index + 1}`)];
  });
  if (credentials.length === 0) {
    throw new FerryError("CONFIG_INVALID", `${file} names nobody who may read`, {
      hint: "Write a line such as: bearer TOKEN, or basic USER:PASSWORD. To serve everybody, leave --auth out.",
    });
  }
  return { check: (header) => check(credentials, header) };
}

function parseLine(line: string, where: string): Credential {
  const [, scheme = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
  if (scheme.toLowerCase() === "bearer" && rest !== "") return { user: undefined, secret: secretOf(rest) };
  const colon = rest.indexOf(":");
  if (scheme.toLowerCase() === "basic" && colon > 0 && colon < rest.length - 1) {
    return { user: rest.slice(0, colon), secret: secretOf(rest.slice(colon + 1)) };
  }
  throw new FerryError("CONFIG_INVALID", `${where}: neither "bearer TOKEN" nor "basic USER:PASSWORD"`, {
    hint: "A secret may be given as sha256: and the 64 hexadecimal digits of its SHA-256.",
  });
}

function secretOf(text: string): Buffer {
  const hex = HASHED.exec(text)?.[1];
  return hex === undefined ? digest(text) : Buffer.from(hex, "hex");
}

/** Compares with every credential, whatever the first ones gave: the time says nothing about which came near. */
function check(credentials: readonly Credential[], header: string | undefined): string | undefined {
  const presented = parseHeader(header);
  if (presented === undefined) return undefined;
  const secret = digest(presented.secret);
  const user = digest(presented.user ?? "");
  let found: string | undefined;
  for (const credential of credentials) {
    const sameSecret = timingSafeEqual(credential.secret, secret);
    const sameUser = timingSafeEqual(digest(credential.user ?? ""), user);
    const sameKind = (credential.user === undefined) === (presented.user === undefined);
    const isToken = credential.user === undefined && presented.user === TOKEN_USER;
    if (sameSecret && ((sameUser && sameKind) || isToken)) found = credential.user ?? "bearer";
  }
  return found;
}

/** `Bearer T`, `token T` (as gh sends it), `Basic base64(user:password)`; a token may be a password too. */
function parseHeader(header: string | undefined): { user: string | undefined; secret: string } | undefined {
  const [, scheme = "", value = ""] = /^(\S+) +(\S+)$/.exec(header ?? "") ?? [];
  switch (scheme.toLowerCase()) {
    case "bearer":
    case "token":
      return { user: undefined, secret: value };
    case "basic": {
      const pair = Buffer.from(value, "base64").toString("utf8");
      const colon = pair.indexOf(":");
      return colon < 1 ? undefined : { user: pair.slice(0, colon), secret: pair.slice(colon + 1) };
    }
    default:
      return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

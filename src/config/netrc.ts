/** User and password by host, as a netrc file has them. */
export type Netrc = ReadonlyMap<string, { login: string; password: string }>;

/**
 * Reads a netrc file: `machine HOST login USER password SECRET`, over as many lines as it likes. Macros and `account` play no
 * part, and neither does `default`: a password is for the host that it is written for.
 */
export function parseNetrc(text: string): Netrc {
  const machines = new Map<string, { login: string; password: string }>();
  let current: { login: string; password: string } | undefined;
  const words = text
    .replaceAll(/^[ \t]*macdef[^]*?(?:\n[ \t]*\n|$(?![^]))/gm, "\n")
    .replaceAll(/^[ \t]*#.*$/gm, "")
    .split(/\s+/);
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "default") current = undefined;
    if (word !== "machine" && word !== "login" && word !== "password") continue;
    at += 1;
    const value = words[at] ?? "";
    if (word === "machine") {
      current = machines.get(value.toLowerCase()) ?? { login: "", password: "" };
      machines.set(value.toLowerCase(), current);
    } else if (current?.[word] === "") current[word] = value;
  }
  return machines;
}

/** The header that a user and a password are sent in. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

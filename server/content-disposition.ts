/**
 * `Content-Disposition: attachment` for a decoded file name (RFC 6266). The plain `filename` holds what every client
 * reads; a name with other characters gets `filename*` besides, which newer clients prefer (RFC 8187).
 */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, "_");
  const quoted = `attachment; filename="${plain.replace(/["\\]/g, "\\$&")}"`;
  // Some clients decode percent signs in the plain form and some do not, and a backslash is a separator to some.
  const ambiguous = plain !== name || /["\\]|%[0-9A-Fa-f]{2}/.test(name);
  return ambiguous ? `${quoted}; filename*=UTF-8''${encodeExtended(name)}` : quoted;
}

/** Percent-encoding that leaves RFC 8187's attr-char alone. Lone surrogates, which UTF-8 cannot hold, become U+FFFD. */
function encodeExtended(name: string): string {
  return encodeURIComponent(toWellFormed(name)).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function toWellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

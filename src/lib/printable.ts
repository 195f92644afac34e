/**
 * Text from a file that nobody has verified, safe to show on a terminal: control characters, and those that turn the
 * direction of writing around, are spelled out as `\u{1b}`.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

/** The same for a text of several lines, which stay lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

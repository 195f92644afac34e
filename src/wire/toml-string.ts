/** A basic string of TOML, which is JSON's but for the one control character that JSON leaves as it is. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

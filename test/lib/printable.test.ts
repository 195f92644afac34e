import { expect, it } from "vitest";
import { printable } from "../../src/lib/printable.ts";

it.each([
  ["vllm-0.30.0+cu129 é 漢", "vllm-0.30.0+cu129 é 漢"],
  ["\u001b[2Jx", "\\u{1b}[2Jx"],
  ["a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"],
  ["\u009b31m", "\\u{9b}31m"],
  ["a\u202eb\u2066c\u2028d", "a\\u{202e}b\\u{2066}c\\u{2028}d"],
])("printable(%j)", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

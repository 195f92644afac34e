import fc from "fast-check";
import { expect, it } from "vitest";
import { attachment } from "../../server/content-disposition.ts";

it.each([
  ["uv-x86_64.tar.gz", 'attachment; filename="uv-x86_64.tar.gz"'],
  ["cpython-3.12.9+20250317.tar.gz", 'attachment; filename="cpython-3.12.9+20250317.tar.gz"'],
  ["a b;c.txt", 'attachment; filename="a b;c.txt"'],
  ["100%.txt", 'attachment; filename="100%.txt"'],
  ["a%2Bb", `attachment; filename="a%2Bb"; filename*=UTF-8''a%252Bb`],
  ['say "hi"\\', `attachment; filename="say \\"hi\\"\\\\"; filename*=UTF-8''say%20%22hi%22%5C`],
  [
    "Größe 模型.bin",
    `attachment; filename="Gr__e __.bin"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E6%A8%A1%E5%9E%8B.bin`,
  ],
  ["it's(1)*é", `attachment; filename="it's(1)*_"; filename*=UTF-8''it%27s%281%29%2A%C3%A9`],
  [
    "a\r\nSet-Cookie: x",
    `attachment; filename="a__Set-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x`,
  ],
])("%s", (name, header) => {
  expect(attachment(name)).toBe(header);
});

it("is a header of printable ASCII, whatever the name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const header = attachment(name);
      expect(header).toMatch(/^[\x20-\x7e]*$/);
      const extended = header.split("filename*=UTF-8''")[1];
      if (extended !== undefined) expect(decodeURIComponent(extended)).toBe(Buffer.from(name).toString());
    }),
  );
  expect(attachment("\ud800.bin")).toContain("%EF%BF%BD.bin");
});

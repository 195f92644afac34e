import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json } from "../../src/lib/canonical-json.ts";

it.each<[Json, string]>([
  [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
  [{ a: undefined, b: {} }, '{"b":{}}'],
  [{ Z: 1, a: 2, é: 3 }, '{"Z":1,"a":2,"é":3}'],
  ["\n\u2028", '"\\n\u2028"'],
])("writes %j as %s", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

it("has one spelling whatever the order of keys was", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      expect(canonicalJson(reversed as Json)).toBe(canonicalJson(object as Json));
      expect(JSON.parse(canonicalJson(object as Json))).toEqual(JSON.parse(JSON.stringify(object)));
    }),
  );
});

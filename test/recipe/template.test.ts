import { describe, expect, it } from "vitest";
import { patternWithHole, placeholdersOf, render } from "../../src/recipe/template.ts";

describe("templates", () => {
  it("fills placeholders in and keeps doubled braces", () => {
    expect(render("a-{version}-{arch}{{x}}", { version: "b1", arch: "x64" })).toBe("a-b1-x64{x}");
    expect(placeholdersOf("{a}{b}{a}{{c}}")).toEqual(["a", "b", "a"]);
  });

  it.each(["{", "a}", "{a{b}"])("refuses the lone brace of %s", (text) => {
    expect(() => placeholdersOf(text)).toThrow(/a lone [{}]/);
  });

  it("matches whole names, with signs of patterns taken literally", () => {
    const pattern = patternWithHole(
      "a+{version}.{variant}",
      { version: "1.0*" },
      { name: "variant", source: "\\d+" },
    );
    expect(pattern.exec("a+1.0*.12")?.groups?.["hole"]).toBe("12");
    for (const other of ["xa+1.0*.12", "a+1.0*.12x", "a+1x0*.12", "a+1.0*x12", "aa1.0*.12"]) {
      expect(pattern.test(other)).toBe(false);
    }
  });

  it("demands the same text where a placeholder stands twice", () => {
    const pattern = patternWithHole("{variant}/{variant}", {}, { name: "variant", source: "\\d" });
    expect(pattern.test("1/1")).toBe(true);
    expect(pattern.test("1/2")).toBe(false);
  });
});

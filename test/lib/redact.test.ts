import { describe, expect, it } from "vitest";
import { redactText, redactUrl } from "../../src/lib/redact.ts";

describe("redactUrl", () => {
  it.each([
    ["https://example.org/a/b", "https://example.org/a/b"],
    ["https://example.org:8443/a", "https://example.org:8443/a"],
    ["https://user:pass@example.org/a", "https://example.org/a"],
    ["https://example.org/a?sig=abc&se=2026", "https://example.org/a?…"],
    ["https://example.org/a?page=2&per_page=100", "https://example.org/a?page=2&per_page=100"],
    ["https://example.org/a?page=2&token=abc", "https://example.org/a?…"],
    ["https://example.org/a#frag", "https://example.org/a"],
    ["https://example.org/vllm-0.30.0%2Bcu129.whl", "https://example.org/vllm-0.30.0%2Bcu129.whl"],
    ["no url", "(not a URL)"],
  ])("%s → %s", (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});

describe("redactText", () => {
  it("hides credentials wherever they stand in a text", () => {
    const text = redactText(
      'failed: https://u:p@h.example/x?jwt=eyJ0 with "Authorization: Bearer abcdefgh12345" and ghp_0123456789abcdef',
    );
    expect(text).toBe('failed: https://h.example/x?… with "Authorization: Bearer …" and …');
  });

  it("leaves ordinary words alone", () => {
    expect(redactText("the token expired; basic rules apply")).toBe("the token expired; basic rules apply");
  });
});

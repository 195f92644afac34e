import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeHtml, html } from "../../server/views/html.ts";
import { shellWord } from "../../server/views/shell-word.ts";
import { timeHtml } from "../../server/views/time.ts";
import { count, grouped, listed } from "../../server/views/words.ts";

describe("html", () => {
  it.each([
    ["a & b", "a &amp; b"],
    ["<script>", "&lt;script&gt;"],
    [`"onload='x'`, "&quot;onload=&#39;x&#39;"],
    ["two\nlines", "two\nlines"],
    // Turns what follows around on the screen, so that an .exe looks like a .gz.
    ["llama\u202egz.exe", "llama\\u{202e}gz.exe"],
    ["nul\u0000 bell\u0007 escape\u001b[31m", "nul\\u{0} bell\\u{7} escape\\u{1b}[31m"],
    ["zero\u200bwidth", "zero\\u{200b}width"],
    ["Zürich 東京", "Zürich 東京"],
  ])("shows %j as text", (text, markup) => {
    expect(escapeHtml(text)).toBe(markup);
    expect(html`${text}`.markup).toBe(markup);
  });

  it("leaves markup of its own as it is, in lists too, and nothing of what is not there", () => {
    const items = ["<a>", "b"].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}${undefined}${false}</ul>${3}`.markup).toBe(
      "<ul><li>&lt;a&gt;</li><li>b</li></ul>3",
    );
  });

  it("takes nothing for markup that only looks like it", () => {
    const forged = { markup: "<script>", toString: () => "<script>" } as unknown as string;
    expect(html`${[forged]}`.markup).not.toContain("<script>");
  });

  it("never lets text out of where it stands", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { markup } = html`<a title="${text}">${text}</a>`;
        expect(markup.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, "")).toMatch(
          /^<a title="[^<>"]*">[^<>]*<\/a>$/,
        );
      }),
    );
  });
});

describe("shellWord", () => {
  it.each([
    ["llama-b11347-bin-ubuntu-x64.tar.gz", "llama-b11347-bin-ubuntu-x64.tar.gz"],
    ["http://[::1]:8080/install.sh", "'http://[::1]:8080/install.sh'"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["", "''"],
    ["$(reboot)", "'$(reboot)'"],
    ["one\ntwo", "'one\\u{a}two'"],
  ])("writes %j as %s", (text, word) => {
    expect(shellWord(text)).toBe(word);
  });

  it("is one word to a shell, which means what is seen", () => {
    const texts = [
      "plain",
      "it's",
      "a b",
      "$HOME `id` $(id)",
      "x;reboot",
      '"',
      "\\",
      "*",
      "~",
      "~root",
      "#",
      "a=b",
      "-n",
      "&&",
    ];
    const script = `printf '%s\\n' ${texts.map(shellWord).join(" ")}`;
    const run = spawnSync("sh", ["-c", script], { encoding: "utf8" });
    // A tilde alone would be a home folder: the shell must be given it quoted.
    expect(run.stdout.trimEnd().split("\n")).toEqual(texts);
  });
});

describe("words", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1234567, "1,234,567"],
  ])("groups %d", (number, text) => {
    expect(grouped(number)).toBe(text);
  });

  it("counts, and lists", () => {
    expect(count(1, "file")).toBe("1 file");
    expect(count(1204, "file")).toBe("1,204 files");
    expect(listed([])).toBe("");
    expect(listed(["a"])).toBe("a");
    expect(listed(["a", "b", "c"])).toBe("a, b and c");
    expect(listed(["a", "b", "c", "d", "e"], 3)).toBe("a, b, c and 2 more");
  });

  it("shows times in UTC, and what is no time as it is", () => {
    expect(timeHtml("2026-11-02T10:00:59+02:00").markup).toContain(">2026-11-02 08:00<");
    expect(timeHtml("<never>").markup).toBe("&lt;never&gt;");
    expect(timeHtml(undefined).markup).toContain("not recorded");
  });
});

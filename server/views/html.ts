import { printable } from "../../src/lib/printable.ts";

/** Markup of which every part was either written in this program or escaped. Only `html` and `markupOf` make it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString(): string {
    return this.markup;
  }
}

/** What may stand in a template: text (it is escaped), markup, lists of them, and nothing at all. */
export type Part = string | number | Html | undefined | false | readonly Part[];

/**
 * Markup from a template. Whatever is put into it is escaped unless it is markup itself, so text of a bundle stays text:
 * in content and between double quotes, the only places where templates may put it.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    literals.map((literal, at) => `${literal}${at < parts.length ? render(parts[at]) : ""}`).join(""),
  );
}

/** Markup that this program wrote itself. Never for anything that came from outside. */
export function markupOf(own: string): Html {
  return new Html(own);
}

function render(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.markup;
  if (Array.isArray(part)) return part.map(render).join("");
  return escapeHtml(String(part));
}

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML shows it; characters that nobody sees, and that could turn what others see around, are spelled out. */
export function escapeHtml(text: string): string {
  const seen = text.split("\n").map(printable).join("\n");
  return seen.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? "");
}

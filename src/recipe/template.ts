import { z } from "zod";

/** What a recipe's text may name between braces. `{{` and `}}` stand for braces themselves. */
export const PLACEHOLDERS = {
  version: "the version as it was asked for",
  number: "the version without a leading v",
  tag: "the release's tag, made by versions.tag",
  arch: "the architecture's word, from arch",
  variant: "the build's variant; for a family, the member that the release has",
  label: "the engine's label",
} as const;
export type Placeholder = keyof typeof PLACEHOLDERS;
export type Values = Readonly<Record<Placeholder, string>>;

/** Placeholders that only the note of a fallback knows. */
export const NOTE_PLACEHOLDERS = ["label", "version", "fallback", "cc"] as const;

type Token = { text: string } | { name: string };

/** Splits a template. Throws a SyntaxError for a brace that belongs to nothing. */
function tokensOf(template: string): Token[] {
  const tokens: Token[] = [];
  let text = "";
  for (const [part] of template.matchAll(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|[{}]/g)) {
    if (part === "{{" || part === "}}") text += part.charAt(0);
    else if (part === "{" || part === "}") {
      throw new SyntaxError(`a lone ${part}; write ${part}${part} for the brace itself`);
    } else if (part.startsWith("{")) {
      if (text !== "") tokens.push({ text });
      text = "";
      tokens.push({ name: part.slice(1, -1) });
    } else text += part;
  }
  if (text !== "") tokens.push({ text });
  return tokens;
}

/** The placeholders of a template, in order, with repeats. */
export function placeholdersOf(template: string): string[] {
  return tokensOf(template).flatMap((token) => ("name" in token ? [token.name] : []));
}

/** The template with its placeholders filled in. A recipe that passed its schema names no other placeholder. */
export function render(template: string, values: Readonly<Record<string, string>>): string {
  return tokensOf(template)
    .map((token) => ("text" in token ? token.text : (values[token.name] ?? "")))
    .join("");
}

/**
 * A pattern for whole strings in which one placeholder may be anything that `source` matches (group `hole`) and the
 * others are as given. A placeholder that stands twice must be the same both times.
 */
export function patternWithHole(
  template: string,
  values: Readonly<Record<string, string>>,
  hole: { name: string; source: string },
): RegExp {
  let opened = false;
  const source = tokensOf(template).map((token) => {
    if ("text" in token) return escapePattern(token.text);
    if (token.name !== hole.name) return escapePattern(values[token.name] ?? "");
    if (opened) return "\\k<hole>";
    opened = true;
    return `(?<hole>${hole.source})`;
  });
  return new RegExp(`^${source.join("")}$`, "u");
}

/** RegExp.escape is not in Node 20. */
function escapePattern(text: string): string {
  return text.replace(
    /[\\^$.*+?()[\]{}|/-]/g,
    (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** The schema of a template: every placeholder must be one of `allowed`. */
export function templateOf(allowed: readonly string[] = Object.keys(PLACEHOLDERS)): z.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .superRefine((template, context) => {
      try {
        const unknown = placeholdersOf(template).filter((name) => !allowed.includes(name));
        for (const name of new Set(unknown)) {
          context.addIssue(
            `unknown placeholder {${name}}; there are ${allowed.map((known) => `{${known}}`).join(", ")}`,
          );
        }
      } catch (error) {
        context.addIssue(error instanceof Error ? error.message : String(error));
      }
    });
}

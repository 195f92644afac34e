import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { z } from "zod";
import { type ErrorCode, FerryError } from "../errors.ts";

/**
 * Parses YAML that we own and checks it against a strict schema.
 * Every fault (syntax, duplicate key, unknown key, wrong value) is reported at once, each as
 * `file:line:column: key.path: what is wrong`; nothing is ignored and nothing is clamped. One document a file.
 */
export function parseYamlAs<T>(schema: z.ZodType<T>, text: string, file: string, code: ErrorCode): T {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    version: "1.2",
  });
  const syntax = [...document.errors, ...document.warnings].map((problem) => {
    const at = lines.linePos(problem.pos[0]);
    const path = problem.code === "DUPLICATE_KEY" ? pathTo(document.contents, problem.pos[0]) : undefined;
    const what = path === undefined ? problem.message : `${keyPath(path)}: stands here a second time`;
    return `${file}:${at.line}:${at.col}: ${what}`;
  });
  if (syntax.length > 0) throw invalid(code, file, syntax);

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 20 });
  } catch (error) {
    // More aliases than a file of ours has use for: it would unfold to gigabytes.
    throw invalid(code, file, [`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, document, lines, file));
  throw invalid(code, file, problems);
}

function describeIssue(
  issue: z.core.$ZodIssue,
  document: Document,
  lines: LineCounter,
  file: string,
): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return `${place(document, path, lines, file)}: ${keyPath(path)}: unknown key`;
    });
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    return meantBranch(issue.errors).flatMap((inner) =>
      describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, document, lines, file),
    );
  }
  return [`${place(document, issue.path, lines, file)}: ${keyPath(issue.path)}: ${issue.message}`];
}

/** Of several forms that a value may have, the one that it came nearest to: the first whose faults lie deepest. */
function meantBranch(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const depth = (issues: z.core.$ZodIssue[]): number =>
    Math.max(0, ...issues.map((issue) => issue.path.length));
  return branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
}

function invalid(code: ErrorCode, file: string, problems: string[]): FerryError {
  const [first = `${file}: unreadable`] = problems;
  const message =
    problems.length === 1 ? first : `${problems.length} faults in ${file}:\n  ${problems.join("\n  ")}`;
  return new FerryError(code, message, { details: { file, problems } });
}

/** `engines[0].versions[1]`; the document itself is `(document)`. */
export function keyPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "(document)";
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${String(part)}`))
    .join("");
}

/** The path to the key that begins at an offset of the text, or undefined where none does. */
function pathTo(node: unknown, offset: number): PropertyKey[] | undefined {
  const children: [PropertyKey, unknown, boolean][] = isMap(node)
    ? node.items.map(({ key, value }) => [
        isScalar(key) ? String(key.value) : "?",
        value,
        isScalar(key) && key.range?.[0] === offset,
      ])
    : isSeq(node)
      ? node.items.map((item, index) => [index, item, false])
      : [];
  for (const [name, child, found] of children) {
    const rest = found ? [] : pathTo(child, offset);
    if (rest !== undefined) return [name, ...rest];
  }
  return undefined;
}

/** `file:line:column` of the nearest node that the path leads to; for a key that exists, of the key itself. */
function place(document: Document, path: readonly PropertyKey[], lines: LineCounter, file: string): string {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair: (typeof node.items)[number] | undefined = node.items.find(
        (item) => isScalar(item.key) && item.key.value === part,
      );
      if (pair === undefined) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = (pair.value as Node | null) ?? null;
    } else if (isSeq(node)) {
      node = (node.items[Number(part)] as Node | undefined) ?? null;
      offset = node?.range?.[0] ?? offset;
    } else break;
  }
  const at = lines.linePos(offset);
  return `${file}:${at.line}:${at.col}`;
}

/**
 * What the line-oriented plan may hold, so that a shell script can take it apart with spaces alone and never has to quote
 * or evaluate it. The script refuses anything else too: this side and that one must agree (test/server/install-plan.test.ts).
 */

/** Names, versions, variants, packages, processor features. */
export const WORD = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;
const PATH = /^[A-Za-z0-9][A-Za-z0-9._+~@/-]*$/;
/** An argument of the program that says its version. */
const ARGUMENT = /^[A-Za-z0-9._=-]+$/;
/** What can stand within a JSON string that a shell takes apart: printable ASCII, and no escapes but `\\n \\t \\" \\\\`. */
const QUOTABLE = /^[\n\t -~]*$/;
/** The name of a library file. */
const LIBRARY = /^[A-Za-z0-9][A-Za-z0-9._+-]*\.so[A-Za-z0-9._+-]*$/;

export function isWord(text: string): boolean {
  return text.length <= 128 && WORD.test(text);
}

/** A relative path without empty, `.` or `..` parts. */
export function isPath(text: string): boolean {
  return PATH.test(text) && text.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

export function isArgument(text: string): boolean {
  return ARGUMENT.test(text);
}

export function isQuotable(text: string): boolean {
  return text.length <= 4096 && QUOTABLE.test(text);
}

export function isLibrary(text: string): boolean {
  return LIBRARY.test(text);
}

/** Text for people in one line of printable ASCII; what is none of that becomes a question mark or a space. */
export function plainLine(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[^ -~]/gu, "?")
    .trim();
}

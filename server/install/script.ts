import { readFile } from "node:fs/promises";

/** The parts of the script in their order. They are one program; apart, so that each can be read on its own. */
const PARTS = [
  "head.sh",
  "arguments.sh",
  "host.sh",
  "fetch.sh",
  "env.sh",
  "plan.sh",
  "signature.sh",
  "archive.sh",
  "checks.sh",
  "programs.sh",
  "prefix.sh",
  "interpreter.sh",
  "python.sh",
  "install.sh",
  "manage.sh",
  "main.sh",
] as const;

const PLACE = "default_mirror=''";
/** What an address may hold to stand between single quotes in a shell, and be one. */
const ADDRESS = /^https?:\/\/[A-Za-z0-9.:_~%/[\]-]+$/;

/** The install script as one text, without a mirror of its own. */
export async function readInstallScript(): Promise<string> {
  const parts = await Promise.all(
    PARTS.map((name) => readFile(new URL(`./script/${name}`, import.meta.url), "utf8")),
  );
  // Each part tells the shell checker for itself what the others define; in the whole that would hide faults.
  return parts.map((part) => part.replace(/^# shellcheck shell=sh.*\n/gm, "")).join("\n");
}

/**
 * The script with the address of this mirror in it, or undefined where that is nothing to be put into a script.
 * `base` has no slash at its end.
 */
export function renderInstallScript(script: string, base: string): string | undefined {
  if (!ADDRESS.test(base)) return undefined;
  if (!script.includes(`\n${PLACE}\n`)) throw new Error(`the install script has no line ${PLACE}`);
  return script.replace(`\n${PLACE}\n`, () => `\ndefault_mirror='${base}'\n`);
}

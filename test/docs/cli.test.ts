import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, it } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { VARIABLES } from "../../src/config/variables.ts";

const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
const program = buildProgram({ version: "0" } as Context, () => undefined);

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

it("docs/cli.md names every command", () => {
  const names = leaves(program).map((command) => command.name());
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
});

it("docs/cli.md names every flag, and no flag that there is not", () => {
  const flags = new Set(
    leaves(program).flatMap((command) => command.options.map((option) => option.long ?? "")),
  );
  for (const flag of flags) expect(page, flag).toContain(flag);
  for (const [, named = ""] of page.matchAll(/(?<!-)(--[a-z][a-z-]+)/g)) {
    expect([...flags, "--help", "--verbose", "--version", "--local-image"], named).toContain(named);
  }
});

it("docs/cli.md names every variable", () => {
  for (const name of Object.keys(VARIABLES)) expect(page, name).toContain(name);
});

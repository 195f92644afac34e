/**
 * Writes the JSON Schemas of `schema-list.ts`, or with --check says which differ from what is there.
 *
 * Usage: tsx scripts/schemas.ts [--check] [FOLDER]
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type PublishedSchema, SCHEMAS } from "./schema-list.ts";

function render({ file, title, kind, schema }: PublishedSchema): string {
  const { $schema, ...body } = z.toJSONSchema(schema, {
    io: kind === "written" ? "input" : "output",
    reused: "ref",
    unrepresentable: "throw",
  });
  return `${JSON.stringify({ $schema, $id: `urn:engine-ferry:schema:${file}`, title, ...body }, null, 2)}\n`;
}

/** Names in `folder`, with their content; none where there is no such folder. */
function present(folder: string): Map<string, string> {
  mkdirSync(folder, { recursive: true });
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

const args = process.argv.slice(2);
const checking = args.includes("--check");
const folder =
  args.find((arg) => !arg.startsWith("--")) ?? fileURLToPath(new URL("../bundles/schema/", import.meta.url));

const wanted = new Map(SCHEMAS.map((entry) => [entry.file, render(entry)]));
if (wanted.size !== SCHEMAS.length) {
  throw new Error("two schemas of scripts/schema-list.ts have one file name");
}
const found = present(folder);
const stale = [...wanted].filter(([name, text]) => found.get(name) !== text).map(([name]) => name);
const unlisted = [...found.keys()].filter((name) => !wanted.has(name));

if (checking) {
  for (const name of stale) console.error(`schema: ${name} is not what the code says; run: npm run schemas`);
  for (const name of unlisted) {
    console.error(`schema: ${name} is in the folder but not in scripts/schema-list.ts`);
  }
  if (stale.length + unlisted.length > 0) process.exitCode = 1;
} else {
  for (const name of stale) writeFileSync(join(folder, name), wanted.get(name) ?? "");
  for (const name of unlisted) rmSync(join(folder, name), { recursive: true });
}
console.log(`schema: ${wanted.size} schemas, ${stale.length} ${checking ? "differ" : "written"}`);

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FerryError } from "../../errors.ts";
import { type Pylock, parsePylock } from "../../wire/pylock.ts";
import { tomlString } from "../../wire/toml-string.ts";
import { uvFault } from "./uv-fault.ts";
import { readWhole } from "./uv-notes.ts";
import type { Uv } from "./uv-process.ts";

export interface CompileRequest {
  /** Names it in errors: `vLLM 0.30.0 cu13 for amd64`. */
  what: string;
  requirements: readonly string[];
  /** `3.12` */
  python: string;
  /** `["--universal"]` */
  options: readonly string[];
  /** Asked for its packages and for no others, and exempt from `--exclude-newer`. */
  extraIndex?: { name: string; url: string; packages: readonly string[] } | undefined;
  excludeNewer?: string;
  env?: Readonly<Record<string, string>>;
}

export interface Compiled {
  lock: Pylock;
  /** What uv said: warnings, and which addresses it asked. */
  notes: string;
}

/** `uv pip compile` of these requirements to a lock. Throws what `uvFault` makes of uv's complaint. */
export async function compile(uv: Uv, request: CompileRequest): Promise<Compiled> {
  const { what, python, options, extraIndex, excludeNewer } = request;
  return uv.inFolder(async (folder) => {
    await writeFile(join(folder, "pyproject.toml"), projectText(request));
    const frozen = excludeNewer === undefined ? [] : ["--exclude-newer", excludeNewer];
    // An index may date its files by when it last copied them, or not at all (P1, P2); the flag is the form of it that
    // uv heeds with explicit indexes.
    const exempt =
      excludeNewer === undefined
        ? []
        : (extraIndex?.packages ?? []).flatMap((name) => ["--exclude-newer-package", `${name}=false`]);
    const args = ["pip", "compile", "pyproject.toml", "--format", "pylock.toml", "--no-header"];
    const result = await uv.run(
      [...args, "--python", await uv.python(), "--python-version", python, ...options, ...frozen, ...exempt],
      folder,
      { RUST_LOG: REQUESTS, ...request.env },
    );
    if (result.code !== 0) throw uvFault(result, what);
    rememberUnclaimed(uv, result.stderr, what);
    return { lock: readLock(result.stdout, what), notes: result.stderr };
  });
}

/** uv's log of what it asks servers for. */
const REQUESTS = "uv_client::cached_client=debug";

function rememberUnclaimed(uv: Uv, notes: string, what: string): void {
  const whole = readWhole(notes);
  if (whole === undefined) {
    throw new FerryError(
      "PYTHON_UV",
      `${what}: uv ${uv.version} does not say in known words what it asked for`,
      {
        hint: "So nobody can tell digests that an index claims from those that uv made. Use a uv of 0.12 or 0.13: name it in FERRY_UV.",
      },
    );
  }
  for (const url of whole) uv.unclaimed.add(url);
}

function readLock(text: string, what: string): Pylock {
  try {
    return parsePylock(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new FerryError("PYTHON_UV", `${what}: uv wrote a lock that cannot be read: ${why}`, {
      cause: error,
      hint: "Use a uv of 0.12 or 0.13: name it in FERRY_UV.",
    });
  }
}

/**
 * The requirements as a project of their own: in a project alone can a package be bound to one index. The name stands in
 * uv's words when there is no solution.
 */
function projectText({ requirements, python, extraIndex }: CompileRequest): string {
  const lines = [
    "[project]",
    'name = "ferry-environment"',
    'version = "0"',
    `requires-python = ${tomlString(`>=${python}`)}`,
    "dependencies = [",
    ...requirements.map((line) => `    ${tomlString(line)},`),
    "]",
  ];
  if (extraIndex !== undefined) {
    lines.push("", "[[tool.uv.index]]", `name = ${tomlString(extraIndex.name)}`);
    lines.push(`url = ${tomlString(extraIndex.url)}`, "explicit = true", "", "[tool.uv.sources]");
    for (const name of extraIndex.packages) {
      lines.push(`${tomlString(name)} = { index = ${tomlString(extraIndex.name)} }`);
    }
  }
  return `${lines.join("\n")}\n`;
}

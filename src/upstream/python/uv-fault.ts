import { FerryError } from "../../errors.ts";
import type { ExecResult } from "../../lib/exec.ts";
import { normaliseProject } from "../../wire/wheel-name.ts";
import { uvWords } from "./uv-words.ts";

/** Why uv could not do it, as one of our errors, in uv's own words cut to what matters. `what`: `vLLM 0.30.0 cu13`. */
export function uvFault(result: ExecResult, what: string): FerryError {
  const words = uvWords(result.stderr);
  const sourceOnly = sourceOnlyProjects(result.stderr);
  if (sourceOnly.length > 0) {
    const names = sourceOnly.join(", ");
    return new FerryError(
      "PYTHON_SOURCE_ONLY",
      `${what}: no wheel for this platform, only source: ${names}\n${words}`,
      {
        hint: `Nothing is built from source. Let the recipe (an overlay may) give a wheel by its address, as NAME @ https://….whl#sha256=…, for: ${names}.`,
        details: { projects: sourceOnly },
      },
    );
  }
  const [code, hint] = FAULTS.find(([pattern]) => pattern.test(result.stderr))?.[1] ?? OTHER;
  return new FerryError(code, `${what}: ${words === "" ? `uv ended with ${result.code}` : words}`, { hint });
}

type Fault = readonly [
  "PYTHON_NO_SOLUTION" | "PYTHON_UV" | "PYTHON_REQUIREMENTS" | "NET_UNREACHABLE" | "NET_FORBIDDEN",
  string,
];

const OTHER: Fault = [
  "PYTHON_UV",
  "This is uv's own complaint; running the same command again with --verbose shows more.",
];
const FAULTS: readonly (readonly [RegExp, Fault])[] = [
  [
    /\b(401|403)\b (Unauthorized|Forbidden)|Missing credentials/,
    [
      "NET_FORBIDDEN",
      "The index refuses: check UV_DEFAULT_INDEX and the credentials (UV_INDEX_NAME_USERNAME and _PASSWORD, or a .netrc).",
    ],
  ],
  [
    /No solution found|was not found in the package registry/,
    [
      "PYTHON_NO_SOLUTION",
      "Ask for another version, or, where a wheel needs a newer glibc, set python.glibc in the spec to what the nodes have.",
    ],
  ],
  [
    /Failed to (fetch|download)|error sending request|client error|dns error|operation timed out/,
    [
      "NET_UNREACHABLE",
      "Check that this machine reaches the package index; UV_DEFAULT_INDEX names another, and HTTPS_PROXY a proxy.",
    ],
  ],
  [
    /Failed to parse|expected one of/,
    ["PYTHON_REQUIREMENTS", "Correct the requirement in the recipe that is named here."],
  ],
];

/** The projects that uv says would have to be built (P10), normalised. */
function sourceOnlyProjects(stderr: string): string[] {
  const found = stderr.matchAll(
    /Wheels are required for `([^`]+)` because building from source is disabled/g,
  );
  return [...new Set([...found].map(([, name = ""]) => normaliseProject(name)))].sort();
}

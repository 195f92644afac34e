import { expect, it } from "vitest";
import { uvFault } from "../../../src/upstream/python/uv-fault.ts";
import { uvWords } from "../../../src/upstream/python/uv-words.ts";

const fault = (stderr: string) => uvFault({ code: 1, stdout: "", stderr }, "Small 1.0");

it.each([
  [
    "error: Failed to fetch: `https://x.test/`\n  cause: HTTP status client error (403 Forbidden)",
    "NET_FORBIDDEN",
  ],
  ["error: Failed to fetch: `http://x/`\n  cause: error sending request", "NET_UNREACHABLE"],
  ["error: No solution found when resolving dependencies\n  cause: Because x", "PYTHON_NO_SOLUTION"],
  ["error: Failed to parse: `pyproject.toml`", "PYTHON_REQUIREMENTS"],
  ["error: panicked", "PYTHON_UV"],
  ["", "PYTHON_UV"],
])("makes of %j %s", (stderr, code) => {
  expect(fault(stderr)).toMatchObject({ code, message: expect.stringContaining("Small 1.0: ") as string });
});

it("P10 names every project that has no wheel", () => {
  const hint = (name: string): string =>
    `hint: Wheels are required for \`${name}\` because building from source is disabled for all packages`;
  const error = fault(`error: No solution found\n${hint("b")}\n${hint("A_a")}\n${hint("b")}\n`);
  expect(error).toMatchObject({ code: "PYTHON_SOURCE_ONLY", details: { projects: ["a-a", "b"] } });
  expect(error.message).toContain("only source: a-a, b");
});

it("cuts uv's words to what matters", () => {
  const stderr = `DEBUG Solving
warning: The requested Python version 3.12 is not available
error: Failed to fetch: \`https://user:secret@x.test/simple/a/?sig=1\`

  cause: tcp connect error\u001b[31m
Resolved nothing`;
  expect(uvWords(stderr)).toBe(
    "Failed to fetch: 'https://x.test/simple/a/?…'\n  cause: tcp connect error\\u{1b}[31m",
  );
  expect(uvWords(`error: ${"x".repeat(5000)}`)).toHaveLength(1501);
});

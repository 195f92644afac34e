import { expect, it } from "vitest";
import { readRequirements } from "../../../src/upstream/python/requirements-file.ts";

it("keeps plain lines and leaves comments and blank lines out", () => {
  const text = [
    "\ufeff# ComfyUI",
    "torch",
    "",
    "  numpy>=1.25.0, <3   # for arrays",
    "av[extra, more]~=17.0",
    "comfyui-frontend-package==1.30.6\r",
    'uvloop!=0.15.0 ; sys_platform != "win32" and (python_version >= "3.9")',
    "PyOpenGL==3.*",
    "a===1.0+local",
  ].join("\n");
  expect(readRequirements(text, "requirements.txt")).toEqual([
    "torch",
    "numpy>=1.25.0, <3",
    "av[extra, more]~=17.0",
    "comfyui-frontend-package==1.30.6",
    'uvloop!=0.15.0 ; sys_platform != "win32" and (python_version >= "3.9")',
    "PyOpenGL==3.*",
    "a===1.0+local",
  ]);
});

it.each([
  "-r other.txt",
  "-rother.txt",
  "-e .",
  "-c constraints.txt",
  "--index-url https://index.test/simple",
  "--extra-index-url=https://index.test/simple",
  "--find-links /tmp",
  "--pre",
  "git+https://github.com/o/r",
  "small @ git+https://github.com/o/r",
  "small @ https://index.test/small-1.0-py3-none-any.whl",
  "small@https://index.test/small-1.0-py3-none-any.whl",
  "https://index.test/small-1.0-py3-none-any.whl",
  "./small-1.0-py3-none-any.whl",
  "/tmp/small",
  "small==1.0 --hash=sha256:00",
  "small==1.0 \\",
  "small=1.0",
  "small >",
  "${TORCH}",
  "small; python_version > `id`",
  "small, other",
])("P19 refuses %j, naming file and line", (line) => {
  expect(() => readRequirements(`torch\n\n${line}\n`, "requirements.txt")).toThrow(
    expect.objectContaining({
      code: "PYTHON_REQUIREMENTS",
      message: expect.stringMatching(/^requirements\.txt, line 3: /) as string,
      details: { file: "requirements.txt", line: 3, found: line },
    }) as Error,
  );
});

it("shortens a line that goes on and on", () => {
  const long = `-r ${"x".repeat(500)}`;
  expect(() => readRequirements(long, "r.txt")).toThrow(/x…" is no plain requirement/);
});

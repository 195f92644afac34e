import { expect, it } from "vitest";
import { projectOf, requirementsOf, titleOf } from "../../../src/upstream/python/requirements.ts";
import { pythonRequest } from "../../support/python-index/request.ts";

const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

it("asks for the release's wheel by address and digest, and for each package of the second index", () => {
  const request = pythonRequest(
    {
      variant: "cu129",
      wheel: { project: "vllm", repo: "o/r", tag: "v1", prefix: "vllm-", suffix: ".whl" },
      indexPackages: ["torch", "Torch_Vision"],
      requirements: ["extra>=1"],
    },
    { wheel: { filename: "vllm-1-py3-none-any.whl", url: "https://x.test/v.whl", digest: `sha256:${HEX}` } },
  );
  expect(requirementsOf(request)).toEqual([
    `vllm @ https://x.test/v.whl#sha256=${HEX}`,
    "extra>=1",
    "torch",
    "Torch_Vision",
  ]);
});

it("adds the packages of the second index that a source's file does not name", () => {
  const request = pythonRequest(
    { variant: "cu129", indexPackages: ["torch", "torchvision", "torchaudio"] },
    { sourceRequirements: { file: "requirements.txt", text: "# x\nTorch>=2\ntorchvision; x == 'y'\n" } },
  );
  expect(requirementsOf({ ...request, build: { ...request.build, requirements: [] } })).toEqual([
    "Torch>=2",
    "torchvision; x == 'y'",
    "torchaudio",
  ]);
});

it("P19 refuses a source's file that reads another", () => {
  const sourceRequirements = { file: "requirements.txt", text: "torch\n-r more.txt\n" };
  expect(() => requirementsOf(pythonRequest({}, { sourceRequirements }))).toThrow(
    /requirements\.txt, line 2/,
  );
});

it.each([
  [`small @ https://x.test/small-1-py3-none-any.whl#sha256=${HEX}`, true],
  [`small @ https://x.test/small-1-py3-none-any.whl#sha256=${HEX} ; python_version > '3'`, true],
  ["small>=1; python_version > '3@'", true],
  ["small @ https://x.test/small-1-py3-none-any.whl", false],
  ["small@https://x.test/small-1-py3-none-any.whl#sha256=00", false],
])("of a recipe's line %j an address is taken with its digest alone: %s", (line, taken) => {
  const ask = (): string[] => requirementsOf(pythonRequest({ requirements: [line] }));
  if (taken) expect(ask()).toEqual([line]);
  else expect(ask).toThrow(expect.objectContaining({ code: "PYTHON_REQUIREMENTS" }) as Error);
});

it.each([
  ["Markdown_It.py>=1", "markdown-it-py"],
  ["small[extra]", "small"],
  ["vllm @ https://x", "vllm"],
  ["", ""],
])("the project of %j is %j", (line, project) => {
  expect(projectOf(line)).toBe(project);
});

it("never resolves without the wheel that the recipe names", () => {
  const wheel = { project: "vllm", repo: "o/r", tag: "v1", prefix: "vllm-", suffix: ".whl" };
  expect(() => requirementsOf(pythonRequest({ wheel }))).toThrow("o/r v1 was not looked up");
});

it("is named by what is resolved, not by what was asked for", () => {
  expect(titleOf(pythonRequest({ version: "0.9" }))).toBe("Small 0.9 cpu for amd64");
});

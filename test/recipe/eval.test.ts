import { describe, expect, it } from "vitest";
import { evalCase, parseCases } from "../../src/recipe/eval.ts";
import { tableOf } from "../../src/recipe/table.ts";
import { builtinTable } from "../support/recipes.ts";

const table = await builtinTable();

describe("cases of one JSON object a line", () => {
  it("are read with their defaults, empty lines and answers passed over", () => {
    const text =
      '{"fn":"builds","engine":"uv","version":"0.12.23","arch":"amd64","builds":[31]}\n\n{"fn":"candidates","engine":"vllm","version":"0.30.0","host":{"arch":"amd64"}}\r\n';
    const [first, second] = parseCases(text, "cases");
    expect(first).toMatchObject({ fn: "builds", arch: "amd64" });
    expect(second).toMatchObject({
      variant: "",
      host: { arch: "amd64", nvidiaDriver: "", minComputeCapability: 0 },
    });
  });

  it("are answered in the reference's shape", () => {
    const answers = parseCases(
      [
        '{"fn":"builds","engine":"uv","version":"0.12.23","arch":"amd64"}',
        '{"fn":"candidates","engine":"vllm","version":"0.30.0","variant":"","host":{"arch":"amd64","nvidiaDriver":"","minComputeCapability":0}}',
        '{"fn":"builds","engine":"nope","version":"","arch":""}',
      ].join("\n"),
      "cases",
    ).map((one) => evalCase(table, one));
    expect(answers).toEqual([
      { builds: [{ variant: "x86_64", assets: ["uv-x86_64-unknown-linux-gnu.tar.gz"], binary: "uv" }] },
      { error: "vLLM runs on NVIDIA GPUs, and this machine has no NVIDIA driver", notHere: true },
      { error: expect.stringContaining('"nope"') as string },
    ]);
  });

  it.each([
    ["{", /^cases:1: is no JSON/],
    ['{"fn":"nope"}', /^cases:1: fn: /],
    [
      '{"fn":"builds","engine":"uv","version":"1","arch":"amd64"}\n{"fn":"builds","engine":"uv","version":"1","arch":"amd64","colour":1}',
      /^cases:2: .*colour/,
    ],
    ["[]", /^cases:1: /],
  ])("are refused with their line: %j", (text, message) => {
    expect(() => parseCases(text, "cases")).toThrow(message);
  });

  it("let a fault of ours through", () => {
    const broken = {
      ...tableOf([]),
      recipe: () => {
        throw new TypeError("ours");
      },
    };
    expect(() => evalCase(broken, { fn: "builds", engine: "uv", version: "1", arch: "amd64" })).toThrow(
      TypeError,
    );
  });
});

import { lstat, mkdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cudartArchive, llamaArchive } from "../support/archives/llamacpp.ts";
import { sourceArchive } from "../support/archives/source.ts";
import { tarGzOf } from "../support/archives/tar-gz.ts";
import { uvArchive } from "../support/archives/uv.ts";
import { tmpDir } from "../support/tmp.ts";
import { run } from "./run.ts";

/** Unpacks with the real tar, without the top folder, over what is there. */
async function unpack(archive: Buffer, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "..", "archive.tar.gz");
  await writeFile(file, archive);
  const ran = await run("tar", ["-xzf", file, "-C", folder, "--strip-components=1", "--no-same-owner"]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
}

const GPU = { FERRY_PRACTICE_GPU: "1" };
const CUDART = "cudart-llama-b11347-bin-ubuntu-cuda-13.4-x64.tar.gz";

describe("llama.cpp's archives", () => {
  it("unpack to a program that runs, with chains of links and exec bits", async () => {
    const folder = join(await tmpDir(), "node");
    await unpack(llamaArchive({ tag: "b11347", target: "ubuntu-x64", size: 17_551 }), folder);
    const server = join(folder, "llama-server");
    const version = await run(server, ["--version"]);
    expect(version).toMatchObject({ code: 0, stdout: "" });
    expect(version.stderr).toMatch(/^version: 11347 \([0-9a-f]{7}\)\nbuilt with .* x86_64-linux-gnu\n$/);
    expect((await run(server, ["--list-devices"], GPU)).stdout).toBe("Available devices:\n");
    expect((await run(server, [])).code).toBe(1);
    expect(await readlink(join(folder, "libllama.so"))).toBe("libllama.so.0");
    expect(await readlink(join(folder, "libllama.so.0"))).toBe("libllama.so.0.0.11347");
    expect((await lstat(join(folder, "libllama.so.0.0.11347"))).mode & 0o777).toBe(0o755);
  });

  it("fail as a loader does where links were dropped", async () => {
    const folder = join(await tmpDir(), "node");
    await unpack(llamaArchive({ tag: "b11347", target: "ubuntu-arm64", size: 1 }), folder);
    await rm(join(folder, "libllama.so.0"));
    const ran = await run(join(folder, "llama-server"), ["--version"]);
    expect(ran.code).toBe(127);
    expect(ran.stderr).toMatch(/error while loading shared libraries: libllama\.so\.0/);
  });

  it("M17: see the card once build and runtime are merged, and only where there is one", async () => {
    const folder = join(await tmpDir(), "node");
    const devices = async (env = {}): Promise<string> =>
      (await run(join(folder, "llama-server"), ["--list-devices"], env)).stdout;
    await unpack(llamaArchive({ tag: "b11347", target: "ubuntu-cuda-13.4-x64", size: 152_148 }), folder);
    expect(await devices(GPU)).not.toContain("CUDA0");
    await unpack(cudartArchive(CUDART, 440_236), folder);
    expect(await devices(GPU)).toMatch(/^ {2}CUDA0: /m);
    expect(await devices({ FERRY_PRACTICE_GPU: "0" })).not.toContain("CUDA0");
  });

  it("see it through Vulkan too", async () => {
    const folder = join(await tmpDir(), "node");
    await unpack(llamaArchive({ tag: "b11347", target: "ubuntu-vulkan-arm64", size: 24_751 }), folder);
    expect((await run(join(folder, "llama-server"), ["--list-devices"], GPU)).stdout).toMatch(
      /^ {2}Vulkan0: /m,
    );
    expect((await run(join(folder, "llama-server"), ["--version"])).stderr).toContain("aarch64");
  });

  it("have one top folder each", async () => {
    const folder = await tmpDir();
    const tops = async (archive: Buffer): Promise<Set<string | undefined>> => {
      await writeFile(join(folder, "a"), archive);
      const { stdout } = await run("tar", ["-tzf", join(folder, "a")]);
      return new Set(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => line.split("/")[0]),
      );
    };
    const llama = llamaArchive({ tag: "b11347", target: "ubuntu-x64", size: 1 });
    expect(await tops(llama)).toEqual(new Set(["llama-b11347"]));
    expect(await tops(cudartArchive(CUDART, 1))).toEqual(new Set([CUDART.replace(".tar.gz", "")]));
    expect(await tops(sourceArchive("Comfy-Org/ComfyUI", "v0.39.2"))).toEqual(new Set(["ComfyUI-0.39.2"]));
  });
});

describe("uv's archives", () => {
  it("unpack to programs that tell their version", async () => {
    const folder = join(await tmpDir(), "node");
    await unpack(uvArchive("0.12.23", "x86_64-unknown-linux-gnu", 19_922), folder);
    expect((await run(join(folder, "uv"), ["--version"])).stdout).toMatch(
      /^uv 0\.12\.23 \([0-9a-f]{9} x86_64-/,
    );
    expect((await run(join(folder, "uvx"), ["-V"])).stdout).toMatch(/^uvx 0\.12\.23 /);
    expect((await run(join(folder, "uv"), ["pip"])).code).toBe(2);
  });
});

describe("archives built in code", () => {
  it("are the same bytes each time", () => {
    const build = (): Buffer => llamaArchive({ tag: "b11347", target: "ubuntu-x64", size: 17_551 });
    expect(build().equals(build())).toBe(true);
  });

  it("refuse a name that a plain header cannot hold", () => {
    expect(() => tarGzOf([{ path: "x".repeat(300) }])).toThrow(/does not fit/);
  });
});

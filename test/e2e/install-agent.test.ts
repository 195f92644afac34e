import { describe, expect, it } from "vitest";
import { z } from "zod";
import { InstallPlan } from "../../server/install/install-plan.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { encodePath } from "../../src/wire/github.ts";
import { installSite } from "../support/install/install-site.ts";
import { REPO } from "../support/install/practice-bundle.ts";

const Release = z.object({
  tag_name: z.string(),
  assets: z.array(
    z.object({ name: z.string(), digest: z.string(), size: z.int(), browser_download_url: z.string() }),
  ),
});

describe("an agent that knows GitHub's paths alone", () => {
  it("gets the digests from the release API and the same bytes as the install script from the download base", async () => {
    const { mirror } = await installSite();
    const host = "arch=amd64&driver=580.65.06&cc=8.9&glibc=2.36";
    const plan = InstallPlan.parse(
      await (await fetch(`${mirror.url}/v1/install/llamacpp/b11347?${host}`)).json(),
    );
    const planned = plan.candidates.flatMap(({ files }) => files);
    expect(planned.length).toBe(5);

    for (const api of [mirror.url, `${mirror.url}/api/v3`]) {
      const release = Release.parse(await (await fetch(`${api}/repos/${REPO}/releases/tags/b11347`)).json());
      for (const { path, digest, size } of planned) {
        const name = path.split("/").at(-1) ?? "";
        const asset = release.assets.find((one) => one.name === name);
        expect([asset?.digest, asset?.size]).toEqual([digest, size]);
        const url = `${mirror.url}/${REPO}/releases/download/${release.tag_name}/${encodeURIComponent(name)}`;
        expect(asset?.browser_download_url).toBe(url);
        expect(url).toBe(`${mirror.url}/${encodePath(path)}`);
        const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect([digestOf(bytes), bytes.length]).toEqual([digest, size]);
      }
    }
  });

  it("and the install script ask the mirror, and nobody else, for everything", async () => {
    const { install, mirror, node } = await installSite();
    // Whatever else the script would ask for goes to a proxy that nobody runs.
    const env = {
      https_proxy: "http://127.0.0.1:9",
      http_proxy: "http://127.0.0.1:9",
      no_proxy: "127.0.0.1",
    };
    expect((await install(["llamacpp", "b11347"], { env })).code).toBe(0);
    expect(mirror.requests.map((line) => line.replace(/\?.*/, ""))).toEqual([
      "GET /v1/install/llamacpp/b11347",
      `GET /${REPO}/releases/download/b11347/llama-b11347-bin-ubuntu-x64.tar.gz`,
      "GET /install.sh",
    ]);
    expect(node.prefix).toBeDefined();
  });
});

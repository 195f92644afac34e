import { describe, expect, it, onTestFinished } from "vitest";
import { catalogModel } from "../../../server/views/home-model.ts";
import { pythonModel } from "../../../server/views/python-model.ts";
import { rawRequest } from "../../support/mirror-server.ts";
import { fullCatalog, servePages } from "../../support/page-mirror.ts";
import { pythonCatalog } from "../../support/page-python.ts";

const BASE = "http://mirror.test:8080";
const SITE = { base: BASE, guarded: false };
const catalog = pythonCatalog();

describe("what the page says of Python engines", () => {
  it("is nothing where no bundle has Python in it", () => {
    expect(pythonModel(fullCatalog(), SITE)).toBeUndefined();
  });

  it("P12 has what each build needs, and what a node downloads for it", () => {
    const { engines } = catalogModel(catalog, SITE);
    const vllm = engines.find(({ id }) => id === "vllm")?.versions[0];
    const [cu13] = vllm?.variants ?? [];
    expect(cu13?.cells).toEqual({
      amd64: { state: "here", bytes: 3_890_000_000 + 95_000 + 22_000_000 + 31_000_000 },
      arm64: { state: "waiting" },
    });
    expect(cu13?.needs.glibc).toBe("amd64: 2.31 or newer; arm64: 2.34 or newer");
    expect(cu13?.needs.also).toContain("Python 3.12 and 198 packages (carried)");
    expect(vllm?.install).toBe(`curl -fsSL ${BASE}/install.sh | sh -s -- vllm 0.30.0`);
  });

  it("has the locks, and whether each was proven", () => {
    const locks = pythonModel(catalog, SITE)?.locks;
    expect(locks).toMatchObject([
      { title: "SGLang 0.5.23", arch: "amd64", proven: false, complete: true, glibc: "2.34", packages: 207 },
      { title: "vLLM 0.30.0", arch: "arm64", proven: true, complete: false },
      {
        title: "vLLM 0.30.0",
        arch: "amd64",
        proven: true,
        complete: true,
        pylock: `${BASE}/v1/locks/vllm/0.30.0/amd64/cu13/pylock.toml`,
        folder: `${BASE}/v1/locks/vllm/0.30.0/amd64/cu13/folder.tar`,
      },
    ]);
  });

  it("P18 has what engines fetch at their first run", () => {
    expect(pythonModel(catalog, SITE)?.notCarried).toMatchObject([
      { engine: "vLLM", what: [expect.stringContaining("HF_HUB_OFFLINE=1"), expect.any(String)] },
      { engine: "SGLang" },
    ]);
  });

  it("has commands to copy, with the address that it was asked at", async () => {
    const served = await servePages(catalog);
    onTestFinished(served.close);
    const { text } = await rawRequest(served.url, "GET", "/");
    for (const part of [
      `uv pip install --python sglang-0.5.23 --require-hashes -r ${served.url}/v1/locks/sglang/0.5.23/amd64/cu13/pylock.toml`,
      `UV_DEFAULT_INDEX=${served.url}/simple uv sync`,
      `export PIP_INDEX_URL=${served.url}/simple PIP_TRUSTED_HOST=127.0.0.1:`,
      `export UV_PYTHON_DOWNLOADS_JSON_URL=${served.url}/python-downloads.json`,
      `url = &quot;${served.url}/whl/cu130&quot;`,
      "not proven",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("needs no word about trust where the mirror speaks TLS", () => {
    const words = JSON.stringify(catalogModel(catalog, { base: "https://mirror.test", guarded: false }));
    expect(words).not.toContain("trusted");
    expect(words).not.toContain("TRUSTED");
  });
});

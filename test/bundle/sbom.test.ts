import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { describe, expect, it } from "vitest";
import { githubPurl, originOf } from "../../src/bundle/purl.ts";
import { renderSbom, SbomReport } from "../../src/bundle/sbom.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { SAMPLE_CONTENTS, SERVER_PATH, sampleDocument, WHEEL_PATH } from "../support/sample-bundle.ts";

const MANIFEST = digestOf("m");
const sbom = renderSbom(sampleDocument(), MANIFEST);

describe("renderSbom", () => {
  it("fits the official schema of CycloneDX 1.6, and our own part of it", async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(JSON.stringify(sbom))).toBeNull();
    expect(await validator.validate(JSON.stringify({ ...sbom, surprise: 1 }))).not.toBeNull();
    expect(SbomReport.parse(sbom)).toEqual(sbom);
  });

  it("lists every carried file with origin, digest and the reason why the digest is believed", () => {
    const names = sbom.components.filter(({ type }) => type === "file").map(({ "bom-ref": ref }) => ref);
    expect(names).toEqual([...SAMPLE_CONTENTS.keys()].map((path) => `file:${path}`));
    const wheel = sbom.components.find(({ "bom-ref": ref }) => ref === `file:${WHEEL_PATH}`);
    const hashes = [{ alg: "SHA-256", content: digestOf(SAMPLE_CONTENTS.get(WHEEL_PATH) ?? "").slice(7) }];
    expect(wheel).toMatchObject({
      version: "v0.30.0",
      hashes,
      externalReferences: [
        { type: "distribution", url: expect.stringContaining("%2Bcu129") as string, hashes },
      ],
    });
    expect(wheel?.properties).toContainEqual({ name: "engine-ferry:trust", value: "checksum-file" });
    expect(wheel?.properties).toContainEqual({ name: "engine-ferry:mirror-path", value: WHEEL_PATH });
  });

  it("B24: writes + as %2B in a package URL", () => {
    const wheel = sbom.components.find(({ "bom-ref": ref }) => ref === `file:${WHEEL_PATH}`);
    expect(wheel?.purl).toBe(
      "pkg:github/vllm-project/vllm@v0.30.0?file_name=vllm-0.30.0%2Bcu129-cp38-abi3-manylinux_2_31_x86_64.whl",
    );
  });

  it("makes engines depend on the files of their builds, and the bundle on all that is left", () => {
    const dependsOn = new Map(sbom.dependencies.map(({ ref, dependsOn: refs }) => [ref, refs]));
    expect(dependsOn.get("engine:llamacpp@b11347")).toEqual([`file:${SERVER_PATH}`]);
    expect(dependsOn.get("bundle:site-a@3")).toHaveLength(4);
    expect(dependsOn.get("bundle:site-a@3")).toContain("engine:llamacpp@b11347");
    expect(sbom.components.find(({ type }) => type === "application")).toMatchObject({
      name: "llamacpp",
      purl: "pkg:github/ggml-org/llama.cpp@b11347",
      properties: [{ name: "engine-ferry:build", value: "amd64 cpu" }],
    });
  });

  it("B22: is the same for the same bundle, and has another serial number for another", () => {
    expect(renderSbom(sampleDocument(), MANIFEST)).toEqual(sbom);
    expect(sbom.metadata.timestamp).toBe("2026-11-02T10:00:00Z");
    expect(renderSbom(sampleDocument(), digestOf("n")).serialNumber).not.toBe(sbom.serialNumber);
    expect(sbom.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it("describes what comes from elsewhere than a release without a package URL", () => {
    const contents = new Map([["downloads/x.bin", Buffer.from("x")]]);
    const { components } = renderSbom(sampleDocument({ builds: [], releases: [] }, contents), MANIFEST);
    expect(components).toHaveLength(1);
    expect(components[0]).not.toHaveProperty("purl");
    expect(components[0]).toMatchObject({ name: "x.bin" });
  });
});

describe("origins and package URLs", () => {
  it.each([
    ["o/r/releases/download/v1/a.tar.gz", { repo: "o/r", tag: "v1", file: "a.tar.gz" }],
    ["o/r/releases/download/feature/v1/a", { repo: "o/r", tag: "feature/v1", file: "a" }],
    ["o/r/archive/refs/tags/v1.tar.gz", { repo: "o/r", tag: "v1", file: "v1.tar.gz" }],
    ["o/r/archive/refs/tags/a/v1.tar.gz", { repo: "o/r", tag: "a/v1", file: "v1.tar.gz" }],
    ["o/r/archive/refs/tags/v1.zip", undefined],
    ["o/r/releases/download/v1", undefined],
    ["o/r", undefined],
    ["file", undefined],
  ])("of %s", (path, origin) => {
    expect(originOf(path)).toEqual(origin);
  });

  it("follow the specification: lower-case names, everything else encoded", () => {
    expect(githubPurl("Comfy-Org/ComfyUI", "v0.3.1")).toBe("pkg:github/comfy-org/comfyui@v0.3.1");
    expect(githubPurl("o/r", "a/b:c", "x (1)+y!.gz")).toBe(
      "pkg:github/o/r@a%2Fb:c?file_name=x%20%281%29%2By%21.gz",
    );
  });
});

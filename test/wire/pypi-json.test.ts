import { describe, expect, it } from "vitest";
import { type PypiRelease, projectJsonOf, releaseJsonOf } from "../../src/wire/pypi-json.ts";

const HEX = "ab".repeat(32);
const release: PypiRelease = {
  project: "vllm",
  version: "0.23.0",
  files: [
    {
      filename: "vllm-0.23.0-cp38-abi3-manylinux_2_31_x86_64.whl",
      url: "http://m/packages/aa/bb/cc/vllm-0.23.0-cp38-abi3-manylinux_2_31_x86_64.whl",
      size: 10,
      sha256: HEX,
      uploadedAt: "2026-06-13T05:23:10.500Z",
      requiresPython: ">=3.10",
    },
    {
      filename: "vllm-0.23.0.tar.gz",
      url: "http://m/packages/aa/bb/cc/vllm-0.23.0.tar.gz",
      size: undefined,
      sha256: undefined,
      uploadedAt: "2026-06-13T05:24:00Z",
    },
  ],
};

describe("a release as an index's JSON", () => {
  it("has what agents read of it", () => {
    expect(releaseJsonOf(release)).toMatchObject({
      info: {
        name: "vllm",
        version: "0.23.0",
        requires_python: ">=3.10",
        yanked: false,
        yanked_reason: null,
      },
      urls: [
        {
          filename: "vllm-0.23.0-cp38-abi3-manylinux_2_31_x86_64.whl",
          packagetype: "bdist_wheel",
          python_version: "cp38",
          size: 10,
          digests: { sha256: HEX },
          upload_time: "2026-06-13T05:23:10",
          upload_time_iso_8601: "2026-06-13T05:23:10.500Z",
        },
        { packagetype: "sdist", python_version: "source", digests: {} },
      ],
    });
  });

  it("says nothing of a size that nobody knows", () => {
    expect(Object.keys((releaseJsonOf(release) as { urls: object[] }).urls[1] ?? {})).not.toContain("size");
  });

  it("P17 is withdrawn when all its files are", () => {
    const withdrawn = { ...release, files: release.files.map((file) => ({ ...file, yanked: "broken" })) };
    expect(releaseJsonOf(withdrawn)).toMatchObject({ info: { yanked: true, yanked_reason: "broken" } });
    expect(releaseJsonOf({ ...release, files: [] })).toMatchObject({ info: { yanked: false }, urls: [] });
  });
});

describe("a project as an index's JSON", () => {
  it("lists every release, and speaks of the latest", () => {
    const older = { ...release, version: "0.22.0", files: [] };
    expect(projectJsonOf(release, [older, release])).toMatchObject({
      info: { version: "0.23.0" },
      releases: { "0.22.0": [], "0.23.0": [{}, {}] },
      urls: [{}, {}],
    });
  });
});

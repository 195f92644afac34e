import { describe, expect, it } from "vitest";
import {
  projectHtml,
  projectJson,
  projectsHtml,
  projectsJson,
  type SimpleFile,
} from "../../src/wire/simple-index.ts";

const HEX = "ab".repeat(32);
const plain: SimpleFile = {
  filename: "small-1.0-py3-none-any.whl",
  url: "../../packages/aa/bb/cc/small-1.0-py3-none-any.whl",
  sha256: HEX,
  size: 1234,
  uploadTime: "2026-09-01T08:00:00.123Z",
};
const full: SimpleFile = {
  ...plain,
  filename: "torch-2.10.0+cu129-cp312-cp312-linux_x86_64.whl",
  url: "../../../whl/cu129/torch-2.10.0%2Bcu129-cp312-cp312-linux_x86_64.whl",
  requiresPython: ">=3.9,<4",
  yanked: 'bad "build" & <more>',
  metadata: "cd".repeat(32),
};

describe("a project's page as JSON", () => {
  it("has every field of PEP 700 and 714, and never null", () => {
    const text = projectJson({ name: "torch", versions: ["2.10.0+cu129"], files: [full, plain] });
    expect(text).not.toContain("null");
    expect(JSON.parse(text)).toEqual({
      meta: { "api-version": "1.4" },
      name: "torch",
      versions: ["2.10.0+cu129"],
      files: [
        {
          filename: full.filename,
          url: full.url,
          hashes: { sha256: HEX },
          size: 1234,
          "upload-time": "2026-09-01T08:00:00.123Z",
          "requires-python": ">=3.9,<4",
          yanked: 'bad "build" & <more>',
          "core-metadata": { sha256: "cd".repeat(32) },
        },
        {
          filename: plain.filename,
          url: plain.url,
          hashes: { sha256: HEX },
          size: 1234,
          "upload-time": "2026-09-01T08:00:00.123Z",
          yanked: false,
        },
      ],
    });
  });

  it.each([
    ["withdrawn without a reason", true as const, true],
    ["withdrawn with one", "broken", "broken"],
    ["not withdrawn", undefined, false],
  ])("P17 says %s", (_, yanked, shown) => {
    const text = projectJson({ name: "small", versions: [], files: [{ ...plain, yanked }] });
    expect(JSON.parse(text)).toMatchObject({ files: [{ yanked: shown }] });
  });
});

describe("a project's page as HTML", () => {
  it("has every attribute, escaped", () => {
    const page = projectHtml({ name: "torch", versions: [], files: [full] });
    expect(page).toContain('<meta name="pypi:repository-version" content="1.4">');
    expect(page).toContain(
      `<a href="${full.url}#sha256=${HEX}" data-requires-python="&gt;=3.9,&lt;4" data-core-metadata="sha256=${"cd".repeat(32)}"` +
        ' data-yanked="bad &quot;build&quot; &amp; &lt;more&gt;" data-upload-time="2026-09-01T08:00:00.123Z" data-size="1234">' +
        `${full.filename}</a><br/>`,
    );
  });

  it("P17 leaves the reason empty where there is none, and the attribute out where nothing was withdrawn", () => {
    const of = (yanked: true | undefined): string =>
      projectHtml({ name: "small", versions: [], files: [{ ...plain, yanked }] });
    expect(of(true)).toContain(' data-yanked="" ');
    expect(of(undefined)).not.toContain("data-yanked");
    expect(of(undefined)).not.toContain("data-core-metadata");
  });
});

describe("the list of projects", () => {
  it("is there in both formats", () => {
    expect(JSON.parse(projectsJson(["idna", "small"]))).toEqual({
      meta: { "api-version": "1.4" },
      projects: [{ name: "idna" }, { name: "small" }],
    });
    expect(projectsHtml(["idna"])).toContain('<a href="idna/">idna</a><br/>');
  });
});

import { describe, expect, it } from "vitest";
import { checkDocument } from "../../src/bundle/check-document.ts";
import type { BundleDocument, CarriedBuild, CarriedFile } from "../../src/bundle/document.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { COPY_PATH, SERVER_PATH, sampleDocument, sampleRelease } from "../support/sample-bundle.ts";

const sound = sampleDocument();
const [build] = sound.builds as [CarriedBuild];
const [file] = sound.files as [CarriedFile];
const release = sampleRelease();
const [asset] = release.assets as [(typeof release.assets)[number]];

const cases: [string, Partial<BundleDocument>, string][] = [
  ["a file twice", { files: [...sound.files, file] }, "is listed twice"],
  [
    "a file under two spellings of one repository",
    { files: [...sound.files, { ...file, path: SERVER_PATH.replace("ggml-org", "GGML-org") }] },
    "is listed twice",
  ],
  [
    "one digest with two sizes",
    { files: sound.files.map((one) => (one.path === COPY_PATH ? { ...one, size: one.size + 1 } : one)) },
    "a second size",
  ],
  ["a build twice", { builds: [build, build] }, "the build llamacpp b11347 amd64 cpu is listed twice"],
  ["a build of an engine without a recipe", { recipes: [] }, "has no recipe in the document"],
  [
    "a recipe twice",
    { recipes: [...sound.recipes, ...sound.recipes] },
    "the recipe llamacpp is listed twice",
  ],
  [
    "a build that needs an absent file",
    { builds: [{ ...build, files: ["a/b/c"] }] },
    "needs a/b/c, which is not among the files",
  ],
  [
    "a release twice",
    { releases: [release, release] },
    "the release ggml-org/llama.cpp b11347 is listed twice",
  ],
  ["a release's asset twice", { releases: [{ ...release, assets: [asset, asset] }] }, "twice"],
  [
    "a release's asset that is not carried",
    { releases: [{ ...release, tag: "b1" }] },
    "which is not among the files",
  ],
  [
    "an asset of another digest",
    { releases: [{ ...release, assets: [{ ...asset, digest: digestOf("?") }] }] },
    "disagree",
  ],
  ...[
    "install.sh",
    "healthz",
    "v1/bundles/a-1/document",
    "simple/dep",
    "pypi/dep/json",
    "whl/cu129/torch",
  ].map((path): [string, Partial<BundleDocument>, string] => [
    `a file at ${path}, where a mirror has an answer of its own`,
    { files: [...sound.files, { ...file, path }] },
    "would hide an answer",
  ]),
  ["an asset of another size", { releases: [{ ...release, assets: [{ ...asset, size: 1 }] }] }, "disagree"],
];

describe("checkDocument", () => {
  it("finds nothing in a sound document", () => {
    expect(checkDocument(sound)).toEqual([]);
  });

  it.each(cases)("finds %s", (_name, changes, words) => {
    expect(checkDocument(sampleDocument(changes)).join("; ")).toContain(words);
  });

  it("knows a release by its repository without regard to case, as GitHub does", () => {
    expect(checkDocument(sampleDocument({ releases: [{ ...release, repo: "GGML-Org/Llama.cpp" }] }))).toEqual(
      [],
    );
  });
});

import { describe, expect, it } from "vitest";
import { InspectReport, inspectBundle } from "../../src/bundle/inspect.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { memorySource } from "../support/memory-source.ts";
import {
  COPY_PATH,
  EMPTY_PATH,
  newPair,
  SAMPLE_CONTENTS,
  SERVER_PATH,
  sampleBundle,
  sampleDocument,
  WHEEL_PATH,
} from "../support/sample-bundle.ts";

const pair = newPair();
const signed = sampleBundle([pair.signer]);

describe("inspectBundle", () => {
  it.each([false, true])(
    "reads the metadata alone and says what is in it (seekable: %s)",
    async (seekable) => {
      const source = memorySource(signed, { seekable, label: "x.tar" });
      const report = await inspectBundle(source);
      expect(source.reads.size).toBe(7);
      expect(InspectReport.parse(report)).toEqual(report);
      const size = SAMPLE_CONTENTS.get(SERVER_PATH)?.length ?? 0;
      expect(report).toMatchObject({
        bundle: "x.tar",
        name: "site-a",
        counter: 3,
        contents: 3,
        engines: [
          {
            engine: "llamacpp",
            version: "b11347",
            bytes: size,
            builds: [
              { arch: "amd64", variant: "cpu", files: [SERVER_PATH], bytes: size, needs: { nvidia: false } },
            ],
          },
        ],
        otherFiles: [COPY_PATH, EMPTY_PATH, WHEEL_PATH].sort(),
        releases: [{ repo: "ggml-org/llama.cpp", tag: "b11347", assets: 1 }],
        missing: [],
      });
    },
  );

  it("says that nothing was checked where no key was given, and whose signature it claims to be", async () => {
    const { signature } = await inspectBundle(memorySource(signed));
    expect(signature).toEqual({
      checked: false,
      signedBy: [],
      claims: [{ keyId: pair.signer.keyId, fingerprint: pair.signer.fingerprint }],
    });
  });

  it("says who signed where a key was given", async () => {
    const { signature } = await inspectBundle(memorySource(signed), [pair.verifier]);
    expect(signature).toMatchObject({ checked: true, signedBy: [{ keyId: pair.signer.keyId }] });
  });

  it("reads an unsigned bundle, and refuses one of another key where a key was given", async () => {
    expect((await inspectBundle(memorySource(sampleBundle([])))).signature.claims).toEqual([]);
    await expect(inspectBundle(memorySource(signed), [newPair().verifier])).rejects.toMatchObject({
      code: "SIGNATURE_INVALID",
    });
    await expect(inspectBundle(memorySource(sampleBundle([])), [pair.verifier])).rejects.toMatchObject({
      code: "SIGNATURE_MISSING",
    });
  });

  it.each([false, true])(
    "says what a bundle should hold even where it was cut (seekable: %s)",
    async (seekable) => {
      const metadata = signed.slice(0, 7).reduce((sum, { bytes }) => sum + bytes.length, 0);
      const report = await inspectBundle(memorySource(signed, { seekable, cutAfter: metadata }));
      expect(report.contents).toBe(3);
    },
  );

  it("still refuses metadata that is damaged", async () => {
    const files = signed.map((file, at) =>
      at === 3 ? { ...file, bytes: Buffer.from(`${file.bytes.toString("utf8")} `) } : file,
    );
    await expect(inspectBundle(memorySource(files))).rejects.toMatchObject({ code: "DIGEST_MISMATCH" });
  });

  it("groups builds by engine and version, and counts a content once", async () => {
    const document = sampleDocument();
    const [build] = document.builds;
    if (build === undefined) throw new Error("the sample has a build");
    const builds = [
      build,
      { ...build, variant: "vulkan", files: [SERVER_PATH, COPY_PATH] },
      { ...build, version: "b1", files: [] },
    ];
    const report = await inspectBundle(memorySource(sampleBundle([], sampleDocument({ builds }))));
    expect(report.engines.map(({ version, builds: list }) => [version, list.length])).toEqual([
      ["b11347", 2],
      ["b1", 1],
    ]);
    expect(report.engines[0]?.builds[1]?.bytes).toBe(SAMPLE_CONTENTS.get(SERVER_PATH)?.length);
    expect(report.manifest).not.toBe(digestOf(""));
  });
});

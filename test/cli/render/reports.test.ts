import { describe, expect, it } from "vitest";
import { diffDocuments } from "../../../src/bundle/diff.ts";
import type { MissingBuild } from "../../../src/bundle/document.ts";
import { inspectBundle } from "../../../src/bundle/inspect.ts";
import { verifyBundle } from "../../../src/bundle/verify.ts";
import { renderDiff } from "../../../src/cli/render/diff.ts";
import { renderInspect } from "../../../src/cli/render/inspect.ts";
import { renderVerify } from "../../../src/cli/render/verify.ts";
import { digestOf } from "../../../src/lib/digest.ts";
import { silentLogger } from "../../../src/log.ts";
import { memorySource } from "../../support/memory-source.ts";
import {
  newPair,
  SERVER_PATH,
  sampleBundle,
  sampleDocument,
  WHEEL_PATH,
} from "../../support/sample-bundle.ts";

const pair = newPair();
const { keyId } = pair.signer;
const document = sampleDocument();
const [build] = document.builds as [(typeof document.builds)[number]];
const source = (doc = document, signers = [pair.signer]): ReturnType<typeof memorySource> =>
  memorySource(sampleBundle(signers, doc), { label: "x.tar" });

describe("renderVerify", () => {
  it("says what was verified, by whom it is signed, and how much it is", async () => {
    const report = await verifyBundle(source(), [pair.verifier], { concurrency: 1, logger: silentLogger });
    expect(renderVerify(report)).toBe(
      [
        "verified: x.tar",
        "  bundle:    site-a 3, made 2026-11-02T10:00:00Z",
        `  signed by: ${keyId}`,
        `  manifest:  ${report.manifest}`,
        "  content:   4 files in 3 distinct contents, 1.66 kB, every digest checked, nothing unlisted",
        "",
      ].join("\n"),
    );
    expect(renderVerify({ ...report, contents: 4 })).toContain("  content:   4 files, 1.66 kB");
  });
});

describe("renderInspect", () => {
  it("says first of all that nothing was checked", async () => {
    const text = renderInspect(await inspectBundle(source()));
    expect(text.split("\n").slice(0, 5)).toEqual([
      "site-a 3, made 2026-11-02T10:00:00Z: x.tar",
      `  signature NOT checked: it claims to be of key ${keyId} (give --key PUB.pem to check it)`,
      "  4 files, 1.66 kB",
      "",
      "llamacpp b11347  1.00 kB",
    ]);
    expect(text).toContain("  amd64  cpu   1.00 kB  1 file\n");
    expect(text).toContain(`other files\n`);
    expect(text).toContain(`   660 B  ${WHEEL_PATH}`);
    expect(text).toContain("digests: 3 published by GitHub, 1 from a checksum file of the release");
  });

  it("says who signed where that was checked, and that nobody did where nobody did", async () => {
    expect(renderInspect(await inspectBundle(source(), [pair.verifier]))).toContain(
      `signature checked: signed by ${keyId}`,
    );
    expect(renderInspect(await inspectBundle(source(document, [])))).toContain("NOT SIGNED");
  });

  it("says what a build needs, and what is missing", async () => {
    const needs = { nvidia: true, driver: "580", cc: { min: 7.5, max: 12 } };
    const gap: MissingBuild = {
      engine: "uv",
      version: "0.12.23",
      arch: "arm64",
      variant: "gnu",
      assets: ["a"],
      reason: "not published",
    };
    const doc = sampleDocument({ builds: [{ ...build, needs }], missing: [gap] });
    const text = renderInspect(await inspectBundle(source(doc)));
    expect(text).toContain(
      "; needs an NVIDIA card, driver 580 or newer, compute capability 7.5 or more, compute capability 12.0 or less",
    );
    expect(text).toContain("MISSING, as the builder allowed\n  uv 0.12.23 arm64 gnu: not published");
  });

  it("says little of a bundle that carries nothing", async () => {
    const text = renderInspect(
      await inspectBundle(source(sampleDocument({ files: [], builds: [], releases: [] }))),
    );
    expect(text.split("\n")).toHaveLength(4);
  });

  it("does not let an unverified bundle write to the terminal", async () => {
    const doc = sampleDocument({ builds: [{ ...build, variant: "cpu\u001b[2J\u202egnp" }] });
    const text = renderInspect(await inspectBundle(source(doc)));
    expect(text).toContain("cpu\\u{1b}[2J\\u{202e}gnp");
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("renderDiff", () => {
  it("says that nothing changed", () => {
    expect(renderDiff(diffDocuments(document, document))).toBe(
      [
        "from site-a 3 of 2026-11-02T10:00:00Z to site-a 3 of 2026-11-02T10:00:00Z",
        "",
        "builds: no change",
        "",
        "files: no change",
        "",
        "4 files unchanged; 0 B of 1.66 kB are new",
        "",
      ].join("\n"),
    );
  });

  it("names what came, went and changed; B18: a replaced file with both digests and dates", () => {
    const files = document.files
      .filter(({ path }) => path !== WHEEL_PATH)
      .map((file) =>
        file.path === SERVER_PATH
          ? { ...file, digest: digestOf("y"), size: 5, updatedAt: "2026-12-01T00:00:00Z" }
          : file,
      );
    const next = sampleDocument({ counter: 4, files, builds: [build, { ...build, variant: "vulkan" }] });
    const forth = renderDiff(diffDocuments(document, next));
    expect(forth).toContain("  + llamacpp b11347 amd64 vulkan\n");
    expect(forth).toContain("  ~ llamacpp b11347 amd64 cpu: other bytes under the same names\n");
    expect(forth).toContain(`  - ${WHEEL_PATH} (660 B)\n`);
    expect(forth).toContain(`  ! ${SERVER_PATH}: replaced under the same name\n`);
    expect(forth).toMatch(
      /was [0-9a-f]{12} \(1\.00 kB\) of 2026-11-02T10:00:00Z\n\s+now [0-9a-f]{12} \(5 B\) of 2026-12-01T00:00:00Z/,
    );
    const back = renderDiff(diffDocuments(next, document));
    expect(back).toContain("  - llamacpp b11347 amd64 vulkan\n");
    expect(back).toContain(`  + ${WHEEL_PATH} (660 B)\n`);
  });
});

import { describe, expect, it } from "vitest";
import { DiffReport, diffDocuments } from "../../src/bundle/diff.ts";
import type { BundleDocument } from "../../src/bundle/document.ts";
import { digestOf } from "../../src/lib/digest.ts";
import { COPY_PATH, EMPTY_PATH, SERVER_PATH, sampleDocument, WHEEL_PATH } from "../support/sample-bundle.ts";

const old = sampleDocument();
const [build] = old.builds as [BundleDocument["builds"][number]];
const sizeOf = (path: string): number => old.files.find((file) => file.path === path)?.size ?? 0;

function changed(path: string, digest = digestOf("other")): BundleDocument["files"] {
  return old.files.map((file) =>
    file.path === path ? { ...file, digest, size: 11, updatedAt: "2026-12-01T00:00:00Z" } : file,
  );
}

describe("diffDocuments", () => {
  it("finds nothing between equal documents", () => {
    const report = diffDocuments(old, { ...old, counter: 4 });
    expect(DiffReport.parse(report)).toEqual(report);
    expect(report).toMatchObject({
      from: { name: "site-a", counter: 3 },
      to: { name: "site-a", counter: 4 },
      builds: { added: [], removed: [], changed: [] },
      files: { added: [], removed: [], changed: [], unchanged: 4 },
      bytesToCarry: 0,
      bytes: sizeOf(SERVER_PATH) + sizeOf(WHEEL_PATH),
    });
  });

  it("names files that came and went, and counts what must be carried by content", () => {
    const fewer = {
      ...old,
      files: old.files.filter(({ path }) => path !== COPY_PATH && path !== WHEEL_PATH),
    };
    const forth = diffDocuments(fewer, old);
    expect(forth.files.added.map(({ path }) => path)).toEqual([WHEEL_PATH, COPY_PATH]);
    expect(forth.bytesToCarry).toBe(sizeOf(WHEEL_PATH));
    const back = diffDocuments(old, fewer);
    expect(back.files.removed.map(({ path }) => path)).toEqual([WHEEL_PATH, COPY_PATH]);
    expect(back.bytesToCarry).toBe(0);
  });

  it("B18: shows a file that was replaced under its name, with both digests and dates", () => {
    const { files, builds } = diffDocuments(old, sampleDocument({ files: changed(SERVER_PATH) }));
    const before = old.files.find(({ path }) => path === SERVER_PATH);
    expect(files.changed).toEqual([
      {
        path: SERVER_PATH,
        from: { digest: before?.digest, size: before?.size, updatedAt: "2026-11-02T10:00:00Z" },
        to: { digest: digestOf("other"), size: 11, updatedAt: "2026-12-01T00:00:00Z" },
      },
    ]);
    expect(files.unchanged).toBe(3);
    expect(builds.changed).toEqual([
      { engine: "llamacpp", version: "b11347", arch: "amd64", variant: "cpu", why: ["bytes"] },
    ]);
  });

  it.each<[string, Partial<typeof build>, string[]]>([
    ["other files", { files: [EMPTY_PATH] }, ["files"]],
    ["another recipe", { build: { ...build.build, binary: "server" } }, ["build"]],
    ["other needs", { needs: { nvidia: true, driver: "580" } }, ["needs"]],
    [
      "all of it",
      { files: [], build: { ...build.build, freeGB: 1 }, needs: { nvidia: true } },
      ["files", "build", "needs"],
    ],
  ])("says why a build changed: %s", (_name, change, why) => {
    const { builds } = diffDocuments(old, sampleDocument({ builds: [{ ...build, ...change }] }));
    expect(builds.changed.map((one) => one.why)).toEqual([why]);
  });

  it("names builds that came and went", () => {
    const other = { ...build, variant: "vulkan" };
    const { builds } = diffDocuments(old, sampleDocument({ builds: [other] }));
    expect(builds.added.map(({ variant }) => variant)).toEqual(["vulkan"]);
    expect(builds.removed.map(({ variant }) => variant)).toEqual(["cpu"]);
    expect(builds.changed).toEqual([]);
  });
});

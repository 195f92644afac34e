import { describe, expect, it } from "vitest";
import { lockDifferences, makeLock } from "../../src/bundle/lock.ts";
import { makePlan, type Plan } from "../../src/bundle/plan.ts";
import { planFiles } from "../../src/bundle/plan-files.ts";
import { type Guards, requireSameBytes } from "../../src/bundle/prepare.ts";
import { parseSpec } from "../../src/bundle/spec.ts";
import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { silentLogger } from "../../src/log.ts";
import { GithubRelease } from "../../src/wire/github.ts";
import { tableWith } from "../support/recipes.ts";

const ABC = digestOf("abc");
const OTHER = digestOf("other");

/** A release whose assets publish the given digests, or none. */
function release(tag: string, assets: Record<string, string | null>): GithubRelease {
  return GithubRelease.parse({
    id: 1,
    tag_name: tag,
    assets: Object.entries(assets).map(([name, digest], id) => ({
      id,
      name,
      digest,
      state: "uploaded",
      size: 3,
      url: "",
      browser_download_url: "",
    })),
  });
}

const TABLE = tableWith("plain", {
  label: "Plain",
  github: "owner/plain",
  versions: {
    pattern: "^[0-9]+$",
    ordering: "pep440",
    example: "1",
    latest: { tags: "^[0-9]+$" },
  },
  arch: { amd64: "x64", arm64: "arm64" },
  builds: [{ variant: "cpu", binary: "plain", assets: ["plain-{arch}.tar.gz"] }],
});

function plan(spec: string, releases: readonly GithubRelease[]): Promise<Plan> {
  return makePlan({
    spec: parseSpec(spec, "s.yaml"),
    table: TABLE,
    releases: {
      byTag: (_repo, tag) => {
        const found = releases.find((one) => one.tag_name === tag);
        return found === undefined ? Promise.reject(new Error(`no ${tag}`)) : Promise.resolve(found);
      },
      // eslint-disable-next-line @typescript-eslint/require-await -- what is listed is at hand
      async *list() {
        yield* releases;
      },
      text: () => Promise.reject(new Error("no checksum file is asked for")),
    },
    githubUrl: "https://github.example",
    logger: silentLogger,
  });
}

const entry = (more: string): string => `  - repo: owner/plain\n    tag: "1"\n    include: ["f"]\n${more}`;

describe("two entries that name one file", () => {
  it("holds upstream to the digest that the later one states", async () => {
    const spec = `name: a\nassets:\n${entry("")}${entry(`    sha256: { f: ${hexOf(OTHER)} }\n`)}`;
    await expect(plan(spec, [release("1", { f: ABC })])).rejects.toMatchObject({ code: "ASSET_REPLACED" });
  });

  it.each([
    ["first", [`    sha256: { f: ${hexOf(ABC)} }\n`, "    unverified: [f]\n"]],
    ["last", ["    unverified: [f]\n", `    sha256: { f: ${hexOf(ABC)} }\n`]],
  ])("takes a stated digest before one to be computed, where it comes %s", async (_where, [one, two]) => {
    const spec = `name: a\nassets:\n${entry(one ?? "")}${entry(two ?? "")}`;
    expect(planFiles(await plan(spec, [release("1", { f: null })]))).toMatchObject([
      { digest: ABC, trust: "spec" },
    ]);
  });

  it("refuses two stated digests that differ", async () => {
    const stated = [ABC, OTHER].map((digest) => entry(`    sha256: { f: ${hexOf(digest)} }\n`));
    const planned = await plan(`name: a\nassets:\n${stated.join("")}`, [release("1", { f: null })]);
    expect(() => planFiles(planned)).toThrow(expect.objectContaining({ code: "ASSET_REPLACED" }) as Error);
  });

  it("carries it once where they spell its repository differently", async () => {
    const shouted = entry("    unverified: [f]\n").replace("owner/plain", "OWNER/Plain");
    const spec = `name: a\nassets:\n${entry("")}${shouted}`;
    const paths = planFiles(await plan(spec, [release("1", { f: ABC })])).map(({ path }) => path);
    expect(paths).toEqual(["owner/plain/releases/download/1/f"]);
  });
});

it("refuses a stated digest of a name that nothing selects", async () => {
  const spec = `name: a\nassets:\n${entry(`    sha256: { ff: ${hexOf(ABC)} }\n`)}`;
  await expect(plan(spec, [release("1", { f: ABC })])).rejects.toMatchObject({
    code: "SPEC_INVALID",
    message: expect.stringContaining("ff") as string,
  });
});

it("comes to one latest version for all entries of an engine", async () => {
  const spec =
    "name: a\nengines:\n" +
    ["amd64", "arm64"]
      .map((arch) => `  - engine: plain\n    versions: [latest]\n    arch: [${arch}]\n`)
      .join("");
  const planned = await plan(spec, [
    release("2", { "plain-x64.tar.gz": ABC }),
    release("1", { "plain-x64.tar.gz": ABC, "plain-arm64.tar.gz": OTHER }),
  ]);
  expect(planned.builds.map(({ version }) => version)).toEqual(["1", "1"]);
});

describe("a file whose digest nobody publishes any more", () => {
  const SPEC = `name: a\nassets:\n${entry("    unverified: [f]\n")}`;

  it("differs from a lock that has one", async () => {
    const locked = makeLock(await plan(SPEC, [release("1", { f: ABC })]));
    const now = makeLock(await plan(SPEC, [release("1", { f: null })]));
    expect(lockDifferences(locked, now).join()).toMatch(/publishes no digest any more/);
    expect(lockDifferences(now, now)).toEqual([]);
  });

  it("is held to the bytes of an earlier bundle once it was fetched", async () => {
    const planned = planFiles(await plan(SPEC, [release("1", { f: null })]));
    const guards: Guards = {
      earlier: [
        {
          where: "bundle a 1",
          files: [{ path: "owner/plain/releases/download/1/f", digest: ABC, size: 3, updatedAt: "" }],
        },
      ],
      acceptChanged: false,
      allowMissing: false,
    };
    expect(() => {
      requireSameBytes(planned, guards);
    }).not.toThrow();
    const fetched = planned.map((file) => ({ ...file, digest: OTHER }));
    expect(() => {
      requireSameBytes(fetched, guards);
    }).toThrow(expect.objectContaining({ code: "ASSET_REPLACED" }) as Error);
    expect(() => {
      requireSameBytes(fetched, { ...guards, acceptChanged: true });
    }).not.toThrow();
  });
});

import { type TestMirror, type TestMirrorOptions, testMirror } from "./mirror-server.ts";
import { type BundledWheel, type PythonBundle, pythonBundle } from "./python-bundle.ts";
import { makeWheel, type WheelWords } from "./python-index/wheel.ts";
import { servedStore } from "./served-store.ts";
import { tmpDir } from "./tmp.ts";

const wheel = (words: WheelWords, rest: Partial<BundledWheel> = {}): BundledWheel => ({
  distribution: makeWheel({ requiresPython: ">=3.8", ...words }),
  ...rest,
});

/** A release wheel that no index lists: large, so that whoever reads it whole is seen. */
export const RELEASE_WHEEL = wheel(
  { name: "gh-engine", version: "1.0+cu129", requires: ["dep-b"], ballast: Buffer.alloc(3_000_000, 7) },
  { index: "none", path: "o/r/releases/download/v1.0/gh_engine-1.0+cu129-py3-none-any.whl" },
);

/** What the environment of the engine is made of. */
export const LOCKED: readonly BundledWheel[] = [
  wheel({
    name: "Demo.Engine",
    version: "1.0",
    requires: ["Dep_A>=1", "torch==2.10.0+cu129"],
    scripts: { "demo-engine": "demo_engine:main" },
  }),
  wheel({ name: "Dep_A", version: "1.0", requires: ["dep-b"] }, { uploadedAt: "2026-08-30T23:59:59Z" }),
  wheel({ name: "dep-b", version: "1.0" }),
  wheel({ name: "torch", version: "2.10.0+cu129", requires: ["dep-b"] }, { index: "cu129" }),
];

/** Of a later bundle, newer than what the engine is frozen at. */
const NEWER = wheel({ name: "dep-a", version: "2.0" }, { uploadedAt: "2026-10-01T00:00:00Z" });

export const WITHDRAWN = wheel({ name: "dep-y", version: "1.0" }, { yanked: "eats files" });

export const SITE: PythonBundle = {
  name: "site-a",
  builds: [{ engine: "demo-engine", version: "1.0", variant: "cu129", wheels: LOCKED }],
  wheels: [RELEASE_WHEEL, NEWER, WITHDRAWN],
};

export const SITE_LOCK = "v1/locks/demo-engine/1.0/amd64/cu129/pylock.toml";
export const SITE_FOLDER = "v1/locks/demo-engine/1.0/amd64/cu129/folder.tar";

/** A mirror with a small Python engine on it, for real clients, until the running test ends. */
export async function pythonSite(
  options: TestMirrorOptions = {},
  bundle: PythonBundle = SITE,
): Promise<TestMirror> {
  const store = await servedStore(await tmpDir());
  await store.add(pythonBundle(bundle));
  return testMirror(store.root, options);
}

/** What of a mirror's files a client took: bytes by path, of wheels alone. */
export function wheelsTaken(mirror: TestMirror): Record<string, number> {
  const taken: Record<string, number> = {};
  for (const { path, bytes } of mirror.log) {
    if (path.endsWith(".whl")) taken[path] = (taken[path] ?? 0) + bytes;
  }
  return taken;
}

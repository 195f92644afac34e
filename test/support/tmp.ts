import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A new empty folder, removed when the running test ends. Call it within a test or a `beforeEach`; elsewhere
 * (`beforeAll`, programs) use `makeTempDir`.
 */
export async function tmpDir(prefix = "ferry-test-"): Promise<string> {
  const folder = await makeTempDir(prefix);
  onTestFinished(() => removeTree(folder));
  return folder;
}

/** A new empty folder that the caller removes with `removeTree`. Its path holds no symbolic link. */
export async function makeTempDir(prefix = "ferry-test-"): Promise<string> {
  return mkdtemp(join(await realpath(tmpdir()), prefix));
}

export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

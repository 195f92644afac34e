import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { onTestFinished } from "vitest";

/** Why a small file system cannot be mounted here, or undefined where it can: it takes root on Linux. */
export const noTmpfs: string | undefined =
  process.platform === "linux" && process.getuid?.() === 0
    ? undefined
    : "mounting a small file system takes root on Linux";

/** Mounts an empty file system of so many bytes at `folder`, until the test ends. */
export function mountTmpfs(folder: string, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "none", folder]);
  onTestFinished(() => {
    execFileSync("umount", [folder]);
  });
}

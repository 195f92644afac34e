import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";

/** Why a network namespace cannot be made here, or undefined where it can. */
export function noNamespace(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "a network namespace takes root on Linux";
  }
  try {
    execFileSync("ip", ["netns", "list"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "there is no ip (Debian: iproute2)";
  }
}

export interface Namespace {
  /** What stands before a command that runs within. */
  exec: readonly string[];
  /** Our address on the one link that leads out of it. */
  hostAddress: string;
}

/**
 * A network namespace with one link, to this machine at `hostAddress`, and no other route: whatever asks for another
 * address fails at once. Gone when the test ends.
 */
export function networkNamespace(): Namespace {
  const id = `${process.pid % 60_000}`;
  const [name, outer, inner] = [`ferry-${id}`, `fo${id}`, `fi${id}`];
  // Of the range that is set aside for tests of network devices (RFC 2544); four addresses for each test process.
  const block = process.pid % 16_384;
  const [hostAddress, nodeAddress] = [1, 2].map((host) => `198.18.${block >> 6}.${(block & 63) * 4 + host}`);
  if (hostAddress === undefined || nodeAddress === undefined) throw new Error("unreachable");
  const ip = (...args: string[]): void => {
    execFileSync("ip", args, { stdio: "pipe" });
  };
  ip("netns", "add", name);
  onTestFinished(() => {
    ip("netns", "delete", name);
  });
  ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name);
  ip("addr", "add", `${hostAddress}/30`, "dev", outer);
  ip("link", "set", outer, "up");
  ip("-n", name, "addr", "add", `${nodeAddress}/30`, "dev", inner);
  ip("-n", name, "link", "set", inner, "up");
  ip("-n", name, "link", "set", "lo", "up");
  return { exec: ["ip", "netns", "exec", name], hostAddress };
}

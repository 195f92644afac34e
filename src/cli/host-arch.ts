import type { Arch } from "../bundle/document-values.ts";

const ARCHS: Readonly<Record<string, Arch>> = { x64: "amd64", arm64: "arm64" };

/** The architecture of a Linux machine as bundles name it; undefined for any other machine. */
export function hostArch({ platform, arch }: Pick<NodeJS.Process, "platform" | "arch">): Arch | undefined {
  return platform === "linux" ? ARCHS[arch] : undefined;
}

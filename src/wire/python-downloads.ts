import { machineOf } from "./wheel-fit.ts";

/** An interpreter that a mirror serves. */
export interface ServedInterpreter {
  /** `cpython-3.12.15-linux-x86_64-gnu` */
  key: string;
  arch: "amd64" | "arm64";
  /** `3.12.15`, `3.15.0rc1` */
  version: string;
  /** `20261003` */
  build: string;
  /** Absolute, encoded. */
  url: string;
  /** 64 hexadecimal digits. */
  sha256: string;
}

/** The table of interpreters that uv reads where `UV_PYTHON_DOWNLOADS_JSON_URL` leads to, instead of its own. */
export function pythonDownloads(interpreters: readonly ServedInterpreter[]): Record<string, unknown> {
  return Object.fromEntries(
    [...interpreters]
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, arch, version, build, url, sha256 }) => [
        key,
        {
          name: "cpython",
          arch: { family: machineOf(arch), variant: null },
          os: "linux",
          libc: "gnu",
          ...versionParts(version),
          url,
          sha256,
          variant: null,
          build,
        },
      ]),
  );
}

function versionParts(version: string): {
  major: number;
  minor: number;
  patch: number;
  prerelease: string;
} {
  const [, major, minor, patch, prerelease = ""] = /^(\d+)\.(\d+)\.(\d+)(.*)$/.exec(version) ?? [];
  return { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease };
}

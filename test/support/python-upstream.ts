import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { tarGzOf } from "./archives/tar-gz.ts";
import { UV_VERSION } from "./real-uv.ts";
import { bytesContent } from "./upstream/content.ts";
import type { ReleaseSeed } from "./upstream/release.ts";

/** Tag of the practice release of interpreters. */
const INTERPRETER_BUILD = "20991231";
const MACHINES = { amd64: "x86_64", arm64: "aarch64" } as const;

/** Where a Python lies: uv asks every one that it finds on PATH, and version managers answer slowly. */
export function pythonFolder(): string {
  const program = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  return dirname(program.trim());
}

/** A release of uv; `binary` is what its archive for x86-64 holds. */
export function uvRelease(binary: Buffer): ReleaseSeed {
  return {
    repo: "astral-sh/uv",
    tag: UV_VERSION,
    publishedAt: "2026-11-01T00:00:00Z",
    assets: Object.values(MACHINES).map((machine) => {
      const top = `uv-${machine}-unknown-linux-gnu`;
      const content = machine === "x86_64" ? binary : Buffer.from(`uv for ${machine}\n`);
      const bytes = tarGzOf([{ path: `${top}/uv`, content, mode: 0o755 }]);
      return { name: `${top}.tar.gz`, content: bytesContent(bytes) };
    }),
  };
}

function interpreterName(machine: string, full: string): string {
  return `cpython-${full}+${INTERPRETER_BUILD}-${machine}-unknown-linux-gnu-install_only_stripped.tar.gz`;
}

/** One archive as the interpreter of every machine. */
export function interpreterRelease(archive: Buffer, full: string): ReleaseSeed {
  return {
    repo: "astral-sh/python-build-standalone",
    tag: INTERPRETER_BUILD,
    publishedAt: "2026-11-02T00:00:00Z",
    assets: Object.values(MACHINES).map((machine) => ({
      name: interpreterName(machine, full),
      content: bytesContent(archive),
    })),
  };
}

/** uv's own table, as UV_PYTHON_DOWNLOADS_JSON_URL gives it. */
export function interpreterTable(sha256: string, full: string): unknown {
  const [major, minor, patch] = full.split(".").map(Number);
  const base = `https://github.com/astral-sh/python-build-standalone/releases/download/${INTERPRETER_BUILD}`;
  return Object.fromEntries(
    Object.values(MACHINES).map((machine) => [
      `cpython-${full}-linux-${machine}-gnu`,
      {
        name: "cpython",
        arch: { family: machine, variant: null },
        os: "linux",
        libc: "gnu",
        major,
        minor,
        patch,
        prerelease: "",
        url: `${base}/${interpreterName(machine, full).replace("+", "%2B")}`,
        sha256,
        variant: null,
        build: INTERPRETER_BUILD,
      },
    ]),
  );
}

const SYSCONFIG = "# system configuration generated and used by the sysconfig module\nbuild_time_vars = {}\n";

/** What uv takes for an interpreter when it unpacks one; it does not run it. */
export function fakeInterpreter(): Buffer {
  return tarGzOf([
    { path: "python/bin/python3.12", content: "#!/bin/sh\necho no interpreter\n", mode: 0o755 },
    {
      path: "python/lib/python3.12/_sysconfigdata__linux_x86_64-linux-gnu.py",
      content: SYSCONFIG,
    },
    {
      path: "python/lib/python3.12/_sysconfigdata__linux_aarch64-linux-gnu.py",
      content: SYSCONFIG,
    },
  ]);
}

import { randomBytesOf, stableHex } from "./random.ts";
import { tarGzOf } from "./tar-gz.ts";

/**
 * An archive shaped like uv's for Unix: `uv-<triple>/uv` and `uvx`. Both are shell scripts that answer `--version`;
 * what follows the script's `exit` fills the file up to about `size` bytes.
 */
export function uvArchive(version: string, triple: string, size: number): Buffer {
  const top = `uv-${triple}`;
  const program = (name: string, filler: number): Buffer =>
    Buffer.concat([
      Buffer.from(script(name, version, triple)),
      randomBytesOf(`${top}/${name}/${version}`, filler),
    ]);
  return tarGzOf([
    { path: `${top}/`, type: "Directory" },
    { path: `${top}/uv`, content: program("uv", Math.max(256, size - 4_096)), mode: 0o755 },
    { path: `${top}/uvx`, content: program("uvx", 64), mode: 0o755 },
  ]);
}

function script(name: string, version: string, triple: string): string {
  return `#!/bin/sh
# Practice ${name}.
case "\${1:-}" in
--version | -V | version)
  echo "${name} ${version} (${stableHex(version, 9)} ${triple})"
  exit 0
  ;;
esac
echo "practice ${name}: only --version is answered" >&2
exit 2
`;
}

import { type TarMember, tarGzOf } from "../archives/tar-gz.ts";

/** A llama.cpp archive whose `llama-server` is this script or program, with further members. */
export function archiveWith(
  server: Buffer | string,
  more: readonly TarMember[] = [],
  top = "llama-b11347",
): Buffer {
  return tarGzOf([
    { path: `${top}/`, type: "Directory" },
    { path: `${top}/llama-server`, content: server, mode: 0o755 },
    ...more,
  ]);
}

/** A script that answers `--version`, and `--list-devices` with these lines. */
export function serverSaying(...devices: readonly string[]): string {
  const lines = devices.map((device) => `echo '  ${device}'`).join("; ");
  return `#!/bin/sh\ncase $1 in\n--version) echo "version: 11347 (practice)" >&2 ;;\n--list-devices) echo "Available devices:"; ${lines || ":"} ;;\n*) exit 1 ;;\nesac\n`;
}

/** A real program of this machine with some bytes of it replaced by as many others, wherever they stand. */
export function patched(program: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error(`${from} and ${to} differ in length`);
  const copy = Buffer.from(program);
  let found = 0;
  for (let at = copy.indexOf(from); at !== -1; at = copy.indexOf(from, at + 1)) {
    copy.write(to, at, "latin1");
    found++;
  }
  if (found === 0) throw new Error(`the program does not hold ${from}`);
  return copy;
}

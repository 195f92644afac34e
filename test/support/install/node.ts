import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { readInstallScript } from "../../../server/install/script.ts";
import { tmpDir } from "../tmp.ts";

export interface NodeRun {
  /** Exit code; 128 and the signal's number where one ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** The script's text on standard input (default), as `curl … | sh -s --` has it; else this file is run. */
  file?: string;
  env?: Readonly<Record<string, string>>;
  /** Command line in front of the shell, such as `setpriv … --`. */
  before?: readonly string[];
}

/** A machine to install on: a PATH of its own with nothing on it but what is named, a home, an empty prefix. */
export interface PracticeNode {
  folder: string;
  prefix: string;
  /** Programs of the machine. */
  bin: string;
  /** Runs the install script with these arguments; `--prefix` and `--mirror` are not added. */
  run: (args: readonly string[], options?: RunOptions) => Promise<NodeRun>;
  /** Runs any program of the machine. */
  start: (command: readonly string[], options?: RunOptions & { input?: string }) => Promise<NodeRun>;
  /** Puts a shell script onto the machine's PATH, in place of what is there. */
  program: (name: string, body: string) => Promise<void>;
  /** Takes a program away. */
  without: (name: string) => Promise<void>;
  read: (path: string) => Promise<string>;
}

/** What the script needs of a machine, besides a shell and something that downloads and hashes. */
const UTILITIES = [
  "cat chmod cmp cut date df dirname du find grep gzip head id ln mkdir mktemp mv pwd readlink rm rmdir",
  "sed sort sync tail tar timeout touch tr uname uniq wc getconf ldd sleep",
]
  .join(" ")
  .split(" ");

export interface Shell {
  name: string;
  command: readonly string[];
  /** Every utility is busybox's own. */
  busybox: boolean;
}

const DASH: Shell = { name: "dash", command: ["dash"], busybox: false };
/** The three shells that nodes have; the last one with its own utilities. All must be here (.ci/run installs them). */
export const SHELLS: readonly Shell[] = [
  DASH,
  { name: "bash", command: ["bash", "--posix"], busybox: false },
  { name: "busybox", command: ["busybox", "sh"], busybox: true },
];

export interface NodeOptions {
  shell?: Shell;
  /** Default: curl and openssl; busybox has its own wget and sha256sum. */
  tools?: readonly string[];
}

const template = await readInstallScript();

export async function practiceNode({ shell = DASH, tools }: NodeOptions = {}): Promise<PracticeNode> {
  const folder = await tmpDir("ferry node-");
  const bin = join(folder, "bin");
  for (const name of ["bin", "home", "tmp"]) await mkdir(join(folder, name), { mode: 0o755 });
  const [ownShell = "sh"] = shell.command;
  if (ownShell !== "sh") await symlink(which(ownShell), join(bin, ownShell));
  await linkTools(bin, shell, tools ?? (shell.busybox ? ["wget", "sha256sum"] : ["curl", "openssl"]));
  await program(bin, "uname", "case $1 in -s) echo Linux ;; *) echo x86_64 ;; esac");

  const start: PracticeNode["start"] = (command, { env = {}, before = [], input = "" } = {}) => {
    const [file = "sh", ...rest] = [...before, ...command];
    const child = spawn(file.includes("/") ? file : which(file), rest, {
      cwd: folder,
      detached: true,
      env: { PATH: bin, HOME: join(folder, "home"), TMPDIR: join(folder, "tmp"), ...env },
    });
    const run: NodeRun = { code: -1, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (run.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (run.stderr += text));
    // A script that ends early does not read the rest of itself.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        resolve({ ...run, code: code ?? (signal === "SIGKILL" ? 137 : 128) });
      });
    });
  };
  return {
    folder,
    bin,
    prefix: join(folder, "opt", "engine ferry"),
    start,
    run: (args, options = {}) => {
      const { file } = options;
      const how = file === undefined ? ["-s", "--", ...args] : [file, ...args];
      return start([...shell.command, ...how], {
        ...options,
        ...(file === undefined ? { input: template } : {}),
      });
    },
    program: (name, body) => program(bin, name, body),
    without: (name) => rm(join(bin, name)),
    read: (path) => readFile(path, "utf8"),
  };
}

/** With busybox only what busybox has itself, and the tools that are asked for. */
async function linkTools(bin: string, shell: Shell, tools: readonly string[]): Promise<void> {
  const applets = shell.busybox ? listApplets() : undefined;
  const pathOf = (name: string): string | undefined => {
    if (applets === undefined) return which(name);
    if (applets.has(name)) return which("busybox");
    return tools.includes(name) ? which(name) : undefined;
  };
  for (const name of new Set([...UTILITIES, ...tools, "sh"])) {
    const path = pathOf(name);
    if (path !== undefined) await symlink(path, join(bin, name));
  }
}

async function program(bin: string, name: string, body: string): Promise<void> {
  const path = join(bin, name);
  await rm(path, { force: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
}

/** Where a program of this machine is. A test that needs one which is not here fails; it does not skip itself. */
export function which(name: string): string {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const found = folders.map((folder) => join(folder, name)).find(isProgram);
  if (found === undefined) {
    throw new Error(`the program ${name} is not on this machine; .ci/run installs what tests need`);
  }
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listApplets(): Set<string> {
  return new Set(spawnSync(which("busybox"), ["--list"], { encoding: "utf8" }).stdout.split("\n"));
}

/** A fake nvidia-smi: what it says of a driver and its cards. */
export function nvidiaSmi(driver: string, ...capabilities: readonly string[]): string {
  const lines = (texts: readonly string[]): string => texts.map((text) => `echo '${text}'`).join("; ");
  return `case "$*" in
*driver_version*) ${lines(capabilities.map(() => driver))} ;;
*compute_cap*) ${lines(capabilities)} ;;
*) echo "what is $*?" >&2; exit 2 ;;
esac`;
}

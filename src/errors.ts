/**
 * The closed list of error codes and of exit codes. `docs/errors.md` explains each; a test holds the two together.
 *
 * Exit codes: 0 done · 1 a fault of ours · 2 bad usage, spec or recipe · 3 upstream is incomplete · 4 network ·
 * 5 verification failed · 6 disk full · 7 the local store or a local file · 130 interrupted.
 */
export const EXIT = {
  ok: 0,
  internal: 1,
  usage: 2,
  upstream: 3,
  network: 4,
  verification: 5,
  diskFull: 6,
  local: 7,
  interrupted: 130,
} as const;

export const ERROR_CODES = {
  INTERNAL: EXIT.internal,

  USAGE: EXIT.usage,
  CONFIG_INVALID: EXIT.usage,
  SPEC_INVALID: EXIT.usage,
  RECIPE_INVALID: EXIT.usage,
  ENGINE_UNKNOWN: EXIT.usage,
  VERSION_INVALID: EXIT.usage,
  NO_BUILD: EXIT.usage,
  SOURCE_UNPINNED: EXIT.usage,
  UNSUPPORTED: EXIT.usage,
  KEY_INVALID: EXIT.usage,
  KEY_PASSPHRASE: EXIT.usage,
  LOCKFILE_INVALID: EXIT.usage,

  UPSTREAM_NO_RELEASE: EXIT.upstream,
  UPSTREAM_MISSING_ASSETS: EXIT.upstream,
  UPSTREAM_AMBIGUOUS: EXIT.upstream,
  UPSTREAM_UPLOADING: EXIT.upstream,
  UPSTREAM_NO_CHECKSUM: EXIT.upstream,
  UPSTREAM_NOT_A_BUILD: EXIT.upstream,
  UPSTREAM_MALFORMED: EXIT.upstream,

  PYTHON_NO_SOLUTION: EXIT.upstream,
  PYTHON_SOURCE_ONLY: EXIT.upstream,
  PYTHON_REQUIREMENTS: EXIT.upstream,

  NET_OFFLINE: EXIT.network,
  NET_UNREACHABLE: EXIT.network,
  NET_TIMEOUT: EXIT.network,
  NET_STATUS: EXIT.network,
  NET_FORBIDDEN: EXIT.network,
  NET_RATE_LIMITED: EXIT.network,
  NET_REDIRECT: EXIT.network,
  NET_INSECURE: EXIT.network,
  NET_TRUNCATED: EXIT.network,

  DIGEST_MISMATCH: EXIT.verification,
  SIZE_MISMATCH: EXIT.verification,
  ASSET_REPLACED: EXIT.verification,
  LOCK_MISMATCH: EXIT.verification,
  SIGNATURE_MISSING: EXIT.verification,
  SIGNATURE_INVALID: EXIT.verification,
  BUNDLE_MALFORMED: EXIT.verification,
  BUNDLE_TRUNCATED: EXIT.verification,
  BUNDLE_UNLISTED: EXIT.verification,
  BUNDLE_OLDER: EXIT.verification,
  BUNDLE_CONFLICT: EXIT.verification,
  ARCHIVE_UNSAFE: EXIT.verification,
  PYTHON_FAMILY: EXIT.verification,
  PYTHON_INTERPRETER: EXIT.verification,
  PYTHON_WHEEL: EXIT.verification,
  PYTHON_CLOSURE: EXIT.verification,

  DISK_FULL: EXIT.diskFull,

  STORE_BUSY: EXIT.local,
  STORE_DAMAGED: EXIT.local,
  FILE_UNREADABLE: EXIT.local,
  FILE_UNWRITABLE: EXIT.local,
  PYTHON_UV: EXIT.local,

  INTERRUPTED: EXIT.interrupted,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface FerryErrorOptions {
  /** What the user can do about it, as one or two sentences. */
  hint?: string;
  cause?: unknown;
  /** The facts of the message for programs (digests, lengths, candidates); never secrets. */
  details?: Readonly<Record<string, unknown>>;
}

/** An error whose cause lies outside this program: it has a code of the closed list and says what to do. */
export class FerryError extends Error {
  override readonly name = "FerryError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: FerryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code];
  }
}

export function isFerryError(error: unknown, code?: ErrorCode): error is FerryError {
  return error instanceof FerryError && (code === undefined || error.code === code);
}

/** The error a cancelled piece of work ends with; Ctrl-C reaches every layer as an aborted signal. */
export function interrupted(what: string): FerryError {
  return new FerryError("INTERRUPTED", `${what} was interrupted`, {
    hint: "Run the same command again: what was verified is kept and is not fetched a second time.",
  });
}

/**
 * Turns what a file operation throws into a FerryError that names the path.
 * ENOSPC and EDQUOT become DISK_FULL; everything else the given fallback code.
 */
export function fromFileError(error: unknown, action: string, path: string, fallback: ErrorCode): FerryError {
  if (error instanceof FerryError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new FerryError("DISK_FULL", `no space left while trying to ${action} ${path}`, {
      cause: error,
      hint: "Free space on that file system, or choose another with --store or -o, and run the same command again: what was verified is kept.",
    });
  }
  const why = error instanceof Error ? error.message : String(error);
  const hint = WAYS_OUT[code];
  return new FerryError(fallback, `cannot ${action} ${path}: ${why}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  ENOENT: "Check the spelling, and that the folder it should be in exists.",
  ENOTDIR: "A part of the path is a file where a folder is needed.",
  EISDIR: "This is a folder where a file is needed.",
  EACCES: "Check who owns it and its permissions, or run as the user that it belongs to.",
  EPERM: "Check who owns it and its permissions, or run as the user that it belongs to.",
  EROFS: "That file system is read-only: choose another place.",
  EIO: "The disk or medium has a fault: look at the system's log (dmesg), and try another one.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n).",
};

/** What the system refused, and no layer named in words of its own; undefined for an error of any other kind. */
export function fromSystemError(error: unknown): FerryError | undefined {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return undefined;
  const full = error.code === "ENOSPC" || error.code === "EDQUOT";
  if (!("path" in error) && !full) return undefined;
  const path = "path" in error ? String(error.path) : "a file";
  return fromFileError(error, String(error.syscall), path, "FILE_UNWRITABLE");
}

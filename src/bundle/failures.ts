import { ERROR_CODES, EXIT, FerryError } from "../errors.ts";

/** One file that could not be fetched, after all retries. */
export interface Failure {
  path: string;
  error: FerryError;
}

/** Most severe first: what the exit code of a run with several failures says. */
const SEVERITY: readonly number[] = [
  EXIT.interrupted,
  EXIT.diskFull,
  EXIT.local,
  EXIT.verification,
  EXIT.upstream,
  EXIT.network,
];

/**
 * One error for all failures of a run: it lists each file and why, and bears the code of the most severe one.
 * `kept` is the number of files that are verified and stay in the store.
 */
export function combineFailures(failures: readonly Failure[], kept: number): FerryError {
  const rank = (failure: Failure): number => {
    const at = SEVERITY.indexOf(ERROR_CODES[failure.error.code]);
    return at < 0 ? SEVERITY.length : at;
  };
  const [worst] = [...failures].sort((a, b) => rank(a) - rank(b));
  if (worst === undefined) return new FerryError("INTERNAL", "no failure to report");
  const list = failures.map(({ path, error }) => `${path}: ${error.code}: ${error.message}`);
  const files = failures.length === 1 ? "1 file" : `${failures.length} files`;
  const rest = `the other ${kept} are verified and stay in the store`;
  const hint =
    `${worst.error.hint ?? ""} Run the same command again: only what is lacking is fetched.`.trim();
  return new FerryError(
    worst.error.code,
    `${files} could not be fetched (${rest}):\n  ${list.join("\n  ")}`,
    {
      cause: worst.error,
      hint,
      details: {
        failures: failures.map(({ path, error }) => ({
          path,
          code: error.code,
          message: error.message,
          ...error.details,
        })),
        kept,
      },
    },
  );
}

import { FerryError } from "../errors.ts";
import { hexOf } from "../lib/digest.ts";
import { lastPart } from "../lib/last-part.ts";
import { mapFiles, type Pylock, type PylockFile, parsePylock } from "../wire/pylock.ts";
import { renderPylock } from "../wire/render-pylock.ts";
import type { CarriedFile } from "./document.ts";

/**
 * A carried lock as it lies in one folder with its wheels: every `path` is a file name. `wheels` are what was written
 * there; a lock that names anything else, or with another digest, is refused with BUNDLE_MALFORMED.
 */
export function flatLock(text: string, wheels: readonly CarriedFile[], label: string): string {
  const byPath = new Map(wheels.map((wheel) => [wheel.path, wheel]));
  const flat = (file: PylockFile): PylockFile => {
    const wheel = byPath.get(file.path ?? "");
    if (wheel === undefined || hexOf(wheel.digest) !== file.hashes["sha256"]) {
      throw notOurs(label, `it names ${file.name}, which the bundle does not carry like that`);
    }
    return { ...file, url: undefined, path: lastPart(wheel.path) };
  };
  return renderPylock(mapFiles(parsed(text, label), flat));
}

function parsed(text: string, label: string): Pylock {
  try {
    return parsePylock(text);
  } catch (cause) {
    throw notOurs(label, "it is no lock of PEP 751", cause);
  }
}

function notOurs(label: string, why: string, cause?: unknown): FerryError {
  return new FerryError("BUNDLE_MALFORMED", `the lock ${label} cannot be used: ${why}`, {
    cause,
    hint: "The bundle was made by another version of ferry: update this one, or build the bundle again.",
  });
}

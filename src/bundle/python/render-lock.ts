import { hexOf } from "../../lib/digest.ts";
import { renderPylock } from "../../wire/render-pylock.ts";
import type { FetchedFile } from "../fetch.ts";
import { mustHave } from "./must-have.ts";
import type { PlannedPython } from "./planned.ts";

/**
 * The lock that is carried: every file of it by its mirror path, with the digest and size of the bytes that were fetched
 * (also where the index published none), and the upload time as the mirror serves it.
 */
export function renderLockOf(python: PlannedPython, fetched: ReadonlyMap<string, FetchedFile>): string {
  const { resolution, wheels } = python;
  return renderPylock({
    requiresPython: `>=${resolution.python}`,
    packages: resolution.packages.map((locked) => ({
      name: locked.name,
      version: locked.version,
      marker: locked.marker,
      sdist: undefined,
      archive: undefined,
      wheels: wheels
        .filter((wheel) => wheel.package === locked)
        .map(({ artifact, file }) => {
          const bytes = mustHave(fetched, artifact.path);
          return {
            name: file.filename,
            url: undefined,
            path: artifact.path,
            uploadTime: file.uploadedAt,
            size: bytes.size,
            hashes: { sha256: hexOf(bytes.digest) },
          };
        }),
    })),
  });
}

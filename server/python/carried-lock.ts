import { FerryError } from "../../src/errors.ts";
import { type Digest, hexOf } from "../../src/lib/digest.ts";
import { lastPart } from "../../src/lib/last-part.ts";
import { encodePath } from "../../src/wire/github.ts";
import { filesOf, mapFiles, type Pylock, parsePylock } from "../../src/wire/pylock.ts";
import { renderPylock } from "../../src/wire/render-pylock.ts";
import type { ServedBlob } from "../blob-sender.ts";
import type { Catalog, CatalogBuild } from "../catalog.ts";

/** A build of a Python engine whose lock can be served. */
export type PythonCatalogBuild = CatalogBuild & { python: NonNullable<CatalogBuild["python"]> };

/** A lock with everything that it names. */
export interface CarriedLock {
  build: PythonCatalogBuild;
  /** Its files are `path`s of this mirror. */
  lock: Pylock;
  /** Each file once, in the order of the lock. */
  files: readonly ServedBlob[];
}

/** Every Python build of the catalog. */
export function pythonBuilds(catalog: Catalog): PythonCatalogBuild[] {
  return catalog.builds.filter((build): build is PythonCatalogBuild => build.python !== undefined);
}

/**
 * Reads the lock of a build. Returns, in words, why it cannot be served: it or a wheel of it is not here, or is not the
 * one that the lock names. Throws STORE_DAMAGED where the store's copy is no lock.
 */
export async function readCarriedLock(
  catalog: Catalog,
  build: PythonCatalogBuild,
  readSmall: (digest: Digest) => Promise<Buffer>,
): Promise<CarriedLock | string> {
  const blob = catalog.lookup(build.python.lock);
  if (blob === undefined) {
    return `bundle ${build.bundle} lists this lock, but its bytes have not been imported: import the remaining volumes`;
  }
  const lock = parsed(await readSmall(blob.digest), blob);
  const files = new Map<string, ServedBlob>();
  const absent: string[] = [];
  for (const { path = "", name, hashes } of filesOf(lock)) {
    const file = catalog.lookup(path);
    if (file === undefined || hexOf(file.digest) !== hashes["sha256"]) absent.push(name);
    else files.set(path, file);
  }
  if (absent.length === 0) return { build, lock, files: [...files.values()] };
  const shown = absent.slice(0, 6).join(", ");
  return (
    `the lock is here, but ${absent.length} of its wheels ${absent.length === 1 ? "is" : "are"} not, or another bundle has ` +
    `taken the place: ${shown}${absent.length > 6 ? ", …" : ""}. Import the remaining volumes of ${build.bundle}`
  );
}

/** The lock with addresses of this mirror alone, for installs over the network. */
export function lockAt({ lock }: CarriedLock, base: string): string {
  return renderPylock(
    mapFiles(lock, ({ path = "", ...file }) => ({
      ...file,
      path: undefined,
      url: `${base}/${encodePath(path)}`,
    })),
  );
}

/** The lock as it lies in one folder with its wheels, for installs without any server. */
export function lockInFolder({ lock }: CarriedLock): string {
  return renderPylock(
    mapFiles(lock, ({ path = "", ...file }) => ({ ...file, url: undefined, path: lastPart(path) })),
  );
}

function parsed(bytes: Buffer, { name, digest }: ServedBlob): Pylock {
  try {
    return parsePylock(bytes.toString("utf8"));
  } catch (cause) {
    throw new FerryError("STORE_DAMAGED", `the store's copy of ${name} (${digest}) is no lock of PEP 751`, {
      cause,
      hint: "The bundle that carries it was made with another version of ferry: update this mirror, or build the bundle again.",
    });
  }
}

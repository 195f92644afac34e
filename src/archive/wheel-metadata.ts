import { type Entry, openPromise, type ZipFile } from "yauzl";
import { FerryError } from "../errors.ts";

/** Core metadata of hundreds of kilobytes are real (long descriptions); more than this is a bomb. */
const LIMIT = 8 * 1024 * 1024;
const METADATA = /^[^/]+\.dist-info\/METADATA$/;

/** The METADATA file of a wheel, byte for byte. `label` names the wheel. Throws PYTHON_WHEEL. */
export async function readWheelMetadata(path: string, label: string): Promise<Buffer> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      validateEntrySizes: true,
      strictFileNames: true,
    });
    return await metadataOf(zip, label);
  } catch (cause) {
    if (cause instanceof FerryError) throw cause;
    throw fault(
      label,
      `cannot be read as a zip: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  } finally {
    zip?.close();
  }
}

async function metadataOf(zip: ZipFile, label: string): Promise<Buffer> {
  const found: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (METADATA.test(entry.fileName)) found.push(entry);
  const [entry] = found;
  if (entry === undefined) throw fault(label, "holds no .dist-info/METADATA");
  if (found.length > 1) {
    throw fault(
      label,
      `holds ${found.length} METADATA files: ${found.map((one) => one.fileName).join(", ")}`,
    );
  }
  if (entry.uncompressedSize > LIMIT) throw fault(label, `has metadata of ${entry.uncompressedSize} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function fault(label: string, what: string, cause?: unknown): FerryError {
  return new FerryError("PYTHON_WHEEL", `${label} ${what}`, {
    ...(cause === undefined ? {} : { cause }),
    hint: "Its digest is the one that was published, so upstream has it like this. Ask for another version.",
  });
}

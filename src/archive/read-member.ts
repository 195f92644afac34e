import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Parser, type ReadEntry } from "tar";
import { FerryError, isFerryError } from "../errors.ts";

/**
 * One file of a tar (plain or gzip-compressed) as text, by its whole name. Writes nothing. Throws ARCHIVE_UNSAFE where the
 * archive cannot be read, lacks the file, or has it larger than `maxBytes`.
 */
export async function readMember(archive: string, name: string, maxBytes = 1024 * 1024): Promise<string> {
  const chunks: Buffer[] = [];
  let found: "no" | "yes" | "too large" = "no";
  const parser = new Parser({ strict: true });
  parser.on("entry", (entry: ReadEntry) => {
    if (entry.path !== name || entry.type !== "File" || found !== "no") {
      entry.resume();
      return;
    }
    found = entry.size > maxBytes ? "too large" : "yes";
    if (found === "yes") entry.on("data", (chunk: Buffer) => chunks.push(chunk));
    else entry.resume();
  });
  try {
    await pipeline(
      createReadStream(archive, { highWaterMark: 64 * 1024 }),
      parser as unknown as NodeJS.WritableStream,
    );
  } catch (cause) {
    if (isFerryError(cause)) throw cause;
    throw fault(`${archive} cannot be read as a tar: ${String(cause)}`, cause);
  }
  if ((found as string) === "yes") return Buffer.concat(chunks).toString("utf8");
  throw fault(
    `${archive} ${found === "no" ? `holds no file ${name}` : `holds ${name} larger than ${maxBytes} bytes`}`,
  );
}

function fault(message: string, cause?: unknown): FerryError {
  return new FerryError("ARCHIVE_UNSAFE", message, {
    ...(cause === undefined ? {} : { cause }),
    hint: "The archive is not the one that the recipe describes.",
  });
}

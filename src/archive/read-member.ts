import { Parser, type ReadEntry } from "tar";
import { FerryError } from "../errors.ts";
import { feed } from "./untar-safe.ts";

/**
 * One file of a tar (plain or gzip-compressed) as text, by its whole name. Writes nothing. Throws as `listSafe`
 * where the archive cannot be read, and ARCHIVE_UNSAFE where it lacks the file or has it larger than `maxBytes`.
 */
export async function readMember(archive: string, name: string, maxBytes = 1024 * 1024): Promise<string> {
  const sizes: number[] = [];
  const chunks: Buffer[] = [];
  const parser = new Parser({ strict: true });
  parser.on("entry", (entry: ReadEntry) => {
    if (entry.path === name && entry.type === "File") sizes.push(entry.size);
    const wanted = entry.path === name && sizes.length === 1 && entry.size <= maxBytes;
    if (wanted) entry.on("data", (chunk: Buffer) => chunks.push(chunk));
    else entry.resume();
  });
  await feed(archive, parser, "read", undefined, () => undefined);
  const [size] = sizes;
  if (size === undefined || sizes.length > 1) {
    throw fault(`${archive} holds ${sizes.length} files ${name}, expected one`);
  }
  if (size > maxBytes) throw fault(`${archive} holds ${name} larger than ${maxBytes} bytes`);
  return Buffer.concat(chunks).toString("utf8");
}

function fault(message: string): FerryError {
  return new FerryError("ARCHIVE_UNSAFE", message, {
    hint: "The archive is not the one that the recipe describes.",
  });
}

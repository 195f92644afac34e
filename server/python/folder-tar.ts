import { Header, Pax } from "tar";
import { digestOf } from "../../src/lib/digest.ts";
import type { BodySender, ServedBlob } from "../blob-sender.ts";
import { openBlob } from "../senders/open-blob.ts";
import { openOutlet } from "../senders/outlet.ts";
import { copy } from "../senders/stream.ts";

/** What a tar is made of: bytes at hand, and files of the store. */
type Segment = Buffer | ServedBlob;

/** A tar that exists nowhere: it is put together while it is sent, and every byte of it is known before. */
export interface FolderTar {
  /** To be sent like any carried file, by `sender`: with a length, ranges and a tag. */
  blob: ServedBlob;
  sender: BodySender;
}

const BLOCK = 512;

/**
 * A plain tar of the given files and of one text, all in one folder. The same input gives the same bytes, so a download
 * that was cut can go on. `text` must name the content of the files: the tag is made of it.
 */
export function folderTar(
  name: string,
  {
    title,
    text,
    files,
    modified,
  }: { title: string; text: string; files: readonly ServedBlob[]; modified: Date },
  idleMs: number,
): FolderTar {
  const bytes = Buffer.from(text);
  const segments: Segment[] = [head(title, bytes.length, modified), bytes, padding(bytes.length)];
  for (const file of files) segments.push(head(file.name, file.size, modified), file, padding(file.size));
  segments.push(Buffer.alloc(2 * BLOCK));
  return {
    blob: {
      digest: digestOf(`tar 1\n${name}\n${title}\n${modified.toISOString()}\n${text}`),
      size: segments.reduce((sum, segment) => sum + sizeOf(segment), 0),
      file: "",
      name,
      contentType: "application/x-tar",
      modified,
    },
    sender: createSender(segments, idleMs),
  };
}

/** The header of an entry; a name or size that it has no room for goes into a header before it (POSIX pax). */
function head(path: string, size: number, mtime: Date): Buffer {
  const entry = {
    path,
    size,
    mtime,
    mode: 0o644,
    uid: 0,
    gid: 0,
    uname: "",
    gname: "",
    type: "File" as const,
  };
  const header = new Header(entry);
  const block = Buffer.alloc(BLOCK);
  const needsMore = header.encode(block, 0);
  return needsMore ? Buffer.concat([new Pax({ path, size, mtime }).encode(), block]) : block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

function sizeOf(segment: Segment): number {
  return Buffer.isBuffer(segment) ? segment.length : segment.size;
}

function createSender(segments: readonly Segment[], idleMs: number): BodySender {
  return {
    kind: "stream",
    send: async (response, _, { start, end }) => {
      const outlet = openOutlet(response, idleMs);
      try {
        let begins = 0;
        for (const segment of segments) {
          const from = Math.max(0, start - begins);
          const to = Math.min(sizeOf(segment), end + 1 - begins);
          begins += sizeOf(segment);
          if (from >= to) continue;
          if (Buffer.isBuffer(segment)) await outlet.write(segment.subarray(from, to));
          else {
            const handle = await openBlob(segment);
            try {
              await copy({ response, outlet, file: handle.fd, blob: segment }, from, to, false);
            } finally {
              await handle.close();
            }
          }
        }
        await outlet.end();
        return end + 1 - start;
      } catch (error) {
        if (response.headersSent) outlet.destroy();
        throw error;
      } finally {
        outlet.release();
      }
    },
  };
}

import { open, stat } from "node:fs/promises";
import { fromFileError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Digest } from "../../lib/digest.ts";
import { FrontierHash } from "./frontier-hash.ts";
import { addRange, contiguousEnd, type Range, totalLength } from "./ranges.ts";
import { type DownloadState, readState, writeState } from "./state-file.ts";

/** What a download is of: this decides whether bytes of an earlier run belong to it. */
export interface Identity {
  /** Printable URL. */
  url: string;
  size: number | undefined;
  digest: Digest | undefined;
}

/** The part of node's FileHandle that is used, so that a full disk can be tried. */
export interface FileAccess {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  writev(buffers: readonly Uint8Array[], position: number): Promise<{ bytesWritten: number }>;
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Recorded at least this often: what a kill can cost. */
const SAVE_EVERY_MS = 1000;
const SAVE_EVERY_BYTES = 64 * 1024 * 1024;
const ROOM_FOR_RECORD = 256 * 1024;

/** An unfinished file with the record of what is in it, and the digest that follows its frontier. */
export class PartialFile {
  /** Bytes of the whole file; learned from upstream where the caller does not know. */
  total: number | undefined;
  etag: string | undefined;
  readonly #path: string;
  readonly #identity: Identity;
  readonly #file: FileAccess;
  readonly #clock: Clock;
  readonly #hash: FrontierHash;
  #ranges: Range[];
  #saving: Promise<void> | undefined;
  #savedAt: number;
  #unsaved = 0;

  constructor(path: string, identity: Identity, file: FileAccess, clock: Clock, earlier?: DownloadState) {
    this.#path = path;
    this.#identity = identity;
    this.#file = file;
    this.#clock = clock;
    this.total = identity.size;
    this.etag = earlier?.url === identity.url ? (earlier.etag ?? undefined) : undefined;
    this.#ranges = (earlier?.ranges ?? []).reduce<Range[]>(
      (all, [start, end]) => addRange(all, { start, end }),
      [],
    );
    this.#hash = new FrontierHash(
      async (buffer, position) => (await file.read(buffer, 0, buffer.length, position)).bytesRead,
    );
    this.#savedAt = clock.now();
    this.#hash.follow(contiguousEnd(this.#ranges));
  }

  /**
   * Opens what an earlier run left where its record fits this download, else begins an empty file: existence alone proves
   * nothing. Throws FILE_UNWRITABLE or DISK_FULL naming the path.
   */
  static async open(path: string, identity: Identity, clock: Clock): Promise<PartialFile> {
    try {
      const earlier = await usableState(path, identity);
      const file = new PartialFile(
        path,
        identity,
        await open(path, earlier === undefined ? "w+" : "r+"),
        clock,
        earlier,
      );
      await file.#write();
      return file;
    } catch (error) {
      throw fromFileError(error, "write", path, "FILE_UNWRITABLE");
    }
  }

  get ranges(): readonly Range[] {
    return this.#ranges;
  }

  /** Bytes that are in the file. */
  get done(): number {
    return totalLength(this.#ranges);
  }

  get complete(): boolean {
    return this.total !== undefined && contiguousEnd(this.#ranges) >= this.total;
  }

  get hasDigest(): boolean {
    return this.#identity.digest !== undefined;
  }

  /** Writes the parts one after the other from `offset` on. Throws DISK_FULL or FILE_UNWRITABLE naming the path. */
  async write(offset: number, parts: readonly Uint8Array[]): Promise<void> {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length === 0) return;
    const written = this.#writeAll(offset, parts, length);
    // While the system writes, this thread hashes.
    this.#hash.offer(offset, parts);
    try {
      await written;
    } catch (error) {
      throw fromFileError(error, "write", this.#path, "FILE_UNWRITABLE");
    }
    this.#ranges = addRange(this.#ranges, { start: offset, end: offset + length });
    this.#hash.follow(contiguousEnd(this.#ranges));
    this.#unsaved += length;
    this.#saveNowAndThen();
  }

  /** SHA-256 over every byte of the complete file. Throws FILE_UNREADABLE where it cannot be read back. */
  async digest(): Promise<Digest> {
    try {
      if (this.#identity.size === undefined) await this.#file.truncate(this.total ?? 0);
      return await this.#hash.digest(this.total ?? 0);
    } catch (error) {
      throw fromFileError(error, "read", this.#path, "FILE_UNREADABLE");
    }
  }

  /** Discards every byte; the next begins at zero. */
  async reset(): Promise<void> {
    await this.#hash.reset();
    this.#ranges = [];
    this.etag = undefined;
    this.total = this.#identity.size;
    try {
      await this.#save();
      await this.#file.truncate(0);
    } catch (error) {
      throw fromFileError(error, "write", this.#path, "FILE_UNWRITABLE");
    }
  }

  /** Records what is there and closes the file. */
  async close(): Promise<void> {
    await this.#hash.stop();
    await this.#save().catch(() => this.#saveInLessSpace());
    await this.#file.close();
  }

  /** On a full disk the record gets its room from the end of the file: a little is fetched again, the rest is kept. */
  async #saveInLessSpace(): Promise<void> {
    try {
      const end = Math.max(0, contiguousEnd(this.#ranges) - ROOM_FOR_RECORD);
      await this.#file.truncate(end);
      this.#ranges = end === 0 ? [] : [{ start: 0, end }];
      await this.#save();
    } catch {
      // The older record stays: it names less than is there, which is safe.
    }
  }

  async #writeAll(offset: number, parts: readonly Uint8Array[], length: number): Promise<void> {
    let { bytesWritten: done } = await this.#file.writev(parts, offset);
    if (done === length) return;
    // Rare: the system took a part, for instance because the disk is nearly full. The next call says why.
    const all = Buffer.concat(parts);
    while (done < length) {
      done += (await this.#file.write(all, done, length - done, offset + done)).bytesWritten;
    }
  }

  #saveNowAndThen(): void {
    const due = this.#unsaved >= SAVE_EVERY_BYTES || this.#clock.now() - this.#savedAt >= SAVE_EVERY_MS;
    if (due && this.#saving === undefined) this.#save().catch(() => undefined);
  }

  async #save(): Promise<void> {
    await this.#saving;
    this.#savedAt = this.#clock.now();
    this.#unsaved = 0;
    const saving = this.#write();
    this.#saving = saving.catch(() => undefined).finally(() => (this.#saving = undefined));
    await saving;
  }

  #write(): Promise<void> {
    return writeState(this.#path, {
      version: 1,
      url: this.#identity.url,
      size: this.#identity.size ?? null,
      digest: this.#identity.digest ?? null,
      etag: this.etag ?? null,
      ranges: this.#ranges.map(({ start, end }) => [start, end]),
    });
  }
}

/** The record of an earlier run, if it is of the same content and the file can hold what it says. */
async function usableState(path: string, identity: Identity): Promise<DownloadState | undefined> {
  const [state, found] = await Promise.all([readState(path), stat(path).catch(() => undefined)]);
  if (state === undefined || found?.isFile() !== true || !isOf(identity, state)) return undefined;
  const end = state.ranges.reduce((most, [, last]) => Math.max(most, last), 0);
  const fits = end <= found.size && found.size <= (identity.size ?? Number.POSITIVE_INFINITY);
  return fits ? state : undefined;
}

function isOf(identity: Identity, state: DownloadState): boolean {
  if (state.size !== (identity.size ?? null) || state.digest !== (identity.digest ?? null)) return false;
  // Without a digest to decide in the end, only the same address and the same version of it may be continued.
  return identity.digest !== undefined || (state.url === identity.url && state.etag !== null);
}

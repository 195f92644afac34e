import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Digest, digestOf } from "../../../src/lib/digest.ts";
import type { DownloadJob } from "../../../src/net/download.ts";
import { fastClock } from "../../support/fast-clock.ts";
import { tmpDir } from "../../support/tmp.ts";
import { openDoor } from "./door.ts";
import { type Recorder, recorder } from "./recorder.ts";

/** Bytes that look random and are the same in every run. */
export function bytes(length: number, seed = "a"): Buffer {
  const block = createHash("sha256").update(seed).digest();
  const content = Buffer.alloc(length);
  for (let at = 0; at < length; at += 32) {
    block.writeUInt32LE(at >>> 0, 0);
    createHash("sha256").update(block).digest().copy(content, at);
  }
  return content;
}

export type TestJob = DownloadJob & { logger: Recorder };

/** A download of the content from the origin, into a new folder, with waits that take no time. */
export async function job(
  origin: string,
  content: Buffer,
  more: Partial<DownloadJob> = {},
): Promise<TestJob> {
  const digest: Digest = digestOf(content);
  return {
    door: openDoor([origin]),
    url: `${origin}/o/r/releases/download/b1/file.tar.gz`,
    size: content.length,
    digest,
    partialPath: join(await tmpDir(), "partial"),
    connections: 1,
    signal: new AbortController().signal,
    clock: fastClock(),
    id: "the-id",
    label: "file.tar.gz",
    random: () => 0,
    ...more,
    logger: recorder(),
  };
}

/** Bytes that the progress display believes to be done. */
export function shown({ events }: Recorder): number {
  let done = 0;
  for (const event of events) {
    if (event.kind === "start" || event.kind === "rewind") done = event.done;
    if (event.kind === "advance") done += event.bytes;
  }
  return done;
}

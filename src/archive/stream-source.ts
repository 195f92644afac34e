import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { digestFromHex } from "../lib/digest.ts";
import type { BundleEntry, BundleSource } from "./bundle-source.ts";
import { malformed, truncated } from "./faults.ts";
import { requireSmall } from "./small-entry.ts";
import { type StreamInput, streamInput } from "./stream-input.ts";
import { type TarMember, walkTar } from "./tar-walk.ts";

const STEP = 1024 * 1024;

/** A bundle's tar that comes as a stream: one pass, in constant memory. `label` is how errors call it. */
export function openTarStream(stream: Readable, label: string): BundleSource {
  let started = false;
  return {
    label,
    seekable: false,
    entries: async function* () {
      if (started) throw new Error("a stream can be read only once");
      started = true;
      const input = streamInput(stream, label);
      for await (const member of walkTar(input, label)) yield streamEntry(member, input, label);
    },
    close: () => {
      stream.destroy();
      return Promise.resolve();
    },
  };
}

function streamEntry({ name, size, start }: TarMember, input: StreamInput, label: string): BundleEntry {
  const content = async function* (): AsyncGenerator<Uint8Array> {
    if (input.position !== start) throw new Error(`${name} was read already, or passed by`);
    for (let left = size; left > 0; ) {
      const chunk = await input.some(Math.min(left, STEP));
      if (chunk.length === 0) throw truncated(label, `${name} has ${size} bytes`, left);
      left -= chunk.length;
      yield chunk;
    }
  };
  return {
    name,
    size,
    stream: content,
    bytes: async () => {
      requireSmall(label, name, size);
      const parts: Uint8Array[] = [];
      for await (const chunk of content()) parts.push(chunk);
      const whole = Buffer.concat(parts);
      if (whole.length !== size) throw malformed(label, `${name} was not read whole`);
      return whole;
    },
    digest: async () => {
      const hash = createHash("sha256");
      for await (const chunk of content()) hash.update(chunk);
      return digestFromHex(hash.digest("hex"));
    },
  };
}

import { platform } from "node:os";
import type koffiModule from "koffi";
import type { LibraryHandle } from "koffi";

type Koffi = typeof koffiModule;

/** The system calls that Node lacks, called on the event loop's thread. */
export interface SystemCalls {
  /**
   * Moves up to `count` bytes from offset `at` of a file to a socket without copying them through us. As many as the socket
   * took: fewer than `count` when it is full, 0 at the end of the file; `full` when it took none, `failed` when it
   * cannot be done this way.
   */
  sendfile(socket: number, file: number, at: number, count: number): number | "full" | "failed";
  /**
   * Whether the page cache holds these bytes, so that reading them does not wait for the disk. Looks at one page in
   * each `PROBE_STRIDE`, which is what Linux reads ahead by default. False where the system cannot tell.
   */
  resident(file: number, at: number, count: number): boolean;
  /**
   * Bounds how much the kernel takes for a connection before it calls it full (SO_SNDBUF, of which Linux makes the
   * double), from now on: the kernel no longer finds a size by itself. One that the system refuses is no fault.
   */
  limitSendBuffer(socket: number, bytes: number): void;
}

const PROBE_STRIDE = 256 * 1024;
const RWF_NOWAIT = 8;
/** As Linux numbers them on x86-64 and arm64, where koffi and the offsets above work too. */
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;

/**
 * Loads the calls through koffi, an optional dependency with a prebuilt binary. A string says why there are none.
 */
export async function loadSystemCalls(): Promise<SystemCalls | string> {
  if (platform() !== "linux") return `sendfile is used on Linux alone, and this is ${platform()}`;
  try {
    return bind((await import("koffi")).default);
  } catch (error) {
    return `koffi does not load: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function bind(koffi: Koffi): SystemCalls {
  if (koffi.sizeof("void *") !== 8) throw new Error("file offsets have 64 bits on 64-bit systems alone");
  const { EAGAIN, EINTR } = koffi.os.errno;
  const libc = koffi.load(null);
  // Off_t has 64 bits here, so the plain names are right for glibc and musl.
  const sendfile = libc.func("int64 sendfile(int out, int in, int64 *offset, size_t count)") as (
    out: number,
    file: number,
    offset: BigInt64Array,
    count: number,
  ) => number;
  const setsockopt = libc.func(
    "int setsockopt(int socket, int level, int name, int32 *value, uint32 length)",
  ) as (socket: number, level: number, name: number, value: Int32Array, length: number) => number;
  const probe = bindProbe(koffi, libc);
  const offset = new BigInt64Array(new ArrayBuffer(8));
  const size = new Int32Array(new ArrayBuffer(4));
  return {
    sendfile: (socket, file, at, count) => {
      offset[0] = BigInt(at);
      const sent = sendfile(socket, file, offset, count);
      if (sent >= 0) return sent;
      const errno = koffi.errno();
      return errno === EAGAIN || errno === EINTR ? "full" : "failed";
    },
    resident: (file, at, count) => {
      for (let position = at; position < at + count; position += PROBE_STRIDE) {
        if (!probe(file, position)) return false;
      }
      return probe(file, at + count - 1);
    },
    limitSendBuffer: (socket, bytes) => {
      size[0] = bytes;
      setsockopt(socket, SOL_SOCKET, SO_SNDBUF, size, size.byteLength);
    },
  };
}

/** Reads one byte on condition that it needs no wait (preadv2, Linux 4.14; not on every file system). */
function bindProbe(koffi: Koffi, libc: LibraryHandle): (file: number, at: number) => boolean {
  // The vector, and behind it the byte that it leads to: in one piece of memory, so that the one lives as long as the other.
  // Of an ArrayBuffer, because V8 moves the memory of small typed arrays otherwise.
  const vector = new BigUint64Array(new ArrayBuffer(24));
  vector[0] = koffi.address(vector) + 16n;
  vector[1] = 1n;
  let preadv2: (file: number, vector: BigUint64Array, count: number, at: number, flags: number) => number;
  try {
    preadv2 = libc.func(
      "int64 preadv2(int file, void *vector, int count, int64 at, int flags)",
    ) as typeof preadv2;
  } catch {
    return () => false;
  }
  return (file, at) => preadv2(file, vector, 1, at, RWF_NOWAIT) === 1;
}

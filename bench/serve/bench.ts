import { join } from "node:path";
import type { Options } from "./options.ts";
import { mirrorCommand, type Server, startFront, startMirror, startPlainNginx } from "./servers.ts";
import { type BenchStore, type StoreFile, writeStore } from "./store.ts";

const MB = 1024 * 1024;
export const LARGE = "large.bin";
export const TINY = "tiny.bin";
/** As a wheel with CUDA in it may be; it takes no room. */
export const HUGE = "huge.bin";
export const HUGE_SIZE = 20 * 1024 * MB;
export const MEDIUM = Array.from({ length: 16 }, (_, index) => `medium-${index}.bin`);
export const MEDIUM_SIZE = 4 * MB;

/** What the cases share. */
export interface Bench {
  options: Options;
  signal: AbortSignal;
  folder: string;
  store: BenchStore;
  /** How the mirror is started. */
  command: readonly string[];
  nginx: Server;
  /** The mirror with one process, in each of its ways to move bytes. */
  sendfile: Server;
  stream: Server;
  accel: Server;
  /** Two processes, with sendfile. */
  two: Server;
  /** Plays `run` for every server once a round, in turns that change from round to round. */
  rounds: <T>(servers: readonly Server[], run: (server: Server) => Promise<T>) => Promise<Map<Server, T[]>>;
  close: () => Promise<void>;
}

export async function createBench(options: Options, folder: string, signal: AbortSignal): Promise<Bench> {
  const command = await mirrorCommand(options.sources);
  const files: StoreFile[] = [
    { name: LARGE, size: options.size },
    { name: TINY, size: 2000 },
    { name: HUGE, size: HUGE_SIZE, sparse: true },
    ...MEDIUM.map((name) => ({ name, size: MEDIUM_SIZE })),
  ];
  console.error("writing files");
  const store = await writeStore(join(folder, "store"), files);
  const running: Server[] = [];
  const keep = (server: Server): Server => {
    running.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    for (const server of running.splice(0)) await server.stop();
  };
  const mirror = (name: string, env: Record<string, string>): Promise<Server> =>
    startMirror(name, command, { store: store.root, env });
  try {
    return {
      options,
      signal,
      folder,
      store,
      command,
      nginx: keep(await startPlainNginx(store.mirrored)),
      sendfile: keep(await mirror("sendfile", {})),
      stream: keep(await mirror("streams", { FERRY_NO_SENDFILE: "1" })),
      accel: keep(await startFront(await mirror("behind nginx", { FERRY_ACCEL: "nginx" }), store.root)),
      two: keep(await mirror("sendfile, two processes", { FERRY_WORKERS: "2" })),
      rounds: (servers, run) => playRounds(servers, options.rounds, signal, run),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function playRounds<T>(
  servers: readonly Server[],
  rounds: number,
  signal: AbortSignal,
  run: (server: Server) => Promise<T>,
): Promise<Map<Server, T[]>> {
  const results = new Map<Server, T[]>(servers.map((server) => [server, []]));
  for (let round = 0; round < rounds; round++) {
    const first = round % servers.length;
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      signal.throwIfAborted();
      results.get(server)?.push(await run(server));
    }
  }
  return results;
}

import { mkdir, writeFile } from "node:fs/promises";
import { type Nginx, startNginx } from "../support/nginx.ts";
import { shell } from "./command.ts";
import type { Options } from "./options.ts";
import { type OriginFile, settingsFor, specOf, writeOrigin, writeSparseOrigin } from "./origin.ts";
import type { Sample } from "./rounds.ts";
import type { Workspace } from "./workspace.ts";

/** Files that nginx serves as the assets of one release. */
export interface Origin {
  tag: string;
  /** Base URL. */
  base: string;
  files: readonly OriginFile[];
}

/** A bundle that the installed program made, with the store it was made from; names are within the workspace. */
export interface MadeBundle {
  origin: Origin;
  store: string;
  bundle: string;
  /** What `ferry build` took. */
  built: Sample;
}

/** What the cases share. Everything is made when first asked for. */
export interface Bench {
  options: Options;
  workspace: Workspace;
  /** Begins every run from a disk at rest. */
  settle: () => Promise<void>;
  /** The many files that most cases are about. */
  files: () => Promise<Origin>;
  /** One file, behind `rate` for each connection. */
  limited: (size: number, rate: string) => Promise<Origin>;
  /** One file that takes no room at the origin. */
  sparse: (size: number) => Promise<Origin>;
  /** The bundle of the many files. */
  bundle: () => Promise<MadeBundle>;
  build: (origin: Origin) => Promise<MadeBundle>;
  /** Ends the servers. */
  close: () => Promise<void>;
}

/** Names of the signing key's halves within the workspace. */
export const KEY = "bench.key";
export const PUBLIC_KEY = "bench.pub";

export function createBench(options: Options, workspace: Workspace): Bench {
  const servers: Nginx[] = [];
  const { at } = workspace;
  const root = at("origin");
  const serve = async (limitRate?: string): Promise<string> => {
    const server = await startNginx({ root, ...(limitRate === undefined ? {} : { limitRate }) });
    servers.push(server);
    return server.url;
  };
  const plain = once(async () => {
    await mkdir(root, { recursive: true });
    return serve();
  });
  const keys = once(() =>
    workspace.run(shell([process.execPath, workspace.ferry, "keys", "new", "--out", at("bench")])),
  );
  const build = async (origin: Origin): Promise<MadeBundle> => {
    await keys();
    const { tag, base } = origin;
    const [spec, store, bundle] = [`${tag}.yaml`, `${tag}-store`, `${tag}.tar`];
    await writeFile(at(spec), specOf(tag));
    await workspace.settle();
    const built = await workspace.node(
      [workspace.ferry, "build", at(spec), "-o", at(bundle), "--store", at(store), "--sign-key", at(KEY)],
      { env: settingsFor(base) },
    );
    return { origin, store, bundle, built };
  };
  const files = once(async () => {
    console.error("making the files");
    const each = Math.floor(options.size / options.files);
    const sizes = Array.from({ length: options.files }, (_, index) =>
      index === 0 ? options.size - each * (options.files - 1) : each,
    );
    const base = await plain();
    return { tag: "many", base, files: await writeOrigin(root, "many", sizes) };
  });
  return {
    options,
    workspace,
    settle: workspace.settle,
    files,
    limited: async (size, rate) => {
      await mkdir(root, { recursive: true });
      return { tag: "limited", base: await serve(rate), files: await writeOrigin(root, "limited", [size]) };
    },
    sparse: async (size) => ({
      tag: "sparse",
      base: await plain(),
      files: [await writeSparseOrigin(root, "sparse", size)],
    }),
    bundle: once(async () => build(await files())),
    build,
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

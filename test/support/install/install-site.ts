import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Auth } from "../../../server/auth.ts";
import type { KeyAlgorithm } from "../../../src/trust/key-id.ts";
import { type LoadedPair, newPair } from "../sample-bundle.ts";
import { servedStore, type TestBundle } from "../served-store.ts";
import { tmpDir } from "../tmp.ts";
import {
  type NodeOptions,
  type NodeRun,
  nvidiaSmi,
  type PracticeNode,
  practiceNode,
  type RunOptions,
} from "./node.ts";
import { practiceBundle } from "./practice-bundle.ts";
import { type PracticeMirror, practiceMirror } from "./practice-mirror.ts";

export interface InstallSite {
  mirror: PracticeMirror;
  node: PracticeNode;
  pair: LoadedPair;
  /** The public half of `pair`, as a file on the node. */
  pub: string;
  /** Runs the script with this mirror and the node's prefix. */
  install: (args: readonly string[], options?: RunOptions) => Promise<NodeRun>;
  /** A path below the prefix. */
  at: (...parts: string[]) => string;
  /** What the installed llama-server says of its version, or why it does not start. */
  version: () => Promise<string>;
  /** The installed ferry-install. */
  ferry: (...args: string[]) => Promise<NodeRun>;
}

export interface SiteOptions extends NodeOptions {
  bundles?: readonly TestBundle[];
  /** Puts a card of this driver into the node. */
  driver?: string;
  algorithm?: KeyAlgorithm;
  auth?: Auth;
}

/** A mirror of practice bundles, signed with one key, and a node that has nothing yet. */
export async function installSite(options: SiteOptions = {}): Promise<InstallSite> {
  const { bundles = [practiceBundle()], driver, algorithm, auth } = options;
  const pair = newPair(algorithm);
  const store = await servedStore(await tmpDir());
  for (const bundle of bundles) await store.add(bundle, { signers: [pair.signer] });
  const mirror = await practiceMirror(store.root, auth === undefined ? {} : { auth });
  const node = await practiceNode(options);
  if (driver !== undefined) await node.program("nvidia-smi", nvidiaSmi(driver, "8.9"));
  const pub = join(node.folder, "builder.pub");
  await writeFile(pub, pair.publicPem);
  const at = (...parts: string[]): string => join(node.prefix, ...parts);
  const env = { FERRY_PRACTICE_GPU: driver === undefined ? "0" : "1" };
  return {
    mirror,
    node,
    pair,
    pub,
    at,
    install: (args, more = {}) =>
      node.run([...args, "--mirror", mirror.url, "--prefix", node.prefix], {
        ...more,
        env: { ...env, ...more.env },
      }),
    version: async () => {
      const { code, stderr } = await node.start(["sh", at("bin", "llama-server"), "--version"]);
      return code === 0 ? (stderr.split("\n")[0] ?? "") : `code ${code}: ${stderr}`;
    },
    ferry: (...args) => node.start(["sh", at("bin", "ferry-install"), ...args], { env }),
  };
}

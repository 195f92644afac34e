import { resolve } from "node:path";
import { buildBundle } from "../../bundle/build.ts";
import { readLock } from "../../bundle/lock.ts";
import type { Guards } from "../../bundle/prepare.ts";
import { readSpec } from "../../bundle/spec.ts";
import { formatBytes } from "../../lib/size.ts";
import type { Context } from "../context.ts";
import { findSpec } from "../find-spec.ts";
import type { BuildFlags } from "../flags.ts";
import { loadSigners } from "../load-signers.ts";
import { readBundleDocument } from "../open-bundle.ts";
import { withWorkbench } from "../workbench.ts";

/** Reads everything that the user named before the first request leaves: a wrong passphrase costs no download. */
export async function buildCommand(context: Context, name: string, flags: BuildFlags): Promise<void> {
  const spec = await readSpec(await findSpec(context, name));
  const signers = await loadSigners(context, flags.signKey, flags.passphraseFile);
  const guards = await readGuards(context, flags);
  const built = await withWorkbench(context, flags, ({ config, table, releases, store, door, python }) =>
    buildBundle({
      spec,
      table,
      releases,
      store,
      door,
      guards,
      signers,
      githubUrl: config.github.url,
      logger: context.logger,
      clock: context.clock,
      signal: context.signal,
      random: Math.random,
      jobs: flags.jobs,
      connections: flags.connections,
      output: outputPath(context, flags.output),
      sourceDateEpoch: config.sourceDateEpoch,
      python,
      proveClosure: flags.skipClosure === true ? undefined : python.prove,
    }),
  );
  if (signers.length === 0) {
    context.logger.warn(
      "the bundle is NOT signed: a mirror will refuse it. Make a key with: ferry keys new --out NAME, and build again with --sign-key NAME.key",
    );
  }
  const { document, manifestDigest, signedBy, bytes } = built;
  const missing =
    document.missing.length === 0 ? "" : `\n  MISSING (allowed): ${document.missing.length} builds`;
  await context.write(
    `${flags.output}: bundle ${document.name} ${document.counter}\n  manifest:  ${manifestDigest}\n  holds:     ${document.builds.length} builds, ${document.files.length} files, ${formatBytes(bytes)}\n  signed by: ${signedBy.length === 0 ? "nobody" : signedBy.join(", ")}${missing}\n`,
  );
}

async function readGuards(context: Context, flags: BuildFlags): Promise<Guards> {
  const lock =
    flags.locked === undefined
      ? undefined
      : { lock: await readLock(resolve(context.cwd, flags.locked)), path: flags.locked };
  const earlier: Guards["earlier"][number][] = [];
  for (const bundle of flags.previous) {
    const { files, name, counter } = await readBundleDocument(context, bundle);
    earlier.push({ where: `bundle ${name} ${counter} (${bundle})`, files });
  }
  return {
    lock,
    earlier,
    acceptChanged: flags.acceptChanged === true,
    allowMissing: flags.allowMissing === true,
  };
}

/** Absolute, with the slash at the end kept: it is what says "a folder". */
function outputPath(context: Context, output: string): string {
  const path = resolve(context.cwd, output);
  return output.endsWith("/") && !path.endsWith("/") ? `${path}/` : path;
}

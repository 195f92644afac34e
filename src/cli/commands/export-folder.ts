import { resolve } from "node:path";
import { exportFolder } from "../../bundle/export-folder.ts";
import type { Context } from "../context.ts";
import type { ExportFolderFlags } from "../flags.ts";
import { loadVerifiers } from "../load-keys.ts";
import { withBundle } from "../open-bundle.ts";
import { renderExportFolder } from "../render/export-folder.ts";

export async function exportFolderCommand(
  context: Context,
  [bundle, engine, version]: readonly [string, string, string],
  { key, allowUnsigned = false, arch, variant, output }: ExportFolderFlags,
): Promise<void> {
  const { logger, signal } = context;
  const verifiers = await loadVerifiers(context, key);
  const trust = verifiers.length === 0 ? "unsigned-ok" : { verifiers, allowUnsigned };
  if (trust === "unsigned-ok") {
    logger.warn(
      "the bundle's signature is NOT checked, and what is in the folder will be run: give --key PUB.pem, the builder's public key",
    );
  }
  const options = { output: resolve(context.cwd, output), logger, signal };
  const report = await withBundle(context, bundle, (source) =>
    exportFolder(source, trust, { engine, version, arch, variant }, options),
  );
  await context.write(renderExportFolder(report));
}

import { renderSbom } from "../../bundle/sbom.ts";
import type { Context } from "../context.ts";
import { readBundleMetadata } from "../open-bundle.ts";

export async function sbomCommand(context: Context, bundle: string): Promise<void> {
  const { document, manifestDigest } = await readBundleMetadata(context, bundle);
  await context.write(`${JSON.stringify(renderSbom(document, manifestDigest), null, 2)}\n`);
}

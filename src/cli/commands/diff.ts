import { diffDocuments } from "../../bundle/diff.ts";
import type { Context } from "../context.ts";
import type { JsonFlag } from "../flags.ts";
import { readBundleDocument } from "../open-bundle.ts";
import { renderDiff } from "../render/diff.ts";

export async function diffCommand(
  context: Context,
  before: string,
  after: string,
  flags: JsonFlag,
): Promise<void> {
  const report = diffDocuments(
    await readBundleDocument(context, before),
    await readBundleDocument(context, after),
  );
  await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : renderDiff(report));
}

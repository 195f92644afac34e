import { inspectBundle } from "../../bundle/inspect.ts";
import type { Context } from "../context.ts";
import type { InspectFlags } from "../flags.ts";
import { loadVerifiers } from "../load-keys.ts";
import { withBundle } from "../open-bundle.ts";
import { renderInspect } from "../render/inspect.ts";

export async function inspectCommand(context: Context, bundle: string, flags: InspectFlags): Promise<void> {
  const verifiers = flags.key.length === 0 ? undefined : await loadVerifiers(context, flags.key);
  const report = await withBundle(context, bundle, (source) => inspectBundle(source, verifiers));
  await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : renderInspect(report));
}

import { availableParallelism } from "node:os";
import { z } from "zod";
import { importBundle } from "../../bundle/import.ts";
import { ImportReport } from "../../bundle/import-report.ts";
import { FerryError } from "../../errors.ts";
import type { LayoutStore } from "../../store/layout-store.ts";
import type { Verifier } from "../../trust/verifier.ts";
import type { Context } from "../context.ts";
import type { ImportFlags } from "../flags.ts";
import { loadVerifiers } from "../load-keys.ts";
import { withBundle } from "../open-bundle.ts";
import { withStore } from "../open-store.ts";
import { renderImport } from "../render/import.ts";

/** `ferry import --json`: what became of each bundle, in the given order. */
export const ImportsReport = z.strictObject({ store: z.string(), imports: z.array(ImportReport) });
export type ImportsReport = z.infer<typeof ImportsReport>;

/** Imports one bundle after the other; the first that fails ends it, and those before it stay imported. */
export async function importCommand(
  context: Context,
  bundles: readonly string[],
  flags: ImportFlags,
): Promise<void> {
  requireUsable(bundles, flags);
  const trust = await loadVerifiers(context, flags.key);
  await withStore(context, flags, "new or existing", async (store) => {
    const imports: ImportReport[] = [];
    try {
      for (const bundle of bundles) {
        const report = await importOne(context, store, bundle, trust, flags);
        imports.push(report);
        if (flags.json !== true) await context.write(renderImport(report));
      }
    } finally {
      const report: ImportsReport = { store: store.root, imports };
      if (flags.json === true && imports.length > 0) await context.write(`${JSON.stringify(report)}\n`);
    }
  });
}

function importOne(
  context: Context,
  store: LayoutStore,
  bundle: string,
  trust: readonly Verifier[],
  { allowUnsigned = false, allowOlder = false, prefer }: ImportFlags,
): Promise<ImportReport> {
  const { clock, logger, signal } = context;
  const concurrency = availableParallelism();
  return withBundle(context, bundle, (source) =>
    importBundle(source, {
      store,
      trust,
      allowUnsigned,
      allowOlder,
      prefer,
      concurrency,
      clock,
      logger,
      signal,
    }),
  );
}

function requireUsable(bundles: readonly string[], flags: ImportFlags): void {
  if (flags.key.length === 0 && flags.allowUnsigned !== true) {
    throw new FerryError(
      "USAGE",
      "import needs the public key that you trust: --key PUB.pem, or a folder of keys",
      {
        hint: "It is the .pub file that `ferry keys new` wrote on the builder. --allow-unsigned takes bundles that nobody vouches for.",
      },
    );
  }
  if (bundles.filter((bundle) => bundle === "-").length > 1) {
    throw new FerryError("USAGE", "standard input (-) can be read only once");
  }
}

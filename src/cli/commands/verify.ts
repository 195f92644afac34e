import { availableParallelism } from "node:os";
import { verifyBundle } from "../../bundle/verify.ts";
import { FerryError } from "../../errors.ts";
import type { Context } from "../context.ts";
import type { VerifyFlags } from "../flags.ts";
import { loadVerifiers } from "../load-keys.ts";
import { withBundle } from "../open-bundle.ts";
import { renderVerify } from "../render/verify.ts";

export async function verifyCommand(context: Context, bundle: string, flags: VerifyFlags): Promise<void> {
  if (flags.key.length === 0) {
    throw new FerryError("USAGE", "verify needs the public key that you trust: --key PUB.pem", {
      hint: "It is the .pub file that `ferry keys new` wrote beside the signing key.",
    });
  }
  const verifiers = await loadVerifiers(context, flags.key);
  const { logger, signal } = context;
  const report = await withBundle(context, bundle, (source) =>
    verifyBundle(source, verifiers, { concurrency: availableParallelism(), logger, signal }),
  );
  await context.write(flags.json === true ? `${JSON.stringify(report)}\n` : renderVerify(report));
}

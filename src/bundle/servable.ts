import { FerryError } from "../errors.ts";
import { MirrorPath } from "./document-values.ts";

/** Refuses a name that no mirror could serve: with a backslash, a control character, or parts that climb. */
export function requireServable(path: string): void {
  const parsed = MirrorPath.safeParse(path);
  if (parsed.success) return;
  const why = parsed.error.issues[0]?.message ?? "unservable";
  throw new FerryError(
    "UPSTREAM_MALFORMED",
    `upstream names an asset ${JSON.stringify(path)}, which ${why}`,
    {
      hint: "GitHub allows no such names: a proxy or a faulty mirror may answer in its place.",
    },
  );
}

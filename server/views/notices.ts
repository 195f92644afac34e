import type { CatalogProblem } from "../catalog-watch.ts";
import type { BundleModel } from "./bundles-model.ts";
import { count, listed } from "./words.ts";

/** What an operator must see first. */
export interface Notice {
  level: "danger" | "warning";
  title: string;
  words: string;
}

export function noticesOf(bundles: readonly BundleModel[], problem: CatalogProblem | undefined): Notice[] {
  const titles = (of: (bundle: BundleModel) => boolean): string[] =>
    bundles.filter(of).map(({ title }) => title);
  const unsigned = titles(({ signing }) => signing.state === "unsigned");
  const unchecked = titles(({ signing }) => signing.state === "unchecked");
  const waiting = bundles.filter(({ absent }) => absent > 0);
  return [
    ...(problem === undefined ? [] : [storeNotice(problem)]),
    ...(unsigned.length === 0 ? [] : [unsignedNotice(unsigned)]),
    ...(unchecked.length === 0 ? [] : [uncheckedNotice(unchecked)]),
    ...waiting.map(waitingNotice),
  ];
}

function storeNotice({ message, hint, since }: CatalogProblem): Notice {
  const rest = hint === undefined ? "" : ` ${hint}`;
  return {
    level: "danger",
    title: "The store cannot be read",
    words: `${message}. This page shows what was readable before ${new Date(since).toISOString()}.${rest}`,
  };
}

function unsignedNotice(titles: readonly string[]): Notice {
  return {
    level: "danger",
    title: titles.length === 1 ? "Unsigned bundle" : "Unsigned bundles",
    words:
      `Nobody signed ${listed(titles)}: anybody may have made it, and it was imported with --allow-unsigned. ` +
      "What comes from it is only as good as the medium that brought it.",
  };
}

function uncheckedNotice(titles: readonly string[]): Notice {
  return {
    level: "warning",
    title: "Signature not checked",
    words: `${listed(titles)} was never imported, so no signature was checked here. Import it with --key PUB.pem.`,
  };
}

function waitingNotice({ title, absent, files }: BundleModel): Notice {
  return {
    level: "warning",
    title: "Incomplete bundle",
    words: `${absent} of ${count(files, "file")} of ${title} are not here yet. Import its remaining volumes.`,
  };
}

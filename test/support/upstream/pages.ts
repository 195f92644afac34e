import type { Ask } from "./exchange.ts";

export interface Page<T> {
  items: T[];
  /** The Link header, or undefined where one page holds everything. */
  link: string | undefined;
}

/**
 * One page of a list by `per_page` (default 30, at most 100) and `page`. `base` is the list's own absolute address, which
 * GitHub writes with the repository's number in place of its name.
 */
export function pageOf<T>(ask: Ask, all: readonly T[], base: string): Page<T> {
  const perPage = Math.min(100, number(ask.query.get("per_page"), 30));
  const page = number(ask.query.get("page"), 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const to = (target: number, rel: string): string =>
    `<${base}?per_page=${perPage}&page=${target}>; rel="${rel}"`;
  const links = [
    ...(page > 1 ? [to(page - 1, "prev")] : []),
    ...(page < last ? [to(page + 1, "next"), to(last, "last")] : []),
    ...(page > 1 ? [to(1, "first")] : []),
  ];
  return {
    items: all.slice((page - 1) * perPage, page * perPage),
    link: last > 1 ? links.join(", ") : undefined,
  };
}

function number(text: string | null, fallback: number): number {
  return text !== null && /^[1-9]\d*$/.test(text) ? Number(text) : fallback;
}

/** A page of a list as GitHub cuts it: 30 an item page by default, 100 at most, counted from 1. */
export interface Page<T> {
  items: readonly T[];
  /** The Link header with absolute addresses, or undefined where there is one page only. */
  link: string | undefined;
}

/** `url` is absolute and without query. What is no number counts as not given, as GitHub has it. */
export function paginate<T>(all: readonly T[], query: URLSearchParams, url: string): Page<T> {
  const perPage = Math.min(whole(query.get("per_page")) ?? 30, 100);
  const page = whole(query.get("page")) ?? 1;
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const to = (target: number, rel: string): string =>
    `<${url}?per_page=${perPage}&page=${target}>; rel="${rel}"`;
  const links = [
    ...(page > 1 ? [to(Math.min(page - 1, last), "prev")] : []),
    ...(page < last ? [to(page + 1, "next"), to(last, "last")] : []),
    ...(page > 1 ? [to(1, "first")] : []),
  ];
  return {
    items: all.slice((page - 1) * perPage, page * perPage),
    link: last === 1 && page === 1 ? undefined : links.join(", "),
  };
}

function whole(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/**
 * Looks over the page it is run in, as a browser shows it, and returns what is wrong in words. Source for
 * `page.evaluate`: it runs in the browser, whose types are not ours.
 */
export const AUDIT = `(() => {
  const wrong = [];
  const name = (element) => "<" + element.tagName.toLowerCase() + "> " + (element.id || element.className || element.textContent.trim().slice(0, 40));
  const all = (selector) => [...document.querySelectorAll(selector)];

  if (document.documentElement.lang !== "en") wrong.push("no lang");
  if (document.title.trim() === "") wrong.push("no title");
  for (const tag of ["h1", "main", "header", "footer"]) {
    if (all(tag).length !== 1) wrong.push(all(tag).length + " " + tag);
  }
  let level = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) wrong.push("heading skips a level: " + name(heading));
    level = next;
  }
  const ids = all("[id]").map(({ id }) => id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push("id twice: " + id);
  for (const element of all("[aria-labelledby]")) {
    if (!ids.includes(element.getAttribute("aria-labelledby"))) wrong.push("labelled by nothing: " + name(element));
  }
  for (const link of all('a[href^="#"]')) {
    if (!ids.includes(link.getAttribute("href").slice(1))) wrong.push("leads nowhere: " + name(link));
  }
  for (const element of all("a, button, summary")) {
    if ((element.getAttribute("aria-label") || element.textContent).trim() === "") wrong.push("no name: " + name(element));
  }
  for (const nav of all("nav, [role=region]")) if (!nav.getAttribute("aria-label")) wrong.push("no label: " + name(nav));
  for (const cell of all("th")) if (!cell.scope) wrong.push("no scope: " + name(cell));
  for (const table of all("table")) {
    if (table.tHead === null) wrong.push("table without head: " + name(table));
    const box = table.closest("[role=region]");
    if (box === null || box.tabIndex !== 0) wrong.push("table that no keyboard scrolls: " + name(table));
  }

  if (document.documentElement.scrollWidth > innerWidth) {
    wrong.push("page is wider than the window: " + document.documentElement.scrollWidth);
  }
  for (const element of all("body *")) {
    const { right, left, width } = element.getBoundingClientRect();
    if (width === 0 || element.closest(".skip, .unseen") !== null) continue;
    if ((right > innerWidth + 0.5 || left < -0.5) && element.closest(".scroll") === null) wrong.push("sticks out: " + name(element));
  }

  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3) return color;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  let measured = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const [fore, back] = [parse(getComputedStyle(element).color), behind(element)];
    const [low, high] = [light(fore), light(back)].sort((a, b) => a - b);
    measured++;
    const contrast = (high + 0.05) / (low + 0.05);
    const key = fore + " on " + back;
    if (contrast < 4.5 && !seen.has(key)) wrong.push("contrast " + contrast.toFixed(2) + ", " + key + ": " + name(element));
    seen.add(key);
  }
  if (measured < 10) wrong.push("only " + measured + " texts were measured");
  return wrong;
})()`;

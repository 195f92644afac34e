/**
 * The pages' one style sheet. It is part of every page: a page is one answer, whole without a second request, and the
 * policy that is sent with it admits exactly this text and no other style. System fonts only; colours of both schemes have
 * a contrast of 4.5 to 1 and more (test/e2e/page.test.ts measures it).
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f8; --card: #ffffff; --sunk: #eef0f3; --line: #d6dae0; --strong: #aab2bd;
  --text: #1b2026; --soft: #525c68; --accent: #0a5aa6; --mark: #0f6e7c;
  --ok: #17673a; --ok-back: #e2f3e8; --warn: #7a4a00; --warn-back: #fdf1d8; --bad: #a01b1b; --bad-back: #fde7e6;
  --mono: ui-monospace, SFMono-Regular, "Cascadia Mono", "Segoe UI Mono", Menlo, Consolas, "Liberation Mono",
    "DejaVu Sans Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101316; --card: #181c20; --sunk: #22272d; --line: #333a42; --strong: #525c68;
    --text: #e4e7eb; --soft: #a3adb9; --accent: #82bdf8; --mark: #6fd0de;
    --ok: #84d8a4; --ok-back: #15301f; --warn: #f0c170; --warn-back: #35280e; --bad: #ff9d97; --bad-back: #3d1917;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 var(--sans); }
.wrap { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
h1, h2, h3 { line-height: 1.25; margin: 0; letter-spacing: -0.01em; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.45rem, 1.15rem + 1.4vw, 1.95rem); font-weight: 650; }
h2 { font-size: 1.25rem; font-weight: 650; }
h3 { font-size: 1rem; font-weight: 650; }
p { margin: 0.5rem 0; max-width: 46rem; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
a:hover { text-decoration-thickness: 0.12em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.86em; }
.skip { position: absolute; left: -999rem; top: 0; background: var(--card); padding: 0.6rem 1rem; z-index: 1; }
.skip:focus { left: 0.5rem; top: 0.5rem; }

.top { background: var(--card); border-bottom: 1px solid var(--line); padding: 1.6rem 0 0; }
.brand { margin: 0 0 0.35rem; font-size: 0.8rem; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase;
  color: var(--mark); max-width: none; }
.brand a { color: inherit; text-decoration: none; }
.brand a:hover { text-decoration: underline; }
.lead { color: var(--soft); margin: 0.35rem 0 0; overflow-wrap: anywhere; }
.lead code { color: var(--text); }
.stats { display: flex; flex-wrap: wrap; gap: 0.4rem 2.4rem; margin: 1.1rem 0 0; }
.stats div { display: flex; flex-direction: column-reverse; }
.stats dt { color: var(--soft); font-size: 0.82rem; }
.stats dd { margin: 0; font-size: 1.2rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.toc { margin: 1.1rem 0 0; }
.toc ul { display: flex; flex-wrap: wrap; gap: 0 1.4rem; list-style: none; margin: 0; padding: 0; }
.toc a { display: block; padding: 0.5rem 0; text-decoration: none; font-size: 0.92rem; font-weight: 550; }
.toc a:hover { text-decoration: underline; }

main.wrap { padding-block: 1.6rem 2.5rem; }
section { margin: 0 0 2.4rem; }
section > h2 { margin-bottom: 0.4rem; }
.sub { margin-top: 1.3rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.7rem; }
.sub + .scroll, .sub + p { margin-top: 0.5rem; }
.soft, .none, .unit { color: var(--soft); }
.unit { font-size: 0.9em; }
.soft { font-size: 0.92rem; }

.notice { border: 1px solid; border-left-width: 5px; border-radius: 6px; padding: 0.75rem 1rem; margin: 0 0 0.75rem; }
.notice p { margin: 0.2rem 0 0; color: var(--text); max-width: 54rem; overflow-wrap: anywhere; }
.notice strong { display: block; }
.danger { background: var(--bad-back); border-color: var(--bad); color: var(--bad); }
.warning { background: var(--warn-back); border-color: var(--warn); color: var(--warn); }
.notices { margin-bottom: 1.8rem; }
.aside { margin-top: 0.9rem; }

.badge { display: inline-block; border-radius: 4px; padding: 0.08rem 0.45rem; font-size: 0.78rem; font-weight: 650;
  white-space: nowrap; line-height: 1.5; }
.badge.ok { background: var(--ok-back); color: var(--ok); }
.badge.warning, .badge.danger { border: 0; }
.badge.danger { outline: 1px solid var(--bad); text-transform: uppercase; letter-spacing: 0.03em; }
.badge.quiet { background: var(--sunk); color: var(--soft); }

.scroll { position: relative; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
  margin-top: 0.7rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; padding: 0.6rem 0.9rem 0; color: var(--soft); font-size: 0.85rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.9rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-size: 0.78rem; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; }
tbody th > a, tbody th.fix { font-weight: 550; }
th.group { background: var(--sunk); font-weight: 650; padding-block: 0.4rem; white-space: nowrap; }
th.group .badge { margin-left: 0.8rem; }
th.group a { font-weight: 450; font-size: 0.88em; margin-left: 0.8rem; }
.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.fix, time { white-space: nowrap; }
.wide { min-width: 15rem; }
.need { min-width: 10rem; }
.also { min-width: 17rem; }
td code, p code, summary code { white-space: nowrap; }
td.path code, .lead code, .label code { white-space: normal; overflow-wrap: anywhere; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.pin tbody th[scope="row"] { position: sticky; left: 0; background: var(--card); }
.stay { position: sticky; left: 0.9rem; }
.path { overflow-wrap: anywhere; min-width: 16rem; }
.digest { display: block; color: var(--soft); font-size: 0.78rem; overflow-wrap: anywhere; min-width: 13rem;
  font-weight: 400; }
.keys { display: block; }

.cmd { position: relative; margin: 0.3rem 0 0.9rem; }
.cmd pre { margin: 0; background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; padding: 0.7rem 0.85rem;
  white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; max-height: 22rem; overflow-y: auto; }
.cmd.live pre { padding-right: 5.2rem; }
.cmd button { position: absolute; right: 0.45rem; top: 0.45rem; font: 600 0.78rem/1 var(--sans); color: var(--accent);
  background: var(--card); border: 1px solid var(--strong); border-radius: 5px; padding: 0.42rem 0.6rem; cursor: pointer; }
.cmd button:hover { border-color: var(--accent); }
.label { margin: 0.9rem 0 0; font-size: 0.88rem; font-weight: 600; max-width: none; }
.label .soft { font-weight: 400; }
.tools { columns: 2 26rem; column-gap: 1rem; margin-top: 0.8rem; }
.tool { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1.1rem; margin: 0 0 1rem;
  break-inside: avoid; }
.tool p { font-size: 0.92rem; overflow-wrap: anywhere; }
.tool .label { font-size: 0.85rem; }
.tool .cmd:last-child { margin-bottom: 0.2rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.4rem; margin: 0.9rem 0 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
details { margin-top: 0.7rem; }
summary { cursor: pointer; color: var(--accent); font-weight: 550; padding: 0.3rem 0; }
footer { border-top: 1px solid var(--line); color: var(--soft); font-size: 0.88rem; padding: 1.1rem 0 2rem; }
footer ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; list-style: none; padding: 0; margin: 0 0 0.4rem; }
@media (max-width: 40rem) {
  .wrap { padding: 0 1rem; }
  th, td { padding: 0.45rem 0.7rem; }
  .stats { display: grid; grid-template-columns: repeat(3, auto); justify-content: start; gap: 0.6rem 1.8rem; }
  .stay { left: 0.7rem; }
  .stats dd { font-size: 1.1rem; }
  .toc ul { gap: 0 1.1rem; }
}
@media print {
  .toc, .cmd button, .skip { display: none; }
  .scroll { overflow: visible; }
  .cmd pre { max-height: none; }
}
`;

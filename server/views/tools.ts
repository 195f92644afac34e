import { type Html, html } from "./html.ts";
import { command, section } from "./parts.ts";
import type { ToolModel } from "./tools-model.ts";

/** Settings that point tools and agents at this mirror. */
export function toolsSection(tools: readonly ToolModel[]): Html {
  return section(
    "settings",
    "Settings for tools and agents",
    html`<div class="tools">${tools.map(toolHtml)}</div>`,
  );
}

function toolHtml({ title, words, commands }: ToolModel): Html {
  return html`<div class="tool"><h3>${title}</h3><p>${words}</p>${commands.map(
    ({ what, text, use }) =>
      html`<p class="label">${what}${use !== undefined && html` <code class="soft">${use}</code>`}</p>${command(`${title}: ${what}`, text)}`,
  )}</div>`;
}

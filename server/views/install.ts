import type { EngineModel, VersionModel } from "./engines-model.ts";
import { type Html, html } from "./html.ts";
import { badge, command, section } from "./parts.ts";
import { shellWord } from "./shell-word.ts";
import type { Site } from "./site.ts";

/** How a node gets an engine: the newest version of each that is here. */
export function installSection(engines: readonly EngineModel[], site: Site): Html {
  const known = engines.filter(({ tool }) => !tool);
  const example = known.flatMap(({ versions }) => versions).find(({ install }) => install !== undefined);
  return section(
    "install",
    "Install on a node",
    html`<p>The script looks at the machine, takes the best build that runs on it, checks every byte and keeps what worked before. Needed: sh, curl or wget, tar, and sha256sum or openssl.</p>`,
    site.guarded &&
      html`<p><strong>This mirror asks for a token.</strong> Put it into the node's environment first: <code>export FERRY_TOKEN=…</code></p>`,
    known.map(engineHtml),
    example !== undefined && otherWays(example, site),
  );
}

function engineHtml({ label, versions }: EngineModel): Html {
  const installable = versions.find(({ install }) => install !== undefined);
  if (installable?.install === undefined) {
    return html`<p class="label">${label} <span class="soft">cannot be installed from here: ${versions[0]?.why ?? "nothing of it is here"}.</span></p>`;
  }
  const what = `${label} ${installable.version}`;
  return html`<p class="label">${what}${installable.unsigned && html` ${badge("danger", "Unsigned")}`}</p>${command(what, installable.install)}`;
}

/** The same for who wants it a little different. */
function otherWays({ install = "", variants }: VersionModel, { base, guarded }: Site): Html {
  const script = shellWord(`${base}/install.sh`);
  const variant = variants.find(({ cells }) => cells.amd64.state === "here")?.variant ?? "";
  const ways: (readonly [string, string])[] = [
    ["See what would be done", `${install} --dry-run`],
    ["This build, and no other", `${install} --variant ${shellWord(variant)}`],
    ["Trust who signed instead of this mirror", `${install} --key PUB.pem`],
    ...(guarded
      ? []
      : [["With wget", install.replace(`curl -fsSL ${script}`, () => `wget -qO- ${script}`)] as const]),
  ];
  return html`<details><summary>Other versions, other ways</summary>
<p class="soft">Every version in the tables below is installed like this one.</p>
${ways.map(([what, text]) => html`<p class="label">${what}</p>${command(what, text)}`)}</details>`;
}

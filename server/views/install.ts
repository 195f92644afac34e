import type { EngineModel } from "./engines-model.ts";
import { type Html, html } from "./html.ts";
import { badge, command, section } from "./parts.ts";
import { shellWord } from "./shell-word.ts";

/** How a node gets an engine: the newest version of each that is here. */
export function installSection(engines: readonly EngineModel[], base: string, guarded: boolean): Html {
  const known = engines.filter(({ tool }) => !tool);
  const example = known.flatMap(({ versions }) => versions).find(({ install }) => install !== undefined);
  return section(
    "install",
    "Install on a node",
    html`<p>The script looks at the machine, takes the best build that runs on it, checks every byte and keeps what worked before. Needed: sh, curl or wget, tar, and sha256sum or openssl.</p>`,
    guarded &&
      html`<p><strong>This mirror asks for a token or password.</strong> Give it to every command, as curl does with <code>-H "Authorization: Bearer TOKEN"</code> or <code>-u USER</code>.</p>`,
    known.map(engineHtml),
    html`<p class="soft">Every version below is installed in the same way.</p>`,
    example?.install !== undefined && otherWays(example.install, base),
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

/** The same without curl, with a build of one's own choice, and without doing anything. */
function otherWays(install: string, base: string): Html {
  const address = shellWord(`${base}/install.sh`);
  return html`<details><summary>Without curl, another build, or only a look</summary>
<p class="label">With wget</p>${command(
    "install with wget",
    install.replace(`curl -fsSL ${address}`, () => `wget -qO- ${address}`),
  )}
<p class="label">A certain build</p>${command("install a certain build", `${install} --variant cpu`)}
<p class="label">See what would be done</p>${command("see what would be done", `${install} --dry-run`)}
</details>`;
}

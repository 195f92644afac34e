import { type Html, html } from "./html.ts";
import { command, section } from "./parts.ts";

/** What to do with a mirror that has nothing. */
export function emptySection(): Html {
  return section(
    "start",
    "Nothing has been imported yet",
    html`<p>This mirror serves what signed bundles bring. On the machine with its store:</p>
<p class="label">1. Bring a bundle in</p>
${command("import a bundle", "ferry import BUNDLE --key PUB")}
<p class="soft">BUNDLE is the tar that was carried here, or its folder; PUB the public key of who signed it, as PEM, or a folder of keys. Nothing is written before the signature is checked.</p>
<p class="label">2. Look at this page again</p>
<p class="soft">An import shows within a second, without a restart. A bundle is made on a connected machine with <code>ferry build</code> from a spec.</p>`,
  );
}

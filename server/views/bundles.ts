import { formatBytes } from "../../src/lib/size.ts";
import type { BundleModel, Signing } from "./bundles-model.ts";
import { type Html, html } from "./html.ts";
import { badge, command, section, table } from "./parts.ts";
import { timeHtml } from "./time.ts";
import { count, grouped, listed } from "./words.ts";

/** Which bundles are here, who signed them and when they came. */
export function bundlesSection(bundles: readonly BundleModel[]): Html {
  const head = html`<tr><th scope="col">Bundle</th><th scope="col">Signed by key</th><th scope="col">Made</th><th scope="col">Imported</th><th scope="col">Carries</th><th scope="col" class="num">Files</th><th scope="col" class="num">Size</th></tr>`;
  return section(
    "bundles",
    "Bundles",
    table("Bundles", head, html`<tbody>${bundles.map(bundleHtml)}</tbody>`, true),
    html`<details><summary>Compare a key with yours</summary><p class="soft">A key's id is the first 16 digits of the SHA-256 of its public half.</p>${command("the id of a key", "openssl pkey -pubin -in PUB.pem -outform DER | openssl dgst -sha256")}</details>`,
  );
}

function bundleHtml(bundle: BundleModel): Html {
  const { title, link, signing, created, imported, carries, files, bytes, absent } = bundle;
  return html`<tr><th scope="row" class="fix"><a href="${link}">${title}</a></th><td>${signingHtml(signing)}</td><td>${timeHtml(created)}</td><td>${timeHtml(imported)}</td><td class="wide">${
    carries.length === 0 ? "files of releases" : listed(carries, 8)
  }${absent > 0 && html` ${badge("warning", `${count(absent, "file")} not imported yet`)}`}</td><td class="num">${grouped(files)}</td><td class="num">${formatBytes(bytes)}</td></tr>
`;
}

function signingHtml(signing: Signing): Html {
  switch (signing.state) {
    case "unsigned":
      return badge("danger", "Unsigned");
    case "unchecked":
      return badge("warning", "Not checked");
    case "signed":
      return html`${signing.keys.map(
        ({ id, fingerprint }) =>
          html`<code class="keys fix"${fingerprint !== undefined && html` title="${fingerprint}"`}>${id}</code>`,
      )}`;
  }
}

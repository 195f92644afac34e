import type { Express, Request, Response } from "express";
import { DOCUMENT_MEDIA_TYPE } from "../../src/bundle/document.ts";
import type { Digest } from "../../src/lib/digest.ts";
import { signaturePayload } from "../../src/trust/cosign.ts";
import { keyRefFromFingerprint } from "../../src/trust/key-id.ts";
import { MEDIA_TYPE_MANIFEST } from "../../src/wire/oci.ts";
import { bundleJson, findBundle, inventoryJson } from "../bundle-json.ts";
import type { CatalogBundle } from "../catalog.ts";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { render, renderJson } from "../rendered.ts";

/** Small blobs of the store, read whole and hashed on the way. */
export type ReadSmall = (digest: Digest) => Promise<Buffer>;

/**
 * What the mirror carries, and the raw metadata of each bundle, so that a node can verify the signature by itself:
 * `payload` is what was signed, it names the digest of `manifest`, which names `document` and every file.
 */
export function bundleRoutes(app: Express, mirror: Mirror, readSmall: ReadSmall): void {
  const of =
    (answer: (request: Request, response: Response, bundle: CatalogBundle) => void | Promise<void>) =>
    async (request: Request, response: Response): Promise<void> => {
      const bundle = findBundle(exchangeOf(response).catalog, String(request.params["name"]));
      if (bundle === undefined) mirror.missing(request, response);
      else await answer(request, response, bundle);
    };

  app.get("/v1/inventory", (request, response) => {
    mirror.answer(request, response, renderJson(inventoryJson(exchangeOf(response).catalog)));
  });
  app.get("/v1/bundles", (request, response) => {
    const { catalog, base } = exchangeOf(response);
    mirror.answer(
      request,
      response,
      renderJson({ bundles: catalog.bundles.map((bundle) => bundleJson(bundle, base)) }),
    );
  });
  app.get(
    "/v1/bundles/:name",
    of((request, response, bundle) => {
      mirror.answer(request, response, renderJson(bundleJson(bundle, exchangeOf(response).base)));
    }),
  );
  app.get(
    "/v1/bundles/:name/manifest",
    of(async (request, response, { manifest }) => {
      mirror.answer(request, response, render(MEDIA_TYPE_MANIFEST, await readSmall(manifest.digest)));
    }),
  );
  app.get(
    "/v1/bundles/:name/document",
    of(async (request, response, { documentDigest }) => {
      mirror.answer(request, response, render(DOCUMENT_MEDIA_TYPE, await readSmall(documentDigest)));
    }),
  );
  app.get(
    "/v1/bundles/:name/payload",
    of((request, response, { manifest, signatures }) => {
      if (signatures.length === 0) mirror.missing(request, response);
      else mirror.answer(request, response, render("application/json", signaturePayload(manifest.digest)));
    }),
  );
  app.get(
    "/v1/bundles/:name/signatures/:key",
    of((request, response, { signatures }) => {
      const key = String(request.params["key"]);
      const found = signatures.find(
        ({ fingerprint }) => fingerprint === key || keyRefFromFingerprint(fingerprint).keyId === key,
      );
      if (found === undefined) mirror.missing(request, response);
      else mirror.answer(request, response, render("application/octet-stream", found.signature));
    }),
  );
}

import type { PracticeAsset } from "./asset.ts";
import type { Catalog, Repository } from "./catalog.ts";
import type { Content } from "./content.ts";
import { type Answer, type Ask, type Handler, segmentsOf, textAnswer } from "./exchange.ts";
import { parseRange } from "./ranges.ts";
import { checkSignature } from "./signed-url.ts";

const ASSETS = "github-production-release-asset";

/** The path of an asset on the blob host. The id stands in it, so a replaced asset's old address leads nowhere. */
export function blobPath(repository: Repository, asset: PracticeAsset): string {
  return `/${ASSETS}/${repository.id}/${asset.id}/${encodeURIComponent(asset.name)}`;
}

/** The path of a source archive, as codeload has it. */
export function sourcePath(repository: Repository, tag: string): string {
  return `/${repository.name}/tar.gz/refs/tags/${tag.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The host behind the redirects. It refuses any request that carries a token, reads a bare `+` in a path as a space as
 * object stores do, and wants a signature that still lives for assets.
 */
export function blobHandler(catalog: Catalog): Handler {
  return (ask) => {
    const parts = segmentsOf(ask.path.replaceAll("+", " "));
    if (parts === undefined) return errorXml(400, "InvalidUri", "the path is not valid percent-encoding");
    const asset = parts[0] === ASSETS && parts.length === 4;
    const source = parts.length > 5 && parts[2] === "tar.gz" && parts[3] === "refs" && parts[4] === "tags";
    if (!asset && !source) return undefined;
    if (ask.headers.authorization !== undefined) {
      return errorXml(
        400,
        "InvalidAuthenticationInfo",
        "this host takes its signed query and no Authorization header",
      );
    }
    return asset ? assetAnswer(catalog, ask, parts) : sourceAnswer(catalog, parts);
  };
}

/** What does not exist is said before the signature is looked at, so that a wrong name is never taken for an expiry. */
function assetAnswer(catalog: Catalog, ask: Ask, parts: readonly string[]): Answer {
  const [, repositoryId, assetId, name] = parts;
  const found = catalog
    .byId(Number(repositoryId))
    ?.releases.flatMap((release) => release.assets)
    .find((asset) => asset.id === Number(assetId) && asset.name === name);
  if (found === undefined) return errorXml(404, "BlobNotFound", "there is no such blob");
  const state = checkSignature(ask);
  if (state !== "good") return expiredAnswer(state);
  return contentAnswer(ask, found.content, {
    etag: etagOf(found),
    "last-modified": new Date(found.updatedAt).toUTCString(),
    "content-disposition": `attachment; filename=${found.name}`,
    "content-type": "application/octet-stream",
  });
}

/** What the host says to a signature that it does not take; the usual cause is that it expired. */
export function expiredAnswer(state: "missing" | "wrong" | "expired" = "expired"): Answer {
  return errorXml(403, "AuthenticationFailed", `the signature of this address is ${state}`);
}

/** A body that honours ranges and conditions. */
export function contentAnswer(ask: Ask, content: Content, entity: Record<string, string>): Answer {
  const headers = { ...entity, "accept-ranges": "bytes" };
  const { "if-match": match, "if-none-match": noneMatch, "if-range": ifRange } = ask.headers;
  if (match !== undefined && match !== entity["etag"]) return { status: 412, headers };
  if (noneMatch !== undefined && noneMatch === entity["etag"]) return { status: 304, headers };
  const current = ifRange === undefined || ifRange === entity["etag"] || ifRange === entity["last-modified"];
  const range = current ? parseRange(ask.headers.range, content.size) : undefined;
  if (range === undefined) return { status: 200, headers, body: content };
  if (range === "unsatisfiable") return unsatisfiable(content.size);
  const contentRange = `bytes ${range.start}-${range.end - 1}/${content.size}`;
  return { status: 206, headers: { ...headers, "content-range": contentRange }, body: content, span: range };
}

export function unsatisfiable(size: number): Answer {
  const answer = errorXml(416, "InvalidRange", "the range lies outside of the blob");
  answer.headers["content-range"] = `bytes */${size}`;
  return answer;
}

/** Made anew for every request upstream: no ranges, no length, no Last-Modified. */
function sourceAnswer(catalog: Catalog, parts: readonly string[]): Answer {
  const [owner = "", name = ""] = parts;
  const tag = parts.slice(5).join("/");
  const content = catalog.repository(`${owner}/${name}`)?.sources.get(tag);
  if (content === undefined) return textAnswer(404, "404: Not Found");
  return {
    status: 200,
    headers: {
      "content-type": "application/x-gzip",
      "content-disposition": `attachment; filename=${name}-${tag.replace(/^v(?=\d)/, "").replaceAll("/", "-")}.tar.gz`,
      etag: `W/"${content.digest.slice("sha256:".length)}"`,
      vary: "Authorization,Accept-Encoding,Origin",
    },
    body: content,
    chunked: true,
  };
}

/** Not the bytes' hash: a number that changes with each upload, as the object store behind GitHub has it. */
function etagOf(asset: PracticeAsset): string {
  return `"0x8D${asset.id.toString(16).toUpperCase().padStart(12, "0")}"`;
}

function errorXml(status: number, code: string, message: string): Answer {
  const xml = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return textAnswer(status, xml, "application/xml");
}

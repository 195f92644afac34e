import { hexOf } from "../../../src/lib/digest.ts";
import type { Distribution } from "./wheel.ts";

/** How an index speaks of a file; whatever is left out, it says as it should. */
export interface Listing {
  /** `2026-01-01T00:00:00Z`; null: the page has no time. */
  uploadedAt?: string | null;
  yanked?: string | true;
  /** `none`: the page has no hash; `wrong`: it has another file's. */
  hash?: "none" | "wrong";
  /** false: the page does not offer the metadata by itself, so clients read the wheel's end by ranges. */
  coreMetadata?: boolean;
  /** The page's links begin with `http://…`. */
  absolute?: boolean;
}

export interface Listed {
  distribution: Distribution;
  listing: Listing;
  /** Path of the file, decoded, with the leading slash. */
  path: string;
}

export const WRONG_HASH = "0".repeat(64);

/** PEP 691, as the default index answers it: fields that are not known are left out. */
export function jsonPage(project: string, listed: readonly Listed[], origin: string): string {
  const versions = [...new Set(listed.map(({ distribution }) => distribution.version))];
  const files = listed.map(({ distribution, listing, path }) => {
    const hash = hashOf(distribution, listing);
    const { uploadedAt = "2026-01-01T00:00:00Z", yanked } = listing;
    return {
      filename: distribution.filename,
      url: addressOf(path, listing, origin),
      hashes: hash === undefined ? {} : { sha256: hash },
      size: distribution.bytes.length,
      ...(uploadedAt === null ? {} : { "upload-time": uploadedAt }),
      ...(yanked === undefined ? {} : { yanked }),
      ...(distribution.requiresPython === undefined
        ? {}
        : { "requires-python": distribution.requiresPython }),
      ...(offersMetadata(distribution, listing) ? { "core-metadata": true } : {}),
    };
  });
  return JSON.stringify({ meta: { "api-version": "1.1" }, name: project, versions, files });
}

/** A page as PyTorch's index has it: no sizes, no Python versions, `+` as `%2B`. */
export function htmlPage(project: string, listed: readonly Listed[], origin: string): string {
  const anchors = listed.map(({ distribution, listing, path }) => {
    const hash = hashOf(distribution, listing);
    const { uploadedAt = "2026-01-01T00:00:00Z", yanked } = listing;
    const attributes = [
      `href="${addressOf(path, listing, origin)}${hash === undefined ? "" : `#sha256=${hash}`}"`,
      ...(uploadedAt === null ? [] : [`data-upload-time="${uploadedAt}"`]),
      ...(yanked === undefined ? [] : [`data-yanked="${yanked === true ? "" : yanked}"`]),
      ...(offersMetadata(distribution, listing)
        ? ['data-dist-info-metadata="true"', 'data-core-metadata="true"']
        : []),
    ];
    return `    <a ${attributes.join(" ")}>${distribution.filename}</a><br/>`;
  });
  return `<!DOCTYPE html>\n<html>\n  <body>\n    <h1>Links for ${project}</h1>\n${anchors.join("\n")}\n  </body>\n</html>\n`;
}

export function offersMetadata(distribution: Distribution, listing: Listing): boolean {
  return distribution.metadata !== undefined && listing.coreMetadata !== false;
}

function addressOf(path: string, listing: Listing, origin: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return listing.absolute === true ? `${origin}${encoded}` : encoded;
}

function hashOf(distribution: Distribution, listing: Listing): string | undefined {
  if (listing.hash === "none") return undefined;
  return listing.hash === "wrong" ? WRONG_HASH : hexOf(distribution.digest);
}

import type { Digest } from "../../../src/lib/digest.ts";
import { stableNumber } from "../archives/random.ts";
import type { Content } from "./content.ts";

/** `starter` and `open` are uploads under way or given up; GitHub names all three. */
export type AssetState = "uploaded" | "starter" | "open";

/** GitHub publishes digests of what was uploaded since then, and of nothing older. */
const DIGESTS_SINCE = "2025-06-03";

/** One asset of a practice release. Identity and times are functions of its name and of how often it was replaced. */
export class PracticeAsset {
  readonly name: string;
  content: Content;
  state: AssetState = "uploaded";
  /** What the API says in place of the content's size, as for an upload that has only begun. */
  claimedSize: number | undefined;
  readonly contentType: string;
  readonly #place: string;
  readonly #publishedAt: string;
  #revision = 0;
  #digest: Digest | null | undefined;

  /** `place` is `owner/repo/tag`, the rest as in the release. */
  constructor(place: string, publishedAt: string, name: string, content: Content) {
    this.name = name;
    this.content = content;
    this.contentType = contentTypeOf(name);
    this.#place = place;
    this.#publishedAt = publishedAt;
    if (publishedAt < DIGESTS_SINCE) this.#digest = null;
  }

  get id(): number {
    return 100_000_000 + stableNumber(`${this.#place}/${this.name}#${this.#revision}`, 2_000_000_000);
  }

  get size(): number {
    return this.claimedSize ?? this.content.size;
  }

  /** What the API publishes: the content's own digest unless set otherwise; null where none is published. */
  get digest(): Digest | null {
    if (this.state !== "uploaded") return null;
    return this.#digest === undefined ? this.content.digest : this.#digest;
  }

  set digest(digest: Digest | null | undefined) {
    this.#digest = digest;
  }

  /** When its upload ended: within an hour after the publication, a day later with each replacement. */
  get updatedAt(): string {
    const seconds = stableNumber(`${this.#place}/${this.name}`, 3_600) + this.#revision * 86_400;
    return isoSeconds(Date.parse(this.#publishedAt) + seconds * 1_000);
  }

  get createdAt(): string {
    return isoSeconds(Date.parse(this.updatedAt) - 2_000);
  }

  /** The same name with other bytes, as an upload with `--clobber` does it: new id, digest and time. */
  replace(content: Content): void {
    this.content = content;
    this.#revision++;
  }
}

/** ISO 8601 in whole seconds, as GitHub writes times. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

function contentTypeOf(name: string): string {
  if (name.endsWith(".gz")) return "application/gzip";
  if (name.endsWith(".zip")) return "application/zip";
  if (name.endsWith(".json")) return "application/json";
  return name.endsWith(".txt") ? "text/plain" : "application/octet-stream";
}

import { stableNumber } from "../archives/random.ts";
import { type AssetState, isoSeconds, PracticeAsset } from "./asset.ts";
import { bytesContent, type Content } from "./content.ts";
import { practiceContent } from "./practice-content.ts";

/** What a release starts as. */
export interface ReleaseSeed {
  /** `owner/name` */
  repo: string;
  tag: string;
  /** ISO 8601. Before June 2025 no digest is published. */
  publishedAt: string;
  prerelease?: boolean;
  draft?: boolean;
  /** In the API's order. Strings and buffers are small contents; without one, practice bytes that suit the name. */
  assets: readonly { name: string; content?: Content | Uint8Array | string }[];
}

/** A release that tests change while it is served; every change is seen by the next request. */
export class PracticeRelease {
  readonly repo: string;
  readonly tag: string;
  readonly id: number;
  readonly publishedAt: string;
  readonly prerelease: boolean;
  readonly draft: boolean;
  #assets: PracticeAsset[] = [];

  constructor(seed: ReleaseSeed) {
    this.repo = seed.repo;
    this.tag = seed.tag;
    this.id = 10_000_000 + stableNumber(`${seed.repo}@${seed.tag}`, 300_000_000);
    this.publishedAt = isoSeconds(Date.parse(seed.publishedAt));
    this.prerelease = seed.prerelease ?? false;
    this.draft = seed.draft ?? false;
    for (const { name, content } of seed.assets) this.addAsset(name, content);
  }

  /** The tagged commit's date, some time before the publication. */
  get createdAt(): string {
    return isoSeconds(Date.parse(this.publishedAt) - 1_800_000);
  }

  get assets(): readonly PracticeAsset[] {
    return this.#assets;
  }

  find(name: string): PracticeAsset | undefined {
    return this.#assets.find((asset) => asset.name === name);
  }

  /** The asset of that name; throws where there is none, since a test that names one expects it. */
  asset(name: string): PracticeAsset {
    const found = this.find(name);
    if (found === undefined) throw new Error(`${this.repo}@${this.tag} has no asset ${name}`);
    return found;
  }

  addAsset(name: string, content?: Content | Uint8Array | string): PracticeAsset {
    if (this.find(name) !== undefined) {
      throw new Error(`${this.repo}@${this.tag} has an asset ${name} already`);
    }
    const practice = (): Content => practiceContent({ repo: this.repo, tag: this.tag, name, size: 4_096 });
    const asset = new PracticeAsset(
      `${this.repo}/${this.tag}`,
      this.publishedAt,
      name,
      content === undefined ? practice() : contentOf(content),
    );
    this.#assets.push(asset);
    return asset;
  }

  removeAsset(name: string): void {
    const gone = this.asset(name);
    this.#assets = this.#assets.filter((asset) => asset !== gone);
  }

  /** Removes every asset whose name matches; throws where none does. */
  removeAssets(pattern: RegExp): void {
    for (const name of this.#matching(pattern)) this.removeAsset(name);
  }

  /** B18: other bytes under the same name, with a new id, digest and upload time. */
  replaceAsset(name: string, content: Content | Uint8Array | string): PracticeAsset {
    const asset = this.asset(name);
    asset.replace(contentOf(content));
    return asset;
  }

  /** B17: `null` is what GitHub says of old uploads; `undefined` goes back to the content's own. */
  setDigest(name: string, digest: PracticeAsset["digest"] | undefined): void {
    this.asset(name).digest = digest;
  }

  /** B13: an upload under way claims the size given, 0 unless told. Its download answers 404. */
  setState(
    name: string,
    state: AssetState,
    claimedSize: number | undefined = state === "uploaded" ? undefined : 0,
  ): void {
    const asset = this.asset(name);
    asset.state = state;
    asset.claimedSize = claimedSize;
  }

  /** B15: a family that moved, `renameAssets("cuda-13.4", "cuda-13.5")`; the archives are built anew for their names. */
  renameAssets(from: string, to: string): void {
    this.copyAssets(from, to);
    for (const { name } of this.#assets.filter((asset) => asset.name.includes(from))) this.removeAsset(name);
  }

  /** B15: both members of a family at once. */
  copyAssets(from: string, to: string): void {
    const names = this.#assets.map((asset) => asset.name).filter((name) => name.includes(from));
    if (names.length === 0) throw new Error(`${this.repo}@${this.tag} has no asset named like ${from}`);
    for (const name of names) {
      const copy = name.replaceAll(from, to);
      const { size } = this.asset(name).content;
      this.addAsset(copy, practiceContent({ repo: this.repo, tag: this.tag, name: copy, size }));
    }
  }

  #matching(pattern: RegExp): string[] {
    const names = this.#assets.map((asset) => asset.name).filter((name) => pattern.test(name));
    if (names.length === 0) throw new Error(`${this.repo}@${this.tag} has no asset like ${String(pattern)}`);
    return names;
  }
}

function contentOf(content: Content | Uint8Array | string): Content {
  return typeof content === "string" || content instanceof Uint8Array ? bytesContent(content) : content;
}

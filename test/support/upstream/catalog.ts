import { stableNumber } from "../archives/random.ts";
import { sourceArchive } from "../archives/source.ts";
import { bytesContent, type Content, lazyContent } from "./content.ts";
import { PracticeRelease, type ReleaseSeed } from "./release.ts";

export interface Repository {
  /** `owner/name` as it is spelled today. */
  readonly name: string;
  readonly id: number;
  readonly releases: PracticeRelease[];
  /** Source archives by tag; the tag of every release has one. */
  readonly sources: Map<string, Content>;
}

/** Owners that were renamed; the old path still leads to the repository, by redirect. */
const RENAMED: Readonly<Record<string, string>> = {
  "ggerganov/llama.cpp": "ggml-org/llama.cpp",
  "comfyanonymous/comfyui": "Comfy-Org/ComfyUI",
  "indygreg/python-build-standalone": "astral-sh/python-build-standalone",
};

/** Every repository that the practice upstream knows. Owner and name are case-insensitive, tags and assets are not. */
export class Catalog {
  readonly #repositories = new Map<string, Repository>();

  add(seed: ReleaseSeed): PracticeRelease {
    const repository = this.#repository(seed.repo);
    if (repository.releases.some((release) => release.tag === seed.tag)) {
      throw new Error(`${seed.repo}@${seed.tag} exists already`);
    }
    const release = new PracticeRelease(seed);
    repository.releases.push(release);
    if (!repository.sources.has(seed.tag)) this.addSource(seed.repo, seed.tag);
    return release;
  }

  /** A tag with a source archive; practice bytes unless given. */
  addSource(repo: string, tag: string, bytes?: Uint8Array): Content {
    const built = (): Content => lazyContent(`source:${repo}@${tag}`, () => sourceArchive(repo, tag));
    const content = bytes === undefined ? built() : bytesContent(bytes);
    this.#repository(repo).sources.set(tag, content);
    return content;
  }

  /** By today's name only: what a renamed one leads to is `renamed`'s to say. */
  repository(name: string): Repository | undefined {
    return this.#repositories.get(name.toLowerCase());
  }

  renamed(name: string): Repository | undefined {
    const today = RENAMED[name.toLowerCase()];
    return today === undefined ? undefined : this.repository(today);
  }

  byId(id: number): Repository | undefined {
    return [...this.#repositories.values()].find((repository) => repository.id === id);
  }

  /** The release of a test's choice, whatever its state; throws where there is none. */
  release(repo: string, tag: string): PracticeRelease {
    const found = this.repository(repo)?.releases.find((release) => release.tag === tag);
    if (found === undefined) throw new Error(`the practice upstream has no release ${repo}@${tag}`);
    return found;
  }

  #repository(name: string): Repository {
    const known = this.repository(name);
    if (known !== undefined) return known;
    const id = 1_000_000 + stableNumber(`repository ${name.toLowerCase()}`, 900_000_000);
    const fresh: Repository = { name, id, releases: [], sources: new Map() };
    this.#repositories.set(name.toLowerCase(), fresh);
    return fresh;
  }
}

/** What the public sees, newest first, as the list of releases shows it. */
export function publicReleases(repository: Repository): PracticeRelease[] {
  return repository.releases
    .filter((release) => !release.draft)
    .sort((a, b) => (a.publishedAt < b.publishedAt ? 1 : a.publishedAt > b.publishedAt ? -1 : 0));
}

/** The newest release that is neither draft nor prerelease. */
export function latestRelease(repository: Repository): PracticeRelease | undefined {
  return publicReleases(repository).find((release) => !release.prerelease);
}

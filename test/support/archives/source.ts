import { randomBytesOf } from "./random.ts";
import { tarGzOf } from "./tar-gz.ts";

/** The top folder of a tag's source archive: the repository's name and the tag without its `v`. */
export function sourceTop(repo: string, tag: string): string {
  const name = repo.split("/")[1] ?? repo;
  return `${name}-${tag.replace(/^v(?=\d)/, "").replaceAll("/", "-")}`;
}

/** A source archive as `/archive/refs/tags/TAG.tar.gz` gives it: a Python program with its requirements. */
export function sourceArchive(repo: string, tag: string, size = 4_096): Buffer {
  const top = sourceTop(repo, tag);
  return tarGzOf([
    { path: `${top}/`, type: "Directory" },
    { path: `${top}/README.md`, content: `# ${repo} ${tag}\n` },
    { path: `${top}/main.py`, content: `print(${JSON.stringify(`${repo} ${tag}`)})\n` },
    { path: `${top}/requirements.txt`, content: "aiohttp>=3.12\nsafetensors>=0.6\n" },
    { path: `${top}/web/index.bin`, content: randomBytesOf(`${repo}@${tag}`, Math.max(64, size - 4_096)) },
  ]);
}

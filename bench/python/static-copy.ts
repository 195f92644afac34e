import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { metadataPath } from "../../src/bundle/document-python.ts";
import { parsePylock } from "../../src/wire/pylock.ts";
import { SIMPLE_JSON } from "../../src/wire/simple-index.ts";
import { type Nginx, startNginx } from "../support/nginx.ts";
import { LOCK_PATH } from "./engine.ts";

/** What makes files named `index.json` under `simple/` an index that uv reads. */
const DIRECTIVES = `location /simple/ { index index.json; types { } default_type ${SIMPLE_JSON}; }`;

/** nginx with everything that a mirror has for one lock as files at the same paths. */
export async function startStaticCopy(mirrorUrl: string, root: string): Promise<Nginx> {
  const paths: string[] = [];
  for (const { name, wheels } of parsePylock(await lockOf(mirrorUrl)).packages) {
    await copy(mirrorUrl, `/simple/${name}/`, join(root, "simple", name, "index.json"));
    paths.push(...wheels.map(({ url }) => new URL(url ?? "").pathname));
  }
  for (const path of paths.flatMap((wheel) => [wheel, metadataPath(wheel)])) {
    await copy(mirrorUrl, path, join(root, decodeURIComponent(path)));
  }
  return startNginx({ root, directives: DIRECTIVES });
}

/** The lock that a mirror serves, with its own addresses in it. */
export async function lockOf(mirrorUrl: string): Promise<string> {
  return (await ask(mirrorUrl, LOCK_PATH)).toString();
}

async function copy(mirrorUrl: string, path: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, await ask(mirrorUrl, path));
}

async function ask(mirrorUrl: string, path: string): Promise<Buffer> {
  const answer = await fetch(`${mirrorUrl}${path}`, { headers: { Accept: `${SIMPLE_JSON}, */*;q=0.1` } });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

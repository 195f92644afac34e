import { mkdir, writeFile } from "node:fs/promises";
import type { Bench, Origin } from "./bench.ts";
import { shell } from "./command.ts";
import { artifactOf } from "./origin.ts";
import type { Contender } from "./rounds.ts";
import { driver, moduleUrl } from "./workspace.ts";

const FOLDER = "fetched";
const JOB = "job.json";
const LIST = "list.txt";

/** Our own way: fetched several files at once, hashed on the way, flushed to the disk, adopted by a store. */
export function ferryFetch({ workspace }: Pick<Bench, "workspace">, { base, files, tag }: Origin): Contender {
  return {
    name: "ferry",
    run: async () => {
      const artifacts = files.map((file) => artifactOf(file, base, tag));
      await writeFile(
        workspace.at(JOB),
        JSON.stringify({ origin: base, artifacts, store: workspace.at(FOLDER) }),
      );
      const ran = await workspace.node([driver("fetch"), moduleUrl(workspace), workspace.at(JOB)]);
      requireDigests(ran.stdout, files, "ferry");
      return ran;
    },
    clean: () => workspace.remove(FOLDER, JOB),
  };
}

/** One file after the other: fetched, then hashed. */
export function curlThenOpenssl(bench: Bench, origin: Origin): Contender {
  return fetcher(bench, origin, "curl + openssl", (url, path) => [
    ["curl", "-sSf", "-o", path, url],
    ["openssl", "dgst", "-sha256", path],
  ]);
}

/** One file after the other; aria2c hashes what it fetched. */
export function aria2(bench: Bench, origin: Origin, connections: number): Contender {
  const flags = [`-x${connections}`, ...(connections > 5 ? [`-s${connections}`] : [])];
  return fetcher(bench, origin, `aria2c ${flags.join(" ")}`, (url, path, hex) => [
    ["aria2c", "--no-conf", "-q", ...flags, `--checksum=sha-256=${hex}`, "-d", "/", "-o", path.slice(1), url],
  ]);
}

/** aria2c with a list of all files, so many of them at once as it likes or is told; it hashes what it fetched. */
export function aria2List(
  { workspace }: Pick<Bench, "workspace">,
  { base, files }: Origin,
  jobs?: number,
): Contender {
  const flags = jobs === undefined ? [] : [`-j${jobs}`];
  const list = files.map(({ path, name, digest }) =>
    [`${base}/${path}`, `  out=${name}`, `  checksum=${digest.replace("sha256:", "sha-256=")}`].join("\n"),
  );
  return {
    name: ["aria2c", "-i", ...flags].join(" "),
    run: async () => {
      await writeFile(workspace.at(LIST), `${list.join("\n")}\n`);
      const folder = workspace.at(FOLDER);
      return workspace.run(
        shell(["aria2c", "--no-conf", "-q", ...flags, "-d", folder, "-i", workspace.at(LIST)]),
      );
    },
    clean: () => workspace.remove(FOLDER, LIST),
  };
}

function fetcher(
  { workspace }: Bench,
  { base, files }: Origin,
  name: string,
  commands: (url: string, path: string, hex: string) => string[][],
): Contender {
  const lines = files.flatMap((file) =>
    commands(
      `${base}/${file.path}`,
      workspace.at(`${FOLDER}/${file.name}`),
      file.digest.slice("sha256:".length),
    ),
  );
  return {
    name,
    run: async () => {
      await mkdir(workspace.at(FOLDER));
      const ran = await workspace.run(lines.map(shell).join("\n"));
      if (ran.stdout !== "") requireDigests(ran.stdout, files, name);
      return ran;
    },
    clean: () => workspace.remove(FOLDER),
  };
}

/** Every digest must stand in what was printed: whoever fetched something else was not fast, but wrong. */
function requireDigests(printed: string, files: Origin["files"], name: string): void {
  const wrong = files.filter((file) => !printed.includes(file.digest.slice("sha256:".length)));
  if (wrong.length === 0) return;
  throw new Error(`${name} did not verify ${wrong.map((file) => file.name).join(", ")}`);
}

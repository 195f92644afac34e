import { lastPart } from "../lib/last-part.ts";
import type { CarriedBuild } from "./document.ts";
import type { PythonBuild } from "./document-python.ts";

/** First line of a folder's INSTALL.txt: a folder that has it may be replaced by another one. */
export const FOLDER_MARK = "engine-ferry folder 1";

/** INSTALL.txt: the commands that make the environment from the folder alone, on a machine without any network. */
export function installText(carried: CarriedBuild, python: PythonBuild, origin: string): string {
  const { engine, version, arch, variant, build } = carried;
  const uv = lastPart(python.uv);
  const program = `"$DEST/env/bin/${build.binary}"`;
  const check = (build.versionArgs ?? ["--version"]).map(quoted).join(" ");
  return [
    FOLDER_MARK,
    "",
    `${engine} ${version}, ${arch}, ${variant}: ${python.packages} packages for Python ${python.version} and glibc ${python.glibc} or newer.`,
    `From ${origin}.`,
    "Nothing here asks any network. In this folder, with the folder to install into as DEST (what is in it stays where it is):",
    "",
    "sha256sum -c SHA256SUMS",
    `DEST=/opt/${engine}-${version}-${variant}`,
    `mkdir -p "$DEST"`,
    `tar -xzf ${quoted(uv)} -C "$DEST"`,
    `tar -xzf ${quoted(lastPart(python.interpreter))} -C "$DEST"`,
    `UV="$DEST/${uv.replace(/\.(tar\.gz|tgz)$/, "")}/uv"`,
    `"$UV" venv --no-config --no-project --no-python-downloads --offline --python "$DEST/python/bin/python3" "$DEST/env"`,
    `"$UV" pip install --no-config --offline --no-index --no-build --no-deps --require-hashes --python "$DEST/env/bin/python" -r pylock.toml`,
    ...partLines(carried, python),
    `${program} ${check}`,
    "",
  ].join("\n");
}

/** Source archive and assets; Python unpacks what tar does not. */
function partLines({ build }: CarriedBuild, python: PythonBuild): string[] {
  const lines: string[] = [];
  const { source, assets } = python;
  if (source !== undefined && build.source !== undefined) {
    const folder = `"$DEST/env/${build.source.dir}"`;
    lines.push(
      `mkdir -p ${folder}`,
      `tar -xf ${quoted(lastPart(source))} -C ${folder} --strip-components=1 ${quoted(build.source.top)}`,
    );
  }
  const folder = `"$DEST/env${build.assetDir === undefined ? "" : `/${build.assetDir}`}"`;
  for (const asset of assets) {
    lines.push(
      `mkdir -p ${folder}`,
      asset.endsWith(".zip")
        ? `"$DEST/env/bin/python" -m zipfile -e ${quoted(lastPart(asset))} ${folder}`
        : `tar -xf ${quoted(lastPart(asset))} -C ${folder}`,
    );
  }
  return lines;
}

/** A word for a shell. */
function quoted(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._+=/-]*$/.test(text) || /^-{1,2}[A-Za-z-]+$/.test(text)
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;
}

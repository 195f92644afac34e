import { hexOf } from "../../src/lib/digest.ts";
import { encodePath, releaseAssetPath } from "../../src/wire/github.ts";
import type { Catalog } from "../catalog.ts";
import type { CarriedAsset } from "../catalog-releases.ts";
import { SIMPLE } from "../python/python-catalog.ts";
import { hostOf } from "./host.ts";
import { shellWord } from "./shell-word.ts";
import { count } from "./words.ts";

/** How a tool is made to use this mirror. */
export interface ToolModel {
  title: string;
  /** What it is for, or why it cannot be used here. */
  words: string;
  /** Commands and settings to copy; none where the mirror has nothing for the tool. */
  commands: { what: string; text: string /** What is made of it. */; use?: string }[];
}

interface Example {
  repo: string;
  tag: string;
  asset: CarriedAsset;
}

export function toolsModel(catalog: Catalog, base: string): ToolModel[] {
  const example = exampleOf(catalog);
  return [
    agents(base),
    ...(example === undefined ? [] : [downloads(base, example), gh(base, example)]),
    uv(catalog, base),
    pip(catalog, base),
  ];
}

/** The smallest archive of the newest releases: whoever tries a command does not wait for it. */
function exampleOf(catalog: Catalog): Example | undefined {
  return [...catalog.repos.values()]
    .flatMap(({ repo, releases: [newest] }) =>
      (newest?.assets ?? []).map((asset) => ({ repo, tag: newest?.tag ?? "", asset })),
    )
    .filter(({ asset }) => asset.size > 0)
    .reduce<Example | undefined>(
      (best, one) => (rank(one) < (best === undefined ? Infinity : rank(best)) ? one : best),
      undefined,
    );
}

function rank({ asset }: Example): number {
  return asset.size + (/\.(?:tar\.[a-z0-9]+|tgz|zip)$/.test(asset.name) ? 0 : 1e15);
}

function firstAsset({ repos }: Catalog, fits: (repo: string, name: string) => boolean): Example | undefined {
  for (const { repo, releases } of repos.values()) {
    for (const { tag, assets } of releases) {
      const asset = assets.find(({ name }) => fits(repo, name));
      if (asset !== undefined) return { repo, tag, asset };
    }
  }
  return undefined;
}

/** The file's address as a word of a command. */
function addressOf(base: string, { repo, tag, asset }: Example): string {
  return shellWord(`${base}/${encodePath(releaseAssetPath(repo, tag, asset.name))}`);
}

function agents(base: string): ToolModel {
  return {
    title: "Agents that install engines",
    words:
      "An agent that knows GitHub needs two addresses: one for files, and one for releases with every file's digest.",
    commands: [
      { what: "Download base", text: base, use: "{base}/{repo}/releases/download/{tag}/{asset}" },
      { what: "API base", text: `${base}/api/v3`, use: "{base}/repos/{repo}/releases/tags/{tag}" },
    ],
  };
}

function downloads(base: string, example: Example): ToolModel {
  const { asset } = example;
  const name = shellWord(asset.name);
  const address = addressOf(base, example);
  return {
    title: "curl, wget, aria2",
    words:
      "Every file at the path that it has on GitHub, without redirects. A download that was cut goes on where it ended.",
    commands: [
      { what: "curl", text: `curl -fL -C - -o ${name} ${address}` },
      { what: "wget", text: `wget -c ${address}` },
      { what: "aria2, eight connections", text: `aria2c -x8 ${address}` },
      { what: "Check it", text: `echo ${shellWord(`${hexOf(asset.digest)}  ${asset.name}`)} | sha256sum -c` },
    ],
  };
}

function gh(base: string, { repo, tag, asset }: Example): ToolModel {
  const host = /^https:\/\/([A-Za-z0-9.-]+)$/.exec(base)?.[1];
  const title = "GitHub's gh";
  if (host === undefined) {
    return {
      title,
      words:
        `gh asks only hosts over https, on port 443 and without a path; this mirror is ${base} here. Serve it with ` +
        "--tls-cert, --tls-key and --base-url https://NAME, or put a proxy with TLS in front.",
      commands: [],
    };
  }
  return {
    title,
    words:
      "gh wants some token for a host that is not github.com; where this mirror asks for none, any word will do.",
    commands: [
      {
        what: "Download a release's file",
        text:
          `export GH_HOST=${host} GH_ENTERPRISE_TOKEN=any\n` +
          `gh release download ${shellWord(tag)} -R ${shellWord(repo)} -p ${shellWord(asset.name)}`,
      },
    ],
  };
}

function uv(catalog: Catalog, base: string): ToolModel {
  const title = "uv and its Pythons";
  const astral = [...catalog.repos.values()].filter(({ repo }) => /^astral-sh\//i.test(repo));
  const table = interpreterTable(catalog, base);
  if (astral.length === 0) {
    return {
      title,
      words:
        table.length > 0
          ? "Pythons are here, and nothing else of astral.sh."
          : "No bundle here carries uv or a Python of python-build-standalone. The assets part of a spec brings them.",
      commands: table,
    };
  }
  const python = catalog.repo("astral-sh/python-build-standalone");
  const installer = firstAsset(
    catalog,
    (repo, name) => /^astral-sh\/uv$/i.test(repo) && name === "uv-installer.sh",
  );
  return {
    title,
    words: `Here: ${astral.map(({ repo, releases }) => `${repo} ${releases.map(({ tag }) => tag).join(", ")}`).join("; ")}.`,
    commands: [
      {
        what: "uv 0.11.14 and newer: everything of astral.sh",
        text: `export UV_ASTRAL_MIRROR_URL=${shellWord(base)}`,
      },
      ...(python === undefined
        ? []
        : [
            {
              what: "Any uv: Pythons",
              text: `export UV_PYTHON_INSTALL_MIRROR=${shellWord(`${base}/${python.repo}/releases/download`)}`,
            },
          ]),
      ...table,
      ...(installer === undefined
        ? []
        : [
            {
              what: "uv's own installer",
              text: `curl -fsSL ${addressOf(base, installer)} | UV_INSTALLER_GITHUB_BASE_URL=${shellWord(base)} sh`,
            },
          ]),
    ],
  };
}

function interpreterTable({ python }: Catalog, base: string): ToolModel["commands"] {
  if (python === undefined || python.interpreters.length === 0) return [];
  const what = "Pythons that a uv's own table does not have";
  return [
    { what, text: `export UV_PYTHON_DOWNLOADS_JSON_URL=${shellWord(`${base}/python-downloads.json`)}` },
  ];
}

function pip(catalog: Catalog, base: string): ToolModel {
  const title = "pip and uv pip";
  const projects = catalog.python?.indexes.get(SIMPLE)?.size ?? 0;
  if (projects > 0) return index(catalog, base, title, projects);
  const wheel = firstAsset(catalog, (_, name) => name.endsWith(".whl"));
  const none = "No bundle here carries a Python index, so there is no index address to give to pip or uv";
  return {
    title,
    words:
      wheel === undefined
        ? `${none}.`
        : `${none}. A wheel that a release carries is installed by its address; what it depends on must come from an index of yours.`,
    commands:
      wheel === undefined
        ? []
        : [{ what: "A carried wheel", text: `pip install --no-deps ${addressOf(base, wheel)}` }],
  };
}

function index({ python }: Catalog, base: string, title: string, projects: number): ToolModel {
  const simple = shellWord(`${base}/simple`);
  const host = hostOf(base) ?? "";
  const extra = [...(python?.indexes.keys() ?? [])].find((folder) => folder.startsWith("whl/"));
  return {
    title,
    words:
      `An index of ${count(projects, "project")}: the wheels that the carried engines need, with their upload times, so ` +
      "that --exclude-newer finds here what it found upstream.",
    commands: [
      { what: "uv, every command", text: `export UV_DEFAULT_INDEX=${simple}` },
      {
        what: "pip, every command",
        text:
          `export PIP_INDEX_URL=${simple}` +
          (base.startsWith("http://") ? ` PIP_TRUSTED_HOST=${shellWord(host)}` : ""),
      },
      ...(extra === undefined
        ? []
        : [
            {
              what: "A second index, in a pyproject.toml",
              text: `[[tool.uv.index]]\nname = "pytorch"\nurl = "${base}/${extra}"\nexplicit = true`,
            },
          ]),
    ],
  };
}

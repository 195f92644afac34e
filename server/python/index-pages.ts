import { digestOf, hexOf } from "../../src/lib/digest.ts";
import { encodePath } from "../../src/wire/github.ts";
import {
  projectHtml,
  projectJson,
  projectsHtml,
  projectsJson,
  SIMPLE_JSON,
  type SimpleProject,
} from "../../src/wire/simple-index.ts";
import { type Rendered, render } from "../rendered.ts";
import type { SimpleType } from "./negotiate.ts";
import type { IndexedWheel, ProjectWheels, PythonCatalog } from "./python-catalog.ts";

/** Files of an index up to which every page of it is made ahead: a tenth of a second for the most. */
const AHEAD = 20_000;

/** Pages by format. They are the same for every client, whatever name it has for the mirror, and go with their catalog. */
const pages = new WeakMap<object, Map<SimpleType, Rendered>>();

/** The page that lists an index's projects. */
export function projectsPage(projects: ProjectWheels, type: SimpleType): Rendered {
  return once(projects, type, () => {
    const names = [...projects.keys()];
    return type === SIMPLE_JSON ? projectsJson(names) : projectsHtml(names);
  });
}

/** A project's page. `folder` is its index's: `simple`, `whl/cu129`. */
export function projectPage(
  wheels: readonly IndexedWheel[],
  type: SimpleType,
  folder: string,
  name: string,
): Rendered {
  return once(wheels, type, () => {
    const project = describe(name, wheels, "../".repeat(folder.split("/").length + 1));
    return type === SIMPLE_JSON ? projectJson(project) : projectHtml(project);
  });
}

/** Makes the pages that resolvers ask for before somebody waits for them, as long as they are not very many. */
export function renderAhead(python: PythonCatalog | undefined): void {
  for (const [folder, projects] of python?.indexes ?? []) {
    const files = [...projects.values()].reduce((sum, wheels) => sum + wheels.length, 0);
    if (files > AHEAD) continue;
    projectsPage(projects, SIMPLE_JSON);
    for (const [name, wheels] of projects) projectPage(wheels, SIMPLE_JSON, folder, name);
  }
}

function once(of: object, type: SimpleType, make: () => string): Rendered {
  const known = pages.get(of) ?? new Map<SimpleType, Rendered>();
  pages.set(of, known);
  const page = known.get(type) ?? renderAs(type, make());
  known.set(type, page);
  return page;
}

/**
 * Addresses of files are relative, so that they lead to this mirror by whatever name and prefix a client knows it.
 * `root` leads from the page to the mirror's own root.
 */
function describe(name: string, wheels: readonly IndexedWheel[], root: string): SimpleProject {
  return {
    name,
    versions: [...new Set(wheels.map(({ wheel }) => wheel.version))],
    files: wheels.map(({ wheel, filename, digest, size, metadata }) => ({
      filename,
      url: `${root}${encodePath(wheel.path)}`,
      sha256: hexOf(digest),
      size,
      uploadTime: wheel.uploadedAt,
      requiresPython: wheel.requiresPython,
      yanked: wheel.yanked,
      metadata: metadata === undefined ? undefined : hexOf(metadata),
    })),
  };
}

/** Two types of one page are two answers: each has a tag of its own. */
function renderAs(type: string, page: string): Rendered {
  const rendered = render(type, page);
  return { ...rendered, etag: `"${hexOf(digestOf(`${type} ${rendered.etag}`)).slice(0, 40)}"` };
}

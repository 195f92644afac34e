import type { Express, Request, Response } from "express";
import { exchangeOf } from "../exchange.ts";
import type { Mirror } from "../mirror.ts";
import { render, renderJson } from "../rendered.ts";
import type { ReadSmall } from "../routes/bundles.ts";
import {
  type CarriedLock,
  lockAt,
  lockInFolder,
  type PythonCatalogBuild,
  pythonBuilds,
  readCarriedLock,
} from "./carried-lock.ts";
import { folderTar } from "./folder-tar.ts";
import { lockPaths } from "./lock-paths.ts";

const TOML_TYPE = "application/toml; charset=utf-8";
const ONE = "/v1/locks/:engine/:version/:arch/:variant";

/** Locks of the carried Python engines: as a list, with this mirror's addresses, and as a folder of wheels. */
export function lockRoutes(app: Express, mirror: Mirror, readSmall: ReadSmall): void {
  const of =
    (answer: (request: Request, response: Response, carried: CarriedLock) => void) =>
    async (request: Request, response: Response): Promise<void> => {
      const { engine, version, arch, variant } = request.params;
      const { catalog } = exchangeOf(response);
      const build = pythonBuilds(catalog).find(
        (one) =>
          one.engine === engine && one.version === version && one.arch === arch && one.variant === variant,
      );
      if (build === undefined) {
        mirror.missing(request, response);
        return;
      }
      const carried = await readCarriedLock(catalog, build, readSmall);
      if (typeof carried === "string") mirror.text(request, response, 404, `Not on this mirror: ${carried}.`);
      else answer(request, response, carried);
    };

  app.get("/v1/locks", (request, response) => {
    const { catalog, base } = exchangeOf(response);
    const locks = pythonBuilds(catalog).map((build) => lockJson(build, base));
    mirror.answer(request, response, renderJson({ locks }));
  });
  app.get(
    `${ONE}/pylock.toml`,
    of((request, response, carried) => {
      const text = lockAt(carried, exchangeOf(response).base);
      mirror.answer(request, response, render(TOML_TYPE, text));
    }),
  );
  app.get(
    `${ONE}/folder.tar`,
    of((request, response, carried) => {
      const { engine, version, arch, variant, python } = carried.build;
      const text = lockInFolder(carried);
      const { blob, sender } = folderTar(
        `${engine}-${version}-${arch}-${variant}.tar`,
        { title: "pylock.toml", text, files: carried.files, modified: new Date(python.published) },
        mirror.idleMs,
      );
      mirror.file(request, response, blob, false, sender);
    }),
  );
}

function lockJson({ python, ...build }: PythonCatalogBuild, base: string): Record<string, unknown> {
  const { engine, version, arch, variant, bundle, complete } = build;
  return {
    engine,
    version,
    arch,
    variant,
    bundle,
    complete,
    python: python.version,
    platform: python.platform,
    glibc: python.glibc,
    published: python.published,
    exclude_newer: python.excludeNewer,
    requirements: python.requirements,
    packages: python.packages,
    bytes: python.bytes,
    ...lockPaths(base, build),
  };
}

import { once } from "../../lib/once.ts";
import type { Logger } from "../../log.ts";
import { askInterpreter, checkInterpreter } from "./interpreter.ts";
import { askRelease, latestUpload } from "./published.ts";
import { titleOf } from "./requirements.ts";
import { PYTORCH_INDEX, resolveBuild } from "./resolve.ts";
import type { IndexRelease, PythonRequest, PythonResolver, Resolution } from "./types.ts";
import type { Uv } from "./uv-process.ts";

export interface ResolverOptions {
  uv: Uv;
  logger: Logger;
  /** Stands for `https://download.pytorch.org/whl`, which is the default. */
  torchIndexUrl?: string;
}

/** Asks the real uv, each question once. */
export function createResolver({
  uv,
  logger,
  torchIndexUrl = PYTORCH_INDEX,
}: ResolverOptions): PythonResolver {
  const resolutions = new Map<string, Promise<Resolution>>();
  const releases = new Map<string, Promise<IndexRelease>>();
  const uploads = new Map<string, Promise<string | undefined>>();
  const interpreters = new Map<string, ReturnType<typeof askInterpreter>>();

  const resolveNow = async (request: PythonRequest): Promise<Resolution> => {
    const what = titleOf(request);
    logger.info(`asking uv what ${what} is made of`);
    const resolution = await resolveBuild(request, {
      uv,
      torchIndexUrl,
      release: (project, version) =>
        once(releases, `${project} ${version} ${request.python}`, () =>
          askRelease(uv, { project, version, python: request.python }),
        ),
      latestUpload: (project, version) =>
        once(uploads, `${project} ${version} ${request.python}`, () =>
          latestUpload(uv, { project, version, python: request.python }),
        ),
    });
    logger.debug(`${what}: ${resolution.packages.length} packages as of ${resolution.excludeNewer}`);
    return resolution;
  };

  return {
    uvVersion: uv.version,
    resolve: (request) => once(resolutions, JSON.stringify(request), () => resolveNow(request)),
    interpreter: (python, arch) =>
      once(interpreters, `${python} ${arch}`, () => askInterpreter(uv, python, arch)),
    checkInterpreter: (interpreter, path) => checkInterpreter(uv, interpreter, path),
  };
}

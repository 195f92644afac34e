import { shell, type Words } from "../build/command.ts";
import type { Workspace } from "../build/workspace.ts";
import type { CarriedEngine } from "./engine.ts";

/** Names within the workspace. */
const [CACHE, ENVIRONMENT] = ["uv-cache", "venv"];

/** The real uv as somebody has it who never used it: no cache, no configuration, no index but the given one. */
export interface FreshUv {
  /** Makes an empty environment for what is run next. */
  environment: () => Promise<void>;
  /** Seconds that a command took. */
  run: (words: Words) => Promise<number>;
  /** Of the environment's programs. */
  program: (name: string) => string;
  clean: () => Promise<void>;
}

export function freshUv(
  { at, run, remove }: Workspace,
  { uv, python }: CarriedEngine,
  index: string,
): FreshUv {
  const env = {
    UV_DEFAULT_INDEX: `${index}/simple/`,
    UV_CACHE_DIR: at(CACHE),
    UV_NO_CONFIG: "1",
    UV_PYTHON_DOWNLOADS: "never",
    VIRTUAL_ENV: at(ENVIRONMENT),
  };
  return {
    environment: async () => {
      // With a cache of its own: the one of the measured command is to be empty.
      await run(shell([uv, "venv", "-q", "--no-cache", "--python", python, at(ENVIRONMENT)]), env);
    },
    run: async (words) => (await run(shell([uv, ...words]), env)).wall,
    program: (name) => at(`${ENVIRONMENT}/bin/${name}`),
    clean: () => remove(CACHE, ENVIRONMENT),
  };
}

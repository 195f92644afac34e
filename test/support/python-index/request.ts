import type { PythonRequest } from "../../../src/upstream/python/types.ts";

/** The engine "small" 1.0 on amd64, as the planner would ask for it; say what is different. */
export function pythonRequest(
  build: Partial<PythonRequest["build"]> = {},
  more: Partial<Omit<PythonRequest, "build">> = {},
): PythonRequest {
  return {
    engine: "small",
    label: "Small",
    version: "1.0",
    arch: "amd64",
    pypi: "small",
    python: "3.12",
    glibc: "2.35",
    wheel: undefined,
    sourceRequirements: undefined,
    ...more,
    build: { variant: "cpu", binary: "small", requirements: ["small==1.0"], ...build },
  };
}

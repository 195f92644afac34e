import type { RouteModule } from "./app.ts";
import { installRoutes } from "./install/routes.ts";
import { readInstallScript } from "./install/script.ts";
import { pageRoutes } from "./routes/pages.ts";

/**
 * What the mirror answers besides GitHub's paths and its own metadata, in the order in which it is asked. Reads what
 * those routes need (templates, scripts) once, at the start.
 */
export async function loadRouteModules(): Promise<readonly RouteModule[]> {
  return [pageRoutes, installRoutes(await readInstallScript())];
}

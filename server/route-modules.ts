import type { RouteModule } from "./app.ts";

/** What the mirror answers besides GitHub's paths and its own metadata, in the order in which they are asked. */
export const ROUTE_MODULES: readonly RouteModule[] = [];

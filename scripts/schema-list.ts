import type { z } from "zod";
import { DiffReport } from "../src/bundle/diff.ts";
import { BundleDocument } from "../src/bundle/document.ts";
import { InspectReport } from "../src/bundle/inspect.ts";
import { Lock } from "../src/bundle/lock.ts";
import { PlanReport } from "../src/bundle/plan-report.ts";
import { SbomReport } from "../src/bundle/sbom.ts";
import { Spec } from "../src/bundle/spec.ts";
import { VerifyReport } from "../src/bundle/verify.ts";
import { KeyReport } from "../src/cli/commands/keys.ts";
import { Recipe } from "../src/recipe/schema.ts";

export interface PublishedSchema {
  /** Name under `bundles/schema/`. */
  file: string;
  title: string;
  /** `written`: by people, so defaults may be left out. `printed`: by us, so everything is there. */
  kind: "written" | "printed";
  schema: z.ZodType;
}

/**
 * Every JSON Schema that we publish under `bundles/schema/`, for editors and for programs that read our answers.
 * A new document needs one entry here and `npm run schemas`.
 */
export const SCHEMAS: readonly PublishedSchema[] = [
  { file: "recipe.schema.json", title: "Recipe of an engine", kind: "written", schema: Recipe },
  { file: "spec.schema.json", title: "Spec of a bundle", kind: "written", schema: Spec },
  { file: "document.schema.json", title: "Document of a bundle", kind: "printed", schema: BundleDocument },
  { file: "lock.schema.json", title: "Lock of a plan", kind: "printed", schema: Lock },
  { file: "plan.schema.json", title: "Answer of ferry plan --json", kind: "printed", schema: PlanReport },
  {
    file: "verify.schema.json",
    title: "Answer of ferry verify --json",
    kind: "printed",
    schema: VerifyReport,
  },
  {
    file: "inspect.schema.json",
    title: "Answer of ferry inspect --json",
    kind: "printed",
    schema: InspectReport,
  },
  { file: "diff.schema.json", title: "Answer of ferry diff --json", kind: "printed", schema: DiffReport },
  { file: "sbom.schema.json", title: "Answer of ferry sbom", kind: "printed", schema: SbomReport },
  { file: "keys.schema.json", title: "Answer of ferry keys --json", kind: "printed", schema: KeyReport },
];

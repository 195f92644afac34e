import type { z } from "zod";
import { DiffReport } from "../src/bundle/diff.ts";
import { BundleDocument } from "../src/bundle/document.ts";
import { InspectReport } from "../src/bundle/inspect.ts";
import { InventoryReport } from "../src/bundle/inventory.ts";
import { Lock } from "../src/bundle/lock.ts";
import { PinReport } from "../src/bundle/pin.ts";
import { PlanReport } from "../src/bundle/plan-report.ts";
import { SbomReport } from "../src/bundle/sbom.ts";
import { ScrubReport } from "../src/bundle/scrub.ts";
import { Spec } from "../src/bundle/spec.ts";
import { BundlesReport, RemoveReport } from "../src/bundle/store-bundles.ts";
import { VerifyReport } from "../src/bundle/verify.ts";
import { ImportsReport } from "../src/cli/commands/import.ts";
import { KeyReport } from "../src/cli/commands/keys.ts";
import { GcReport } from "../src/cli/gc-report.ts";
import {
  RecipeBuildsReport,
  RecipeCheckReport,
  RecipeListReport,
  RecipeShowReport,
} from "../src/cli/recipe-reports.ts";
import { CaseFile } from "../src/recipe/cases.ts";
import { PinFile } from "../src/recipe/pins.ts";
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
  { file: "recipe-cases.schema.json", title: "Worked cases of a recipe", kind: "written", schema: CaseFile },
  { file: "recipe-pins.schema.json", title: "Pinned source archives", kind: "written", schema: PinFile },
  { file: "spec.schema.json", title: "Spec of a bundle", kind: "written", schema: Spec },
  { file: "document.schema.json", title: "Document of a bundle", kind: "printed", schema: BundleDocument },
  { file: "lock.schema.json", title: "Lock of a plan", kind: "printed", schema: Lock },
  { file: "pin.schema.json", title: "Answer of ferry recipe pin --json", kind: "printed", schema: PinReport },
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
  {
    file: "recipe-list.schema.json",
    title: "Answer of ferry recipe list --json",
    kind: "printed",
    schema: RecipeListReport,
  },
  {
    file: "recipe-show.schema.json",
    title: "Answer of ferry recipe show --json",
    kind: "printed",
    schema: RecipeShowReport,
  },
  {
    file: "recipe-builds.schema.json",
    title: "Answer of ferry recipe candidates and ferry recipe builds with --json",
    kind: "printed",
    schema: RecipeBuildsReport,
  },
  {
    file: "recipe-check.schema.json",
    title: "Answer of ferry recipe check --json",
    kind: "printed",
    schema: RecipeCheckReport,
  },
  { file: "keys.schema.json", title: "Answer of ferry keys --json", kind: "printed", schema: KeyReport },
  {
    file: "import.schema.json",
    title: "Answer of ferry import --json",
    kind: "printed",
    schema: ImportsReport,
  },
  {
    file: "bundles.schema.json",
    title: "Answer of ferry bundles --json",
    kind: "printed",
    schema: BundlesReport,
  },
  {
    file: "remove.schema.json",
    title: "Answer of ferry remove --json",
    kind: "printed",
    schema: RemoveReport,
  },
  { file: "gc.schema.json", title: "Answer of ferry gc --json", kind: "printed", schema: GcReport },
  { file: "scrub.schema.json", title: "Answer of ferry scrub --json", kind: "printed", schema: ScrubReport },
  {
    file: "inventory.schema.json",
    title: "Answer of ferry inventory --json",
    kind: "printed",
    schema: InventoryReport,
  },
];

import { z } from "zod";
import { choiceOf } from "./choice.ts";
import { templateOf } from "./template.ts";
import { BuildWhen, ComputeSpan, MachineWhen, When } from "./when.ts";

const Template = templateOf();
const Word = z.string().min(1, "must not be empty");
const listOf = <T extends z.ZodType>(item: T): z.ZodArray<T> =>
  z
    .array(item)
    .min(1, "must name at least one")
    .refine((items) => new Set(items).size === items.length, "names one twice");
const forBuild = <V extends z.ZodType>(value: V): ReturnType<typeof choiceOf<V, typeof BuildWhen>> =>
  choiceOf(value, BuildWhen);

/** A folder inside an installation: relative, without `..`. */
const Folder = templateOf().regex(
  /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\]+$/,
  "must be a relative folder without . or ..",
);

const Packages = z.strictObject({ deb: listOf(Word), rpm: listOf(Word) });

/** What a build is made of, besides its name and its conditions; `defaults` holds the same keys for every build. */
export const BuildFields = z.strictObject({
  assets: forBuild(listOf(Template))
    .optional()
    .describe("Names of release assets, unpacked over each other into one folder."),
  assetDir: forBuild(Folder)
    .optional()
    .describe("Folder of the installation that the assets are unpacked into."),
  assetTag: forBuild(Template)
    .optional()
    .describe("The tag whose release holds the assets, if it is not the version's own."),
  packages: forBuild(Packages).optional().describe("System packages that must be there, by package manager."),
  binary: forBuild(Template).optional().describe("The program that is seen to run."),
  cpuFlags: forBuild(listOf(Word)).optional().describe("Processor features that the build needs."),
  gpuBackend: forBuild(Word).optional().describe("Library that must load for the GPU to be used."),
  gpuCheck: z.boolean().optional().describe("An installation is proven by a computation on the GPU."),
  versionArgs: forBuild(z.array(Template).min(1))
    .optional()
    .describe("Arguments that make the binary say its version."),
  python: forBuild(Word).optional().describe('Python that the engine runs on, quoted: "3.12".'),
  requirements: forBuild(listOf(Template)).optional().describe("What is installed from the Python index."),
  wheel: forBuild(z.strictObject({ project: Word, prefix: Template, suffix: Template }))
    .optional()
    .describe("A wheel of the GitHub release, found by the beginning and the end of its name."),
  extraIndex: forBuild(Template).optional().describe("A further Python index."),
  indexPackages: forBuild(listOf(Word))
    .optional()
    .describe("The packages that come from extraIndex, and no others."),
  source: z
    .strictObject({ url: Template, top: Template, dir: Folder, requirements: Template.optional() })
    .optional()
    .describe("The source archive, whose digest is pinned by version under releases."),
  freeGB: z.number().positive().optional().describe("Free space that an installation needs, in 10^9 bytes."),
});
export type BuildFields = z.infer<typeof BuildFields>;

const RuleNeeds = z.strictObject({
  driver: choiceOf(z.int().positive(), MachineWhen)
    .optional()
    .describe("Lowest major version of the NVIDIA driver: 580."),
  cc: ComputeSpan.optional(),
});

export const BuildRule = z.strictObject({
  variant: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:[._-]\*)?$/,
      "must be a name such as cpu or cuda-12.8, or a family such as cuda-13.*",
    )
    .describe(
      "Name of the build. A trailing * makes it a family: the release's own asset names decide the member.",
    ),
  assume: Word.optional().describe("The family's member where no release is at hand: cuda-13.3."),
  what: Word.optional().describe("The build in words, for refusals: CUDA 13."),
  when: When.optional().describe("Where the build exists at all."),
  needs: RuleNeeds.optional().describe("What a machine must have; without it the build is refused in words."),
  ...BuildFields.shape,
});
export type BuildRule = z.infer<typeof BuildRule>;

import { z } from "zod";
import { type Digest, hexOf } from "../lib/digest.ts";
import { lastPart } from "../lib/last-part.ts";
import type { BundleDocument, CarriedFile } from "./document.ts";
import { type CarriedWheel, wheelsByPath } from "./document-python.ts";
import { githubPurl, originOf, pypiPurl } from "./purl.ts";

const Hash = z.strictObject({ alg: z.literal("SHA-256"), content: z.string().regex(/^[0-9a-f]{64}$/) });
const Property = z.strictObject({ name: z.string(), value: z.string() });
const Component = z.strictObject({
  type: z.enum(["application", "file", "data", "library"]),
  "bom-ref": z.string(),
  name: z.string(),
  version: z.string().optional(),
  purl: z.string().optional(),
  hashes: z.array(Hash).optional(),
  externalReferences: z
    .array(z.strictObject({ type: z.literal("distribution"), url: z.string(), hashes: z.array(Hash) }))
    .optional(),
  properties: z.array(Property).optional(),
});
type Component = z.infer<typeof Component>;

/** `ferry sbom`: the part of CycloneDX 1.6 that we write. The tests hold it to the official schema. */
export const SbomReport = z.strictObject({
  $schema: z.literal("http://cyclonedx.org/schema/bom-1.6.schema.json"),
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.literal("1.6"),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  version: z.literal(1),
  metadata: z.strictObject({
    timestamp: z.string(),
    tools: z.strictObject({ components: z.array(Component) }),
    component: Component,
  }),
  /** The engines, then every carried file. */
  components: z.array(Component),
  dependencies: z.array(z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});
export type SbomReport = z.infer<typeof SbomReport>;

/**
 * The bill of materials of a bundle: every carried file with its origin, digest and the reason why the digest is believed,
 * and the engines that are made of them. A function of the bundle: no clock, no chance.
 */
export function renderSbom(document: BundleDocument, manifestDigest: Digest): SbomReport {
  const root = `bundle:${document.name}@${document.counter}`;
  const engines = engineParts(document);
  const wheels = wheelsByPath(document.python);
  const needed = new Set(engines.flatMap(({ files }) => files));
  const others = document.files.map(({ path }) => path).filter((path) => !needed.has(path));
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidFrom(manifestDigest)}`,
    version: 1,
    metadata: {
      timestamp: document.created,
      tools: { components: [{ type: "application", "bom-ref": "tool:engine-ferry", name: "engine-ferry" }] },
      component: {
        type: "data",
        "bom-ref": root,
        name: document.name,
        version: String(document.counter),
        hashes: [hashOf(manifestDigest)],
      },
    },
    components: [
      ...engines.map(({ component }) => component),
      ...document.files.map((file) => fileComponent(file, wheels.get(file.path))),
    ],
    dependencies: [
      {
        ref: root,
        dependsOn: [...engines.map(({ component }) => component["bom-ref"]), ...others.map(fileRef)],
      },
      ...engines.map(({ component, files }) => ({
        ref: component["bom-ref"],
        dependsOn: files.map(fileRef),
      })),
      ...document.files.map(({ path }) => ({ ref: fileRef(path) })),
    ],
  };
}

/** An engine of one version, and the paths that its builds need. */
function engineParts(document: BundleDocument): { component: Component; files: string[] }[] {
  const engines = new Map<string, { component: Component; files: Set<string> }>();
  for (const { engine, version, arch, variant, files } of document.builds) {
    const ref = `engine:${engine}@${version}`;
    const recipe = document.recipes.find((one) => one.engine === engine)?.recipe;
    const purl = enginePurl(recipe?.github, files);
    const part = engines.get(ref) ?? {
      component: { type: "application", "bom-ref": ref, name: engine, version, ...purl, properties: [] },
      files: new Set<string>(),
    };
    part.component.properties?.push({ name: "engine-ferry:build", value: `${arch} ${variant}` });
    for (const path of files) part.files.add(path);
    engines.set(ref, part);
  }
  return [...engines.values()].map(({ component, files }) => ({ component, files: [...files].sort() }));
}

/** The tag is taken from the files, for a recipe may write it otherwise than the version (`v1.2.3`). */
function enginePurl(github: string | undefined, files: readonly string[]): { purl?: string } {
  const origin = files.map(originOf).find((from) => from?.repo.toLowerCase() === github?.toLowerCase());
  return origin === undefined ? {} : { purl: githubPurl(origin.repo, origin.tag) };
}

/** A wheel is a library of the Python index; everything else is a file of its release. */
function fileComponent(file: CarriedFile, wheel: CarriedWheel | undefined): Component {
  const hashes = [hashOf(file.digest)];
  return {
    ...identity(file, wheel),
    "bom-ref": fileRef(file.path),
    hashes,
    externalReferences: [{ type: "distribution", url: file.url, hashes }],
    properties: [
      { name: "engine-ferry:mirror-path", value: file.path },
      { name: "engine-ferry:size", value: String(file.size) },
      { name: "engine-ferry:trust", value: file.trust },
      { name: "engine-ferry:updated-at", value: file.updatedAt },
    ],
  };
}

function identity(
  { path }: CarriedFile,
  wheel: CarriedWheel | undefined,
): Pick<Component, "type" | "name" | "version" | "purl"> {
  const file = lastPart(path);
  if (wheel !== undefined) {
    const { project, version } = wheel;
    return { type: "library", name: project, version, purl: pypiPurl(project, version, file) };
  }
  const origin = originOf(path);
  if (origin === undefined) return { type: "file", name: file };
  const purl = githubPurl(origin.repo, origin.tag, origin.file);
  return { type: "file", name: file, version: origin.tag, purl };
}

function fileRef(path: string): string {
  return `file:${path}`;
}

function hashOf(digest: Digest): z.infer<typeof Hash> {
  return { alg: "SHA-256", content: hexOf(digest) };
}

/** A UUID of version 8 (RFC 9562: made from other data) out of a digest, so that one bundle has one serial number. */
function uuidFrom(digest: Digest): string {
  const hex = hexOf(digest);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}

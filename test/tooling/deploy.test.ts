import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { serveOptions } from "../../server/options.ts";
import { SERVE_VARIABLES } from "../../src/config/serve-variables.ts";
import { testMirror } from "../support/mirror-server.ts";
import { servedStore } from "../support/served-store.ts";
import { tmpDir } from "../support/tmp.ts";
import { packageRoot } from "./run-script.ts";

const read = (name: string): Promise<string> => readFile(join(packageRoot, name), "utf8");
const { version } = z.object({ version: z.string() }).parse(JSON.parse(await read("package.json")));
const IMAGES = [`engine-ferry:${version}`, `engine-ferry:${version}-nginx`];

/** Throws where a variable is none of ours (nobody would notice a wrong letter), or has a value that is refused. */
function options(variables: Readonly<Record<string, string>>): ReturnType<typeof serveOptions> {
  const known = new Set<string>([...Object.values(SERVE_VARIABLES).map(({ name }) => name), "FERRY_STORE"]);
  const strange = Object.keys(variables).filter((name) => !known.has(name));
  if (strange.length > 0) throw new Error(`no variables of the mirror: ${strange.join(", ")}`);
  return serveOptions({}, { HOME: "/nonexistent", ...variables }, "/");
}

/** Answers of a mirror with one bundle, by path. */
async function answers(paths: readonly string[]): Promise<number[]> {
  const store = await servedStore(await tmpDir());
  await store.add({ name: "a", releases: [{ repo: "o/r", tag: "t", assets: { file: "text" } }] });
  const mirror = await testMirror(store.root);
  return Promise.all(paths.map(async (path) => (await mirror.get(path)).status));
}

/** Instructions of the Dockerfile, lines joined, without comments. */
async function dockerfile(): Promise<string[]> {
  const text = (await read("Dockerfile")).replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, "");
  return text.split("\n").filter((line) => line !== "");
}

async function imageVariables(): Promise<Record<string, string>> {
  const line = (await dockerfile()).find((instruction) => instruction.startsWith("ENV ")) ?? "";
  const pairs = line
    .slice(4)
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]);
  return Object.fromEntries(pairs.filter(([name]) => name.startsWith("FERRY_")));
}

describe("Dockerfile", () => {
  it("is the mirror without a target, runs as a numbered user, and sets what the mirror reads", async () => {
    const lines = await dockerfile();
    expect(lines.at(-1)).toBe("FROM mirror");
    expect(lines.filter((line) => /^(?:ARG|FROM) /.test(line)).slice(0, 5)).toEqual([
      expect.stringMatching(/^ARG NODE_IMAGE=node:\d+-\w+-slim$/),
      "FROM ${NODE_IMAGE} AS build",
      "FROM ${NODE_IMAGE} AS mirror",
      "FROM mirror AS nginx",
      "FROM mirror",
    ]);
    const users = lines.filter((line) => line.startsWith("USER "));
    expect(users).toEqual(["USER 10001:10001", "USER 0:0", "USER 10001:10001"]);
    expect(lines).toContain("VOLUME /store");
    const { store, listen } = options(await imageVariables());
    expect(store).toBe("/store");
    expect(listen.host).toBe("");
    expect(lines).toContain(`EXPOSE ${listen.port}`);
  });

  it("is given nothing but what it builds from", async () => {
    const lines = (await read(".dockerignore"))
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines[0]).toBe("*");
    const kept = lines
      .filter((line) => line.startsWith("!") && !line.includes("*"))
      .map((line) => line.slice(1));
    for (const name of kept) await expect(stat(join(packageRoot, name)), name).resolves.toBeDefined();
    for (const [, name = ""] of (await read("Dockerfile")).matchAll(/\bdeploy\/([\w-]+\.\w+)(?= )/g)) {
      expect(kept).toContain(`deploy/${name}`);
    }
  });
});

describe("deploy/compose.yaml", () => {
  const Service = z.looseObject({
    image: z.enum(IMAGES),
    read_only: z.literal(true),
    cap_drop: z.tuple([z.literal("ALL")]),
    security_opt: z.tuple([z.literal("no-new-privileges:true")]),
    stop_grace_period: z.string().regex(/^\d+s$/),
    tmpfs: z.array(z.string().startsWith("/tmp:")),
    ports: z.array(z.string()).default([]),
    volumes: z.array(z.string()),
    environment: z.record(z.string(), z.string()).default({}),
    profiles: z.array(z.string()).default([]),
  });
  const Compose = z.looseObject({
    services: z.record(z.string(), Service),
    volumes: z.record(z.string(), z.unknown()),
  });

  it("hardens every service, and names ports, volumes and variables that there are", async () => {
    const compose = Compose.parse(parse(await read("deploy/compose.yaml"), { merge: true }));
    expect(Object.keys(compose.services)).toEqual(["mirror", "mirror-nginx", "import"]);
    const image = options(await imageVariables());
    for (const [name, service] of Object.entries(compose.services)) {
      for (const volume of service.volumes
        .map((text) => text.split(":")[0] ?? "")
        .filter((text) => /^\w/.test(text))) {
        expect(Object.keys(compose.volumes), name).toContain(volume);
      }
      // What an operator puts in place is text for these, the default being after ":-".
      const values = Object.entries(service.environment).map(([key, value]) => [
        key,
        value.replace(/^\$\{\w+:-(.*)\}$/, "$1"),
      ]);
      const { drainTimeout, drainDelay } = options(Object.fromEntries(values) as Record<string, string>);
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(drainTimeout + drainDelay);
      for (const port of service.ports) expect(port.endsWith(`:${image.listen.port}`), port).toBe(true);
      const writes = service.volumes.includes(`store:${image.store}`);
      expect(writes || service.volumes.includes(`store:${image.store}:ro`), name).toBe(true);
      expect(writes, "only an import writes").toBe(name === "import");
    }
  });
});

describe("deploy/kubernetes", () => {
  const Labels = z.record(z.string(), z.string());
  const Probe = z.looseObject({ httpGet: z.strictObject({ path: z.string(), port: z.string() }) });
  const Container = z.looseObject({
    name: z.string(),
    image: z.enum(IMAGES),
    command: z.array(z.string()).optional(),
    env: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
    ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).default([]),
    startupProbe: Probe.optional(),
    livenessProbe: Probe.optional(),
    readinessProbe: Probe.optional(),
    resources: z.strictObject({ requests: Labels, limits: Labels }),
    securityContext: z.strictObject({
      allowPrivilegeEscalation: z.literal(false),
      readOnlyRootFilesystem: z.literal(true),
      capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
    }),
    volumeMounts: z.array(
      z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() }),
    ),
  });
  const Pod = z.strictObject({
    metadata: z.looseObject({ labels: Labels }),
    spec: z.looseObject({
      automountServiceAccountToken: z.literal(false),
      enableServiceLinks: z.literal(false),
      terminationGracePeriodSeconds: z.int().optional(),
      securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.int(), fsGroup: z.int() }),
      containers: z.tuple([Container]),
      volumes: z.array(
        z.strictObject({
          name: z.string(),
          persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional(),
          configMap: z.strictObject({ name: z.string() }).optional(),
          emptyDir: z.looseObject({}).optional(),
        }),
      ),
    }),
  });
  const Manifest = z.discriminatedUnion("kind", [
    z.looseObject({
      kind: z.literal("PersistentVolumeClaim"),
      apiVersion: z.literal("v1"),
      metadata: z.looseObject({ name: z.string() }),
    }),
    z.looseObject({
      kind: z.literal("Deployment"),
      apiVersion: z.literal("apps/v1"),
      spec: z.looseObject({ selector: z.strictObject({ matchLabels: Labels }), template: Pod }),
    }),
    z.looseObject({
      kind: z.literal("Job"),
      apiVersion: z.literal("batch/v1"),
      spec: z.looseObject({ template: Pod }),
    }),
    z.looseObject({
      kind: z.literal("Service"),
      apiVersion: z.literal("v1"),
      spec: z.strictObject({
        selector: Labels,
        ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
      }),
    }),
    z.looseObject({
      kind: z.literal("NetworkPolicy"),
      apiVersion: z.literal("networking.k8s.io/v1"),
      spec: z.looseObject({
        podSelector: z.strictObject({ matchLabels: Labels }),
        policyTypes: z.array(z.enum(["Ingress", "Egress"])),
        egress: z.array(z.unknown()).optional(),
      }),
    }),
  ]);
  type Manifest = z.infer<typeof Manifest>;

  async function manifests(): Promise<Manifest[]> {
    const names = (await readdir(join(packageRoot, "deploy/kubernetes"), { recursive: true })).filter(
      (name) => name.endsWith(".yaml"),
    );
    const texts = await Promise.all(names.map((name) => read(`deploy/kubernetes/${name}`)));
    const documents = texts.flatMap((text) => parseAllDocuments(text));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    return documents.map((document) => Manifest.parse(document.toJS()));
  }

  const of = <K extends Manifest["kind"]>(
    all: readonly Manifest[],
    kind: K,
  ): Extract<Manifest, { kind: K }>[] =>
    all.filter((one): one is Extract<Manifest, { kind: K }> => one.kind === kind);

  async function pods(): Promise<z.infer<typeof Pod>[]> {
    const all = await manifests();
    return [...of(all, "Deployment"), ...of(all, "Job")].map(({ spec }) => spec.template);
  }

  const selects = (selector: Record<string, string>, { metadata }: z.infer<typeof Pod>): boolean =>
    Object.entries(selector).every(([name, value]) => metadata.labels[name] === value);

  it("mounts what there is, runs as the image's user, and gives a stop the time that it needs", async () => {
    const all = await manifests();
    const claims = of(all, "PersistentVolumeClaim").map(({ metadata }) => metadata.name);
    const image = options(await imageVariables());
    expect(await pods()).toHaveLength(2);
    for (const { spec } of await pods()) {
      const [container] = spec.containers;
      expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(
        spec.volumes.map(({ name }) => name).toSorted(),
      );
      for (const { persistentVolumeClaim } of spec.volumes) {
        if (persistentVolumeClaim !== undefined) expect(claims).toContain(persistentVolumeClaim.claimName);
      }
      expect(spec.securityContext).toMatchObject({ runAsUser: 10001, fsGroup: 10001 });
      const store = container.volumeMounts.find(({ mountPath }) => mountPath === image.store);
      expect(store?.readOnly === true, "only an import writes").toBe(container.command === undefined);
      const { drainDelay, drainTimeout } = options(
        Object.fromEntries(container.env.map(({ name, value }) => [name, value])),
      );
      expect(spec.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY).toBeGreaterThan(
        drainDelay + drainTimeout,
      );
    }
  });

  it("asks paths that the mirror answers, on the port that it listens on", async () => {
    const all = await manifests();
    const [mirror] = of(all, "Deployment").map(({ spec }) => spec.template);
    const container = mirror?.spec.containers[0];
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    const paths = probes.map((probe) => probe?.httpGet.path ?? "");
    expect(paths).toEqual(["/healthz", "/healthz", "/readyz"]);
    expect(await answers([...paths, "/metrics"])).toEqual([200, 200, 200, 200]);
    expect(probes.map((probe) => probe?.httpGet.port)).toEqual(["http", "http", "http"]);
    const { listen } = options(await imageVariables());
    expect(container?.ports).toEqual([{ name: "http", containerPort: listen.port }]);
    const [service] = of(all, "Service");
    expect(service?.spec.ports.map(({ targetPort }) => targetPort)).toEqual(["http"]);
  });

  it("selects the mirror's pods for the service, and lets no pod out", async () => {
    const all = await manifests();
    const [mirror, job] = await pods();
    if (mirror === undefined || job === undefined) throw new Error("a pod is absent");
    const [deployment] = of(all, "Deployment");
    const [service] = of(all, "Service");
    expect(selects(deployment?.spec.selector.matchLabels ?? { no: "selector" }, mirror)).toBe(true);
    expect(selects(service?.spec.selector ?? { no: "selector" }, mirror)).toBe(true);
    expect(selects(service?.spec.selector ?? {}, job), "an import takes no requests").toBe(false);
    const closed = of(all, "NetworkPolicy").filter(
      ({ spec }) => spec.policyTypes.includes("Egress") && spec.egress?.length === 0,
    );
    for (const pod of [mirror, job]) {
      expect(closed.some(({ spec }) => selects(spec.podSelector.matchLabels, pod))).toBe(true);
    }
    expect(of(all, "NetworkPolicy").flatMap(({ spec }) => spec.egress ?? [])).toEqual([]);
  });
});

describe("deploy/systemd", () => {
  it("sets what the mirror reads, and waits for running downloads", async () => {
    const unit = await read("deploy/systemd/engine-ferry.service");
    const pairs = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]);
    const { store, listen, drainTimeout } = options(Object.fromEntries(pairs) as Record<string, string>);
    expect(unit).toContain(`StateDirectory=${store.replace("/var/lib/", "")}\n`);
    expect(listen.port).toBe(8080);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(drainTimeout);
  });
});

describe("deploy/nginx.conf", () => {
  it("gives running downloads as long as the mirror does, and has the lines that the image puts its own into", async () => {
    const text = await read("deploy/nginx.conf");
    expect(text).toContain(`worker_shutdown_timeout ${options({}).drainTimeout}s;`);
    expect(text.split("alias /var/lib/ferry/blobs/;")).toHaveLength(2);
    expect(text).toContain("server 127.0.0.1:8081;");
    expect(text).toContain("listen 8080;");
  });
});

import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Catalog } from "./catalog.ts";
import type { CatalogProblem } from "./catalog-watch.ts";
import type { PathClass } from "./path-class.ts";

/** What an answer was: a carried file, JSON or an index, a page for people, or words. */
export type AnswerKind = "file" | "api" | "page" | "text";

/** Prometheus metrics of one process. */
export interface Metrics {
  readonly registry: Registry;
  answered(method: string, status: number, kind: AnswerKind, bytes: number): void;
  notFound(kind: PathClass): void;
  /** Returns what is called when the download has ended. */
  downloadStarted(): () => void;
  downloadCut(): void;
}

export interface Observed {
  catalog: () => Catalog;
  problem: () => CatalogProblem | undefined;
}

const METHODS = new Set(["GET", "HEAD", "POST"]);

export function createMetrics(observed: Observed): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "ferry_http_requests_total",
    help: "Answered requests by method, status and kind of answer.",
    labelNames: ["method", "status", "kind"],
    registers,
  });
  const bytes = new Counter({
    name: "ferry_http_response_bytes_total",
    help: "Bytes of answers' bodies by kind of answer.",
    labelNames: ["kind"],
    registers,
  });
  const notFound = new Counter({
    name: "ferry_not_found_total",
    help: "Requests for what this mirror lacks, by kind of address.",
    labelNames: ["class"],
    registers,
  });
  const open = new Gauge({ name: "ferry_open_downloads", help: "Files that are being sent now.", registers });
  const cut = new Counter({
    name: "ferry_downloads_cut_total",
    help: "Files whose client went away or stalled before the end.",
    registers,
  });
  addCatalogMetrics(registers, observed);
  const child = childOnce();
  return {
    registry,
    answered: (method, status, kind, size) => {
      const known = METHODS.has(method) ? method : "other";
      child(requests, `${known} ${status} ${kind}`, { method: known, status, kind }).inc();
      if (size > 0) child(bytes, kind, { kind }).inc(size);
    },
    notFound: (kind) => {
      notFound.inc({ class: kind });
    },
    downloadStarted: () => {
      open.inc();
      return () => {
        open.dec();
      };
    },
    downloadCut: () => {
      cut.inc();
    },
  };
}

/** Looks a labelled counter up once: prom-client sorts and joins the labels each time, which shows at every request. */
function childOnce(): <L extends string>(
  counter: Counter<L>,
  key: string,
  labels: Partial<Record<L, string | number>>,
) => Counter.Internal {
  const children = new Map<object, Map<string, Counter.Internal>>();
  return (counter, key, labels) => {
    const known = children.get(counter) ?? new Map<string, Counter.Internal>();
    children.set(counter, known);
    const child = known.get(key) ?? counter.labels(labels);
    known.set(key, child);
    return child;
  };
}

function addCatalogMetrics(registers: Registry[], { catalog, problem }: Observed): void {
  // Every process of a mirror sees the same store: the greatest value is the value, not the sum.
  const gauge = (name: string, help: string, value: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      aggregator: "max",
      collect() {
        this.set(value());
      },
    });
  };
  gauge("ferry_store_bytes", "Bytes of the distinct contents that are served.", () => catalog().bytes);
  gauge("ferry_store_blobs", "Distinct contents that are served.", () => catalog().blobs);
  gauge("ferry_catalog_files", "Paths that are served.", () => catalog().files);
  gauge("ferry_catalog_stale", "1 while the store cannot be read and an older state of it is served.", () =>
    problem() === undefined ? 0 : 1,
  );
  new Gauge({
    name: "ferry_bundle_info",
    help: "1 for every bundle that is served, with who signed it.",
    labelNames: ["name", "counter", "signed_by"],
    registers,
    aggregator: "max",
    collect() {
      this.reset();
      for (const { document, signedBy } of catalog().bundles) {
        const signers = signedBy === undefined ? "unknown" : signedBy.join(",") || "nobody";
        this.set({ name: document.name, counter: document.counter, signed_by: signers }, 1);
      }
    },
  });
}

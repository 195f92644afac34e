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
  const tally = createTally();
  new Counter({
    name: "ferry_http_requests_total",
    help: "Answered requests by method, status and kind of answer.",
    labelNames: ["method", "status", "kind"],
    registers,
    collect() {
      this.reset();
      for (const { method, status, kind, requests } of tally.cells()) {
        this.inc({ method, status, kind }, requests);
      }
    },
  });
  new Counter({
    name: "ferry_http_response_bytes_total",
    help: "Bytes of answers' bodies by kind of answer.",
    labelNames: ["kind"],
    registers,
    collect() {
      this.reset();
      for (const { kind, bytes } of tally.cells()) if (bytes > 0) this.inc({ kind }, bytes);
    },
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
  return {
    registry,
    answered: tally.add,
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

/** What was answered, of one method, status and kind. */
interface Cell {
  method: string;
  status: number;
  kind: AnswerKind;
  requests: number;
  bytes: number;
}

/**
 * Counts answers in plain numbers, which become metrics when somebody asks for those: prom-client sorts, joins and
 * hashes labels at each increment, which shows at every request.
 */
function createTally(): {
  add: (method: string, status: number, kind: AnswerKind, bytes: number) => void;
  cells: () => readonly Cell[];
} {
  // A few dozen at most: methods, statuses and kinds are few.
  const cells: Cell[] = [];
  return {
    add: (given, status, kind, bytes) => {
      const method = METHODS.has(given) ? given : "other";
      let cell = cells.find((one) => one.status === status && one.kind === kind && one.method === method);
      if (cell === undefined) {
        cell = { method, status, kind, requests: 0, bytes: 0 };
        cells.push(cell);
      }
      cell.requests++;
      cell.bytes += bytes;
    },
    cells: () => cells,
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

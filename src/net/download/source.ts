import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../log.ts";
import type { Door } from "../door-types.ts";
import type { SplitPolicy } from "./split.ts";

/** One upstream file being fetched: where from, with what, and what was learned about it. */
export interface Source {
  door: Door;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Of its progress events. */
  id: string;
  /** How people call the file. */
  label: string;
  clock: Clock;
  logger: Logger;
  connections: number;
  split: SplitPolicy;
  learned: {
    /** false once the server ignored a Range header: then it is not sent again. */
    ranges: boolean;
    /** The last answer with content, for errors. */
    contentType: string | undefined;
    answeredBy: string;
  };
}

import type { ServeFlags as ServerFlags } from "../../server/options.ts";

/** What commander hands to the actions, by command. */
export interface JsonFlag {
  json?: boolean;
}
export interface UpstreamFlags {
  store?: string;
  recipes?: string;
  offline?: boolean;
}
export interface PlanFlags extends UpstreamFlags, JsonFlag {
  writeLock?: string;
  allowMissing?: boolean;
}
export interface BuildFlags extends UpstreamFlags {
  output: string;
  signKey: string[];
  passphraseFile?: string;
  locked?: string;
  previous: string[];
  acceptChanged?: boolean;
  allowMissing?: boolean;
  skipClosure?: boolean;
  jobs: number;
  connections: number;
}
export interface VerifyFlags extends JsonFlag {
  key: string[];
}
export interface InspectFlags extends JsonFlag {
  key: string[];
}
export interface ExportFolderFlags {
  key: string[];
  allowUnsigned?: boolean;
  arch: string;
  variant?: string;
  output: string;
}
export interface KeysNewFlags {
  out: string;
  type: string;
  passphraseFile?: string;
}
export interface KeysShowFlags extends JsonFlag {
  passphraseFile?: string;
}
export interface RecipeFlags extends JsonFlag {
  recipes?: string;
}
export interface CandidatesFlags extends RecipeFlags {
  arch: string;
  driver: string;
  cc: number;
  variant: string;
}
export interface BuildsFlags extends RecipeFlags {
  arch: string;
}
export interface EvalFlags {
  cases: string;
  recipes?: string;
}
export interface PinFlags extends UpstreamFlags, JsonFlag {}
export interface StoreFlags extends JsonFlag {
  store?: string;
}
export interface ImportFlags extends StoreFlags {
  key: string[];
  allowUnsigned?: boolean;
  prefer?: "new" | "old";
  allowOlder?: boolean;
}
export interface GcFlags extends StoreFlags {
  dryRun?: boolean;
  grace: number;
}
export type ServeFlags = ServerFlags;

import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { type Env, loadConfig } from "../src/config/load.ts";
import { SERVE_VARIABLES, type ServeVariable, serveEnvironment } from "../src/config/serve-variables.ts";
import { FerryError } from "../src/errors.ts";

/** `HOST:PORT`, `:PORT` (every address), `[V6]:PORT`, or a port alone (this machine only). */
const Listen = z
  .string()
  .regex(
    /^(?:(?:\[[0-9A-Fa-f:.]+\]|[^\s:[\]/]*):)?\d{1,5}$/,
    "must be HOST:PORT, such as 127.0.0.1:8080 or :8080",
  )
  .transform((text) => {
    const [, host, port] = /^(?:(.*):)?(\d+)$/.exec(text) ?? [];
    return { host: host === undefined ? "127.0.0.1" : host.replace(/^\[|\]$/g, ""), port: Number(port) };
  })
  .refine(({ port }) => port <= 65_535, "names a port above 65535");

const BaseUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*)?$/.test(text) && URL.canParse(text),
    "must be http(s)://HOST[:PORT][/PATH], without query",
  )
  .transform((text) => text.replace(/\/+$/, ""));

const count = (low: number, high: number): z.ZodType<number> =>
  z.coerce
    .number()
    .int("must be a whole number")
    .min(low, `must be at least ${low}`)
    .max(high, `must be at most ${high}`);

/** How the mirror is served. Seconds where a time is meant. */
export const ServeOptions = z.strictObject({
  store: z.string().min(1),
  listen: z.strictObject({ host: z.string(), port: z.int() }),
  baseUrl: z.string().optional(),
  tls: z.strictObject({ cert: z.string(), key: z.string() }).optional(),
  auth: z.string().optional(),
  workers: z.int(),
  accel: z.literal("nginx").optional(),
  sendfile: z.boolean(),
  trustProxy: z.string(),
  idleTimeout: z.number(),
  drainTimeout: z.number(),
  drainDelay: z.number(),
  maxConnections: z.int(),
  accessLog: z.string(),
});
export type ServeOptions = z.infer<typeof ServeOptions>;

/** Flags as the command line has them; undefined means "not given". */
export type ServeFlags = Partial<Record<Exclude<ServeVariable, "noSendfile">, string | undefined>> & {
  store?: string | undefined;
  /** false for `--no-sendfile`. */
  sendfile?: boolean | undefined;
};

const Raw = z.strictObject({
  listen: Listen.default({ host: "127.0.0.1", port: 8080 }),
  baseUrl: BaseUrl.optional(),
  tlsCert: z.string().optional(),
  tlsKey: z.string().optional(),
  auth: z.string().optional(),
  workers: count(1, 64).default(1),
  accel: z.literal("nginx", "must be nginx").optional(),
  noSendfile: z.enum(["0", "1"], "must be 1 or 0").default("0"),
  trustProxy: z.string().default("loopback"),
  idleTimeout: count(1, 86_400).default(120),
  drainTimeout: count(0, 3600).default(30),
  drainDelay: count(0, 600).default(0),
  maxConnections: count(1, 1_000_000).default(4096),
  accessLog: z.string().default("stderr"),
});

/**
 * Flags over environment over defaults, checked. Relative files are taken from `cwd`.
 * Throws CONFIG_INVALID naming the flag and its variable.
 */
export function serveOptions(flags: ServeFlags, env: Env, cwd: string): ServeOptions {
  const { store, sendfile, ...given } = flags;
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const noSendfile = sendfile === false ? { noSendfile: "1" } : {};
  const parsed = Raw.safeParse({ ...serveEnvironment(env), ...stated, ...noSendfile });
  if (!parsed.success) throw invalid(parsed.error.issues);
  const { tlsCert, tlsKey, auth, baseUrl, accel, noSendfile: off, accessLog, ...rest } = parsed.data;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new FerryError("CONFIG_INVALID", "TLS needs both --tls-cert and --tls-key", {
      hint: "Give both files (FERRY_TLS_CERT, FERRY_TLS_KEY), or neither to serve plain http.",
    });
  }
  const file = (path: string): string => (isAbsolute(path) ? path : resolve(cwd, path));
  return {
    ...rest,
    store: file(loadConfig(env, { store }).storeRoot),
    sendfile: off === "0",
    accessLog: accessLog === "stderr" || accessLog === "off" ? accessLog : file(accessLog),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(accel === undefined ? {} : { accel }),
    ...(auth === undefined ? {} : { auth: file(auth) }),
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: file(tlsCert), key: file(tlsKey) } }),
  };
}

function invalid(issues: readonly z.core.$ZodIssue[]): FerryError {
  const problems = issues.map(({ path, message }) => {
    const name = String(path[0]);
    const variable = Object.hasOwn(SERVE_VARIABLES, name) ? SERVE_VARIABLES[name as ServeVariable].name : "";
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return `${flag} (${variable}): ${message}`;
  });
  return new FerryError("CONFIG_INVALID", problems.join("; "), { hint: "See: ferry serve --help" });
}

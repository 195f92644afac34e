import { homedir } from "node:os";
import { join } from "node:path";
import { FerryError } from "../errors.ts";
import { redactText } from "../lib/redact.ts";
import { basicAuthorization } from "./netrc.ts";

/** Environment variables as given by the process; the one thing that this folder reads settings from besides flags. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What flags may override; undefined means "not given". */
export interface Flags {
  store?: string | undefined;
  recipes?: string | undefined;
  offline?: boolean | undefined;
}

export interface Config {
  /** Root of the local store. */
  storeRoot: string;
  /** Folder of the operator's recipes, if any. */
  recipeOverlay: string | undefined;
  /** Where `recipe pin` writes when no overlay is configured. */
  defaultOverlay: string;
  github: { url: string; apiUrl: string; token: string | undefined };
  /** Origins that were configured as plain http; everything else is https alone. */
  insecureOrigins: string[];
  proxy: { http?: string; https?: string; no?: string };
  /** Seconds since the epoch for `created`, from SOURCE_DATE_EPOCH. */
  sourceDateEpoch: number | undefined;
  keyPassphrase: string | undefined;
  python: {
    /** A uv of this machine. */
    uv: string | undefined;
    /** Base of PyTorch's index, without a trailing slash. */
    torchIndexUrl: string;
    /** Authorization for files of the index, where its address or uv's variables for it hold a user and a password. */
    credentials: { origin: string; authorization: string } | undefined;
    /** The netrc file that uv reads, where it is not `.netrc` in the home folder. */
    netrc: string | undefined;
  };
  offline: boolean;
}

/** Environment under flags, checked. Throws CONFIG_INVALID naming the variable; an empty value counts as absent. */
export function loadConfig(env: Env, flags: Flags = {}): Config {
  const get = (name: string): string | undefined => (env[name] === "" ? undefined : env[name]);
  const home = get("HOME") ?? homedir();
  const cache = get("XDG_CACHE_HOME") ?? join(home, ".cache");
  const data = get("XDG_CONFIG_HOME") ?? join(home, ".config");
  const url = baseUrl("FERRY_GITHUB_URL", get("FERRY_GITHUB_URL") ?? "https://github.com");
  const apiUrl = baseUrl("FERRY_GITHUB_API_URL", get("FERRY_GITHUB_API_URL") ?? "https://api.github.com");
  const { python, origins } = pythonConfig(get);
  const http = get("HTTP_PROXY") ?? get("http_proxy");
  const https = get("HTTPS_PROXY") ?? get("https_proxy");
  const no = get("NO_PROXY") ?? get("no_proxy");
  return {
    storeRoot: flags.store ?? get("FERRY_STORE") ?? join(cache, "engine-ferry", "store"),
    recipeOverlay: flags.recipes ?? get("FERRY_RECIPES"),
    defaultOverlay: join(data, "engine-ferry", "recipes"),
    github: { url, apiUrl, token: token(get("GITHUB_TOKEN")) },
    insecureOrigins: [
      ...new Set(
        [url, apiUrl, ...origins]
          .filter((base) => base.startsWith("http:"))
          .map((base) => new URL(base).origin),
      ),
    ],
    proxy: {
      ...(http === undefined ? {} : { http }),
      ...(https === undefined ? {} : { https }),
      ...(no === undefined ? {} : { no }),
    },
    sourceDateEpoch: epoch(get("SOURCE_DATE_EPOCH")),
    keyPassphrase: get("FERRY_KEY_PASSPHRASE"),
    python,
    offline: flags.offline ?? flag("FERRY_OFFLINE", get("FERRY_OFFLINE")),
  };
}

function baseUrl(name: string, value: string): string {
  let url: URL;
  try {
    url = new URL(value);
  } catch (cause) {
    throw new FerryError("CONFIG_INVALID", `${name} is not a URL: ${redactText(value)}`, {
      cause,
      hint: `Set ${name} to something like https://github.example.org, without a path to a repository.`,
    });
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new FerryError(
      "CONFIG_INVALID",
      `${name} must begin with https:// or http://, not ${url.protocol}//`,
    );
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new FerryError("CONFIG_INVALID", `${name} must be a plain base: no user, query or fragment`, {
      hint: "Give a token in GITHUB_TOKEN.",
    });
  }
  return url.href.replace(/\/+$/, "");
}

function pythonConfig(get: (name: string) => string | undefined): {
  python: Config["python"];
  /** Addresses that files may come from. */
  origins: string[];
} {
  const torchIndexUrl = baseUrl(
    "FERRY_TORCH_INDEX_URL",
    get("FERRY_TORCH_INDEX_URL") ?? "https://download.pytorch.org/whl",
  );
  const setting = get("UV_DEFAULT_INDEX");
  const index = indexUrl(setting);
  return {
    python: {
      uv: get("FERRY_UV"),
      torchIndexUrl,
      credentials: credentialsOf(index, setting, get),
      netrc: get("NETRC"),
    },
    origins: [torchIndexUrl, ...(index === undefined ? [] : [index.href])],
  };
}

/** uv's index may hold a user and a password, which `baseUrl` would refuse; what uv itself makes of it is uv's to say. */
function indexUrl(value: string | undefined): URL | undefined {
  // uv takes `NAME=URL` too.
  const address = value?.replace(/^[A-Za-z0-9._-]+=/, "");
  if (address === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}

/** A percent sign that begins no encoding stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** From the address itself, else from uv's variables for an index with a name (`NAME=URL`, UV_INDEX_NAME_PASSWORD). */
function credentialsOf(
  index: URL | undefined,
  setting: string | undefined,
  get: (name: string) => string | undefined,
): Config["python"]["credentials"] {
  if (index === undefined) return undefined;
  const { origin } = index;
  if (index.username !== "" || index.password !== "") {
    const [user, password] = [index.username, index.password].map(decoded);
    return { origin, authorization: basicAuthorization(user ?? "", password ?? "") };
  }
  const name = /^([A-Za-z0-9._-]+)=/.exec(setting ?? "")?.[1];
  if (name === undefined) return undefined;
  const prefix = `UV_INDEX_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
  const [user, password] = [get(`${prefix}_USERNAME`), get(`${prefix}_PASSWORD`)];
  if (user === undefined && password === undefined) return undefined;
  return { origin, authorization: basicAuthorization(user ?? "", password ?? "") };
}

/** A token goes into a header; what an editor or `$(cat FILE)` left behind it would only fail there. */
function token(value: string | undefined): string | undefined {
  if (value === undefined || /^[\u0021-\u007e]+$/.test(value)) return value;
  throw new FerryError(
    "CONFIG_INVALID",
    "GITHUB_TOKEN holds a space, line end or other character that no token has",
    {
      hint: "Set it to the token alone, without quotes or a carriage return at its end.",
    },
  );
}

function epoch(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,11}$/.test(value)) {
    throw new FerryError(
      "CONFIG_INVALID",
      `SOURCE_DATE_EPOCH must be whole seconds since 1970, not "${value}"`,
    );
  }
  return Number(value);
}

function flag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "0") return false;
  if (value === "1") return true;
  throw new FerryError("CONFIG_INVALID", `${name} must be 1 or 0, not "${value}"`);
}

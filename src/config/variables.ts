/** Every variable that is read, for `--help` and docs/cli.md (a test compares). */
export const VARIABLES: Readonly<Record<string, string>> = {
  FERRY_STORE: "local store (default: engine-ferry/store under XDG_CACHE_HOME or ~/.cache)",
  FERRY_RECIPES: "overlay folder with recipes and pins of your own",
  FERRY_GITHUB_URL: "where releases are downloaded from (default https://github.com)",
  FERRY_GITHUB_API_URL:
    "GitHub's REST API (default https://api.github.com; GitHub Enterprise: https://HOST/api/v3)",
  FERRY_UV: "uv of this machine that resolves Python engines, in place of the carried one",
  FERRY_TORCH_INDEX_URL: "PyTorch's package index (default https://download.pytorch.org/whl)",
  UV_DEFAULT_INDEX:
    "Python package index, as uv reads it; so are its settings for credentials and certificates",
  FERRY_OFFLINE: "1: never open a connection",
  FERRY_KEY_PASSPHRASE: "passphrase of the signing key",
  GITHUB_TOKEN: "token for the API; sent to FERRY_GITHUB_API_URL's origin alone",
  SOURCE_DATE_EPOCH: "creation time written into bundles, seconds since 1970",
  HTTPS_PROXY: "proxy for https (also HTTP_PROXY, NO_PROXY, and their lower-case names)",
};

/**
 * Settings of the command line for the real package index, as this machine reaches it: those of the practice index are
 * taken out of `env`, and what uv is told of indexes, certificates and proxies here is put in.
 */
export function realIndexSettings(env: Record<string, string>): Record<string, string> {
  delete env["UV_DEFAULT_INDEX"];
  const settings: Record<string, string> = {};
  for (const name of ["UV_DEFAULT_INDEX", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "NO_PROXY"]) {
    const value = process.env[name];
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

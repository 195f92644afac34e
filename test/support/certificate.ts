import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate that signs itself, for these names, and its key: files under `folder`, made by openssl. */
export async function selfSigned(
  folder: string,
  name: string,
  hosts: readonly string[] = ["127.0.0.1"],
): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const alternatives = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(",");
  const options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${alternatives}`];
  await run("openssl", ["req", "-x509", ...options, "-keyout", key, "-out", cert, ...subject]);
  return { cert, key };
}

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tmpDir } from "../tmp.ts";

/** An https front of an http server on this machine, with a certificate of an authority that nobody knows but `ca`. */
export async function tlsFront(origin: string): Promise<{ url: string; ca: string }> {
  const folder = await tmpDir("ferry-tls-");
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync("openssl", args, { stdio: "pipe", cwd: folder });
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-days",
    "2",
    "-keyout",
    "ca.key",
    "-out",
    "ca.crt",
    "-subj",
    "/CN=practice",
  );
  openssl("req", ...key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=mirror");
  // Strict clients take no authority's own certificate for a server's.
  await writeFile(at("leaf.ext"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n");
  const signed = [
    "-CA",
    "ca.crt",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    "leaf.ext",
  ];
  openssl("x509", "-req", "-in", "leaf.csr", "-out", "leaf.crt", ...signed);
  const server = createServer(
    { cert: await readFile(at("leaf.crt")), key: await readFile(at("leaf.key")) },
    (incoming, outgoing) => {
      const { method, headers, url } = incoming;
      const onward = request(`${origin}${url ?? "/"}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      incoming.pipe(onward);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: at("ca.crt") };
}

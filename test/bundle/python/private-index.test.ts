import { readFile, writeFile } from "node:fs/promises";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { pythonBuilderSite } from "../../support/python-builder-site.ts";
import { makeWheel } from "../../support/python-index/wheel.ts";
import { REAL_UV_TIMEOUT, realUv } from "../../support/real-uv.ts";

beforeAll(() => realUv(), REAL_UV_TIMEOUT);

const SPEC = "name: tools\nengines:\n  - { engine: toolbox, versions: ['1.0'], arch: [amd64] }\n";
const WANTED = `Basic ${Buffer.from("nodes:s3cret").toString("base64")}`;

/** A door before an index that lets nobody in without the password. Returns `http://localhost:PORT`. */
async function guarded(origin: string): Promise<string> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== WANTED) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end("who are you");
      return;
    }
    const { method = "GET", url = "/", headers } = request;
    const inner = ask(
      `${origin}${url}`,
      { method, headers: { ...headers, host: new URL(origin).host } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(inner);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

it.each(["netrc", "address"])(
  "a private index is asked with the %s's password, which stands nowhere in the bundle",
  async (from) => {
    const made = await pythonBuilderSite();
    made.index.add(makeWheel({ name: "toolbox", version: "1.0" }), { uploadedAt: "2026-02-01T10:00:00Z" });
    const origin = await guarded(made.index.origin);
    if (from === "netrc") {
      await writeFile(made.at("netrc"), "machine localhost login nodes password s3cret\n");
      Object.assign(made.env, { UV_DEFAULT_INDEX: `${origin}/simple/`, NETRC: made.at("netrc") });
    } else made.env["UV_DEFAULT_INDEX"] = `${origin.replace("//", "//nodes:s3cret@")}/simple/`;
    const run = await made.ferry("build", await made.spec(SPEC), "-o", "b.tar");
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).not.toContain("s3cret");
    expect((await readFile(made.at("b.tar"))).includes("s3cret")).toBe(false);
  },
);

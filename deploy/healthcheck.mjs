// Asks the mirror in this container whether it answers, for Docker's HEALTHCHECK: exit code 0 if so.
// The image has neither curl nor wget. Kubernetes asks /healthz and /readyz itself.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

const TIMEOUT_MS = 5000;

const { FERRY_LISTEN = "", FERRY_TLS_CERT = "" } = process.env;
const port = Number(/(\d+)$/.exec(FERRY_LISTEN)?.[1] ?? 8080);
// An address of all addresses is asked on the loopback one.
const named = /^(.*):\d+$/.exec(FERRY_LISTEN)?.[1]?.replace(/^\[|\]$/g, "") ?? "";
const host = named === "" || named === "0.0.0.0" || named === "::" ? "127.0.0.1" : named;
const secure = FERRY_TLS_CERT !== "";

function end(code, words) {
  process.stdout.write(`${words}\n`);
  process.exit(code);
}

const send = secure ? httpsRequest : httpRequest;
// The certificate names the mirror as nodes call it, not the loopback address.
const request = send({ host, port, path: "/healthz", rejectUnauthorized: false, timeout: TIMEOUT_MS });
request.on("response", (response) =>
  end(response.statusCode === 200 ? 0 : 1, `healthz: ${response.statusCode}`),
);
request.on("timeout", () => end(1, `healthz: no answer within ${TIMEOUT_MS} ms`));
request.on("error", (error) => end(1, `healthz: ${error.message}`));
request.end();

import { isFerryError } from "../../../src/errors.ts";
import { createDoor } from "../../../src/net/door.ts";

/**
 * A program for tests that need another process, because node reads NODE_EXTRA_CA_CERTS when it starts:
 * asks the URL, then prints status and body, or the error's code, as one line of JSON. An optional third word is the https proxy.
 */
const [url = "", proxy] = process.argv.slice(2);
const door = createDoor({
  offline: false,
  insecureOrigins: [],
  proxy: proxy === undefined ? {} : { https: proxy },
  userAgent: "engine-ferry/test",
  timeouts: { connect: 5000, idle: 5000 },
});
try {
  const response = await door.request(url);
  const chunks: Buffer[] = [];
  for await (const chunk of response.body as AsyncIterable<Buffer>) chunks.push(chunk);
  process.stdout.write(JSON.stringify({ status: response.status, body: Buffer.concat(chunks).toString() }));
} catch (error) {
  process.stdout.write(JSON.stringify({ code: isFerryError(error) ? error.code : String(error) }));
} finally {
  await door.close();
}

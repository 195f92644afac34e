import { systemClock } from "../../../src/lib/clock.ts";
import { parseDigest } from "../../../src/lib/digest.ts";
import { createDoor } from "../../../src/net/door.ts";
import { download } from "../../../src/net/download.ts";

/** A program for tests that kill it: fetches URL (size, digest) into a path, then prints the digest. */
const [url = "", size = "", digest = "", partialPath = ""] = process.argv.slice(2);
const door = createDoor({
  offline: false,
  insecureOrigins: [new URL(url).origin],
  proxy: {},
  userAgent: "engine-ferry/test",
  timeouts: { connect: 5000, idle: 60_000 },
});
const result = await download({
  door,
  url,
  size: Number(size),
  digest: parseDigest(digest),
  partialPath,
  connections: 4,
  signal: new AbortController().signal,
  clock: systemClock,
  logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, progress: () => undefined },
  id: "f",
  label: "f",
  random: Math.random,
});
await door.close();
process.stdout.write(result.digest);

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Debian's chromium, where it is installed. */
export const CHROMIUM = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find((path) => existsSync(path));

/** It speaks to nobody of its own accord, has no sandbox (tests run as root) and needs no graphics card. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A name that is no loopback address to the browser: over plain http such a page may do less.
  "--host-resolver-rules=MAP mirror.test 127.0.0.1",
];

/** A headless browser with a profile of its own, which is removed when it is closed. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS, headless: true });
}

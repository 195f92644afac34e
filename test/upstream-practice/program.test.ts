import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

it("the program prints the two settings, serves, and ends when told to", async () => {
  const program = spawn("node_modules/.bin/tsx", ["test/support/upstream/main.ts", "--scale", "100000"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(program, "exit");
  const settings: Record<string, string> = {};
  for await (const line of createInterface({ input: program.stdout })) {
    const [name = "", value = ""] = line.split("=");
    settings[name] = value;
    if (Object.keys(settings).length === 2) break;
  }
  expect(Object.keys(settings)).toEqual(["FERRY_GITHUB_URL", "FERRY_GITHUB_API_URL"]);
  const url = `${settings["FERRY_GITHUB_API_URL"] ?? ""}/repos/astral-sh/uv/releases/latest`;
  expect((await fetch(url)).status).toBe(200);
  program.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}, 30_000);

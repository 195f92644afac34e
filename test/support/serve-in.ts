import { onTestFinished } from "vitest";
import { spawnFerry } from "./spawn-ferry.ts";

/** Starts `ferry serve` on a free port of an address, until the running test ends. Resolves with its URL. */
export async function serveIn(options: { store: string; host: string; cwd: string }): Promise<string> {
  const mirror = spawnFerry(["serve", "--store", options.store, "--listen", `${options.host}:0`], {
    cwd: options.cwd,
    env: {},
  });
  onTestFinished(async () => {
    mirror.child.kill("SIGTERM");
    await mirror.done;
  });
  return new Promise<string>((resolve, reject) => {
    void mirror.done.then(({ stderr }) => {
      reject(new Error(`the mirror ended: ${stderr}`));
    });
    mirror.child.stdout?.on("data", (text: string) => {
      const said = /listening on (\S+)/.exec(text)?.[1];
      if (said !== undefined) resolve(said);
    });
  });
}

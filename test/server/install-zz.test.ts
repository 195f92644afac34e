import { expect, it } from "vitest";
import { installSite } from "../support/install/install-site.ts";
import { readFile } from "node:fs/promises";
it("count", async () => {
  const { install, node } = await installSite();
  const t = Date.now();
  await install(["llamacpp", "b11347"]);
  console.log("plain", Date.now() - t);
  const s2 = await installSite();
  const run = await s2.install(["llamacpp", "b11347"], { before: ["/usr/bin/strace", "-f", "-e", "trace=execve,clone,vfork,fork", "-o", "/tmp/strace.out"] });
  console.log(run);
  expect(1).toBe(1);
});

import { existsSync, readFileSync } from "node:fs";
import { cp, lstat, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type InstallSite, installSite } from "../support/install/install-site.ts";
import { SHELLS, type Shell, which } from "../support/install/node.ts";
import { practiceBundle } from "../support/install/practice-bundle.ts";

const WANTED = ["llamacpp", "b11347"];
/** Whatever changes something on the disk, or takes long. */
const STEPS = ["curl", "wget", "tar", "mv", "rm", "mkdir", "chmod", "ln", "sync", "mktemp"];

/** Makes the node count its steps, and end everything at once when it is about to do the one of this number. */
async function countSteps(
  { node }: InstallSite,
  shell: Shell,
): Promise<{ killAt: (step: number) => Promise<void> }> {
  const counter = join(node.folder, "steps");
  const limit = join(node.folder, "kill-at");
  const cat = shell.busybox ? `${which("busybox")} cat` : which("cat");
  for (const name of STEPS) {
    const real = shell.busybox ? `${which("busybox")} ${name}` : name === "wget" ? "false" : which(name);
    if (shell.busybox ? name === "curl" : name === "wget") continue;
    await node.program(
      name,
      `n=$(($(${cat} '${counter}') + 1)); echo "$n" >'${counter}'\n[ "$n" != "$(${cat} '${limit}')" ] || kill -9 0\nexec ${real} "$@"`,
    );
  }
  return {
    killAt: async (step) => {
      await writeFile(counter, "0");
      await writeFile(limit, String(step));
    },
  };
}

describe.each(SHELLS.filter(({ name }) => name !== "bash"))("M15 in $name", (shell) => {
  it("M15: an install that is killed at any step leaves a version that works, and the next run finishes", {
    timeout: 600_000,
  }, async () => {
    const bundles = [practiceBundle({ tags: ["b11300", "b11347"], variants: ["cpu"] })];
    const site = await installSite({ shell, bundles });
    const { install, version, ferry, node, at } = site;
    expect((await install(["llamacpp", "b11300"])).code).toBe(0);
    const base = join(node.folder, "base");
    const again = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
    await cp(node.prefix, base, again);

    const steps = await countSteps(site, shell);
    // Both are killed before every kind of step; dash, whose runs are shorter, before every single one.
    const stride = shell.busybox ? 3 : 1;
    let step = 1 - stride;
    let code = 137;
    const ends = { old: 0, new: 0 };
    while (code === 137) {
      step += stride;
      await steps.killAt(step);
      ({ code } = await install(WANTED));
      await steps.killAt(-1);
      expect([step, await version()]).toEqual([step, expect.stringMatching(/^version: 113(00|47) /)]);
      const isNew = (await readlink(at("engines/llamacpp/current"))) !== "b11300-cpu";
      ends[isNew ? "new" : "old"]++;
      // Once the new one is in its place, runs are shorter: from then on each begins where the first one did.
      if (code === 137 && existsSync(at("engines/llamacpp/b11347-cpu"))) {
        const status = await ferry("status");
        expect([step, status.code, status.stdout]).toEqual([step, 0, expect.stringContaining("b11347-cpu")]);
        expect([step, (await install(WANTED)).code]).toEqual([step, 0]);
        expect(await readlink(at("engines/llamacpp/previous"))).toBe("b11300-cpu");
        await rm(node.prefix, { recursive: true });
        await cp(base, node.prefix, again);
      }
    }
    expect([step, code]).toEqual([step, 0]);
    // Far more kills come before the one step that puts the new version in use than after it.
    expect(ends.old).toBeGreaterThan(15 / stride);
    expect(ends.new).toBeGreaterThanOrEqual(1);
    expect(await version()).toMatch(/^version: 11347 /);
    expect(await readlink(at("engines/llamacpp/previous"))).toBe("b11300-cpu");
    for (const left of ["engines/llamacpp/.work", ".lock"]) {
      await expect(lstat(at(left))).rejects.toThrow("ENOENT");
    }
  });

  it("M15: what was downloaded before a kill is not downloaded again", async () => {
    const site = await installSite({ shell });
    const real = shell.busybox ? `${which("busybox")} tar` : which("tar");
    await site.node.program("tar", "kill -9 0");
    expect((await site.install(WANTED)).code).toBe(137);
    site.mirror.requests.length = 0;
    await site.node.program("tar", `exec ${real} "$@"`);
    expect((await site.install(WANTED)).code).toBe(0);
    expect(site.mirror.requests.filter((line) => line.includes("/releases/download/"))).toEqual([]);
  });
});

describe("two installs at once", () => {
  it("are not: the second is told who is at work", async () => {
    const { install, at, node } = await installSite();
    await node.start(["mkdir", "-p", node.prefix]);
    // This process itself, as the script would name it.
    await symlink(`${process.pid} ${markOf(process.pid)}`, at(".lock"));
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining(`another ferry-install (process ${process.pid})`),
    ]);
  });

  it.each([
    ["a process that is gone", () => `999999999 ${markOf(process.pid)}`],
    ["another process that has its number now", () => `${process.pid} other-boot 1`],
    ["nobody", () => "nobody"],
  ])("what %s left behind is in nobody's way", async (_name, holder) => {
    const { install, at, node } = await installSite();
    await node.start(["mkdir", "-p", node.prefix]);
    await symlink(holder(), at(".lock"));
    expect((await install(WANTED)).code).toBe(0);
    await expect(lstat(at(".lock"))).rejects.toThrow("ENOENT");
  });

  it("started together, leave one whole installation", async () => {
    const { install, version } = await installSite();
    const runs = await Promise.all([install(WANTED), install(WANTED), install(WANTED)]);
    expect(runs.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(1);
    for (const { code, stderr } of runs) {
      if (code !== 0) expect([code, stderr]).toEqual([7, expect.stringContaining("is at work in")]);
    }
    expect(await version()).toMatch(/^version: 11347 /);
  });
});

/** When a process began, as the script notes it. */
function markOf(pid: number): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const began =
    readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")[19] ?? "";
  return `${boot} ${began}`;
}

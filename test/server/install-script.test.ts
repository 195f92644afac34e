import { spawnSync } from "node:child_process";
import { lstat, mkdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAuth } from "../../server/auth.ts";
import { readInstallScript, renderInstallScript } from "../../server/install/script.ts";
import { installSite } from "../support/install/install-site.ts";
import { practiceNode, SHELLS, which } from "../support/install/node.ts";
import { practiceBundle } from "../support/install/practice-bundle.ts";
import { builtinTable } from "../support/recipes.ts";
import { tmpDir } from "../support/tmp.ts";

const WANTED = ["llamacpp", "b11347"];
const script = await readInstallScript();

describe("the script as it is served", () => {
  it("is one POSIX script that the shell checker has nothing against", async () => {
    const file = join(await tmpDir(), "install.sh");
    await writeFile(file, script);
    const { stdout, status } = spawnSync(which("shellcheck"), ["-s", "sh", file], { encoding: "utf8" });
    expect([stdout, status]).toEqual(["", 0]);
  });

  it("holds the mirror's address, and nothing that is none", () => {
    expect(renderInstallScript(script, "https://m.example:8443/ferry")).toContain(
      "\ndefault_mirror='https://m.example:8443/ferry'\n",
    );
    for (const base of ["http://a'; reboot; '", "http://a$(id)", "ftp://a", "http://", "http://a b"]) {
      expect(renderInstallScript(script, base)).toBeUndefined();
    }
  });

  it("comes from /install.sh as text that a browser shows", async () => {
    const { mirror, node } = await installSite();
    const answer = await fetch(`${mirror.url}/install.sh`);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const text = await answer.text();
    expect(text).toContain(`default_mirror='${mirror.url}'`);
    const run = await node.start(["sh", "-s", "--", ...WANTED, "--prefix", node.prefix], { input: text });
    expect([run.stderr, run.code]).toEqual(["", 0]);
  });

  it.each(SHELLS)("does nothing at all where it was cut short, in $name", async (shell) => {
    const { node, mirror } = await installSite({ shell });
    const lines = script.split("\n");
    for (const part of [0.05, 0.3, 0.55, 0.8, 0.99, 1]) {
      const cut = lines.slice(0, Math.floor((lines.length - 6) * part)).join("\n");
      const command = [
        ...shell.command,
        "-s",
        "--",
        ...WANTED,
        "--mirror",
        mirror.url,
        "--prefix",
        node.prefix,
      ];
      await node.start(command, { input: cut });
    }
    expect(mirror.requests).toEqual([]);
    await expect(lstat(node.prefix)).rejects.toThrow("ENOENT");
  });
});

describe.each(SHELLS)("an install in $name", { timeout: 120_000 }, (shell) => {
  it("puts the engine, its program and the script in place, with the right modes", async () => {
    const { install, at, version, node, ferry } = await installSite({ shell });
    const run = await install(WANTED);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain(
      `llamacpp b11347 (cpu) is installed in ${at("engines/llamacpp/b11347-cpu")}`,
    );
    expect(run.stdout).toContain("it says: version: 11347");
    expect(await version()).toMatch(/^version: 11347 /);
    expect(await readlink(at("engines/llamacpp/current"))).toBe("b11347-cpu");
    const mode = async (path: string): Promise<string> => ((await lstat(at(path))).mode & 0o7777).toString(8);
    const tree = "engines/llamacpp/b11347-cpu";
    expect(await mode(tree)).toBe("755");
    expect(await mode(`${tree}/llama-server`)).toBe("755");
    expect(await mode(`${tree}/LICENSE`)).toBe("644");
    expect(await mode("bin/llama-server")).toBe("755");
    expect(await readlink(at(tree, "libllama.so"))).toBe("libllama.so.0");
    expect(await readlink(at(tree, "libllama.so.0"))).toBe("libllama.so.0.0.11347");
    for (const left of [at("engines/llamacpp/.work"), at(".lock"), join(node.folder, "tmp/x")]) {
      await expect(lstat(left)).rejects.toThrow("ENOENT");
    }
    const status = await ferry("status");
    expect([status.stderr, status.code]).toEqual(["", 0]);
    expect(status.stdout).toContain("llamacpp b11347-cpu, in use: ");
    expect(status.stdout).toContain("it runs: version: 11347");
  });

  it("M17: merges the archives of a build into one folder, keeps links, and sees the card", async () => {
    const { install, at } = await installSite({ shell, driver: "580.65.06" });
    const run = await install(WANTED);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("card:    CUDA0: Practice GPU");
    const tree = at("engines/llamacpp/b11347-cuda-13.4");
    expect(await readlink(join(tree, "libcudart.so"))).toBe("libcudart.so.13");
    expect(await readlink(join(tree, "libggml.so"))).toBe("libggml.so.0");
    expect((await stat(join(tree, "libcudart.so"))).isFile()).toBe(true);
  });

  it("keeps the old version until the new one runs, and goes back to it when told", async () => {
    const bundles = [practiceBundle({ tags: ["b11300", "b11347"], variants: ["cpu"] })];
    const { install, version, ferry, at } = await installSite({ shell, bundles });
    expect((await install(["llamacpp", "b11300"])).code).toBe(0);
    expect((await ferry("llamacpp", "b11347")).code).toBe(0);
    expect(await version()).toMatch(/^version: 11347 /);
    const back = await ferry("rollback", "llamacpp");
    expect([back.stderr, back.code]).toEqual(["", 0]);
    expect(back.stdout).toContain("b11300-cpu is in use again, in place of b11347-cpu");
    expect(await version()).toMatch(/^version: 11300 /);
    expect(await readlink(at("engines/llamacpp/previous"))).toBe("b11347-cpu");
    const inUse = await ferry("remove", "llamacpp", "b11300-cpu");
    expect([inUse.code, inUse.stderr]).toEqual([7, expect.stringContaining("is in use")]);
    expect((await ferry("remove", "llamacpp", "b11347-cpu")).code).toBe(0);
    expect((await ferry("status")).stdout).not.toContain("b11347");
    expect((await ferry("remove", "llamacpp")).stdout).toContain("llamacpp is removed");
    await expect(lstat(at("bin/llama-server"))).rejects.toThrow("ENOENT");
    await expect(lstat(at("engines/llamacpp"))).rejects.toThrow("ENOENT");
    expect((await ferry("status")).stdout).toContain("nothing is installed below");
  });

  it("is done already where the same files are installed and run", async () => {
    const { install, mirror } = await installSite({ shell });
    expect((await install(WANTED)).code).toBe(0);
    mirror.requests.length = 0;
    const again = await install(WANTED);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("is installed already")]);
    expect(mirror.requests.filter((line) => line.includes("/releases/download/"))).toEqual([]);
  });

  it("says what it would do, and does nothing", async () => {
    const { install, node, mirror } = await installSite({ shell, driver: "580.65.06" });
    const run = await install([...WANTED, "--dry-run"]);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(run.stdout).toContain("this machine: amd64, glibc");
    expect(run.stdout).toContain("would install llamacpp b11347 cuda-13.4");
    expect(run.stdout).toContain("if that does not run: vulkan");
    await expect(lstat(node.prefix)).rejects.toThrow("ENOENT");
    expect(mirror.requests.length).toBe(1);
  });
});

describe("an install with what a machine has", { timeout: 120_000 }, () => {
  it.each([[["wget", "openssl"]], [["wget", "sha256sum"]], [["curl", "sha256sum"]]])("%j", async (tools) => {
    const { install, version } = await installSite({ tools });
    const run = await install(WANTED);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    expect(await version()).toMatch(/^version: 11347 /);
  });

  it.each([
    [["openssl"], "neither curl nor wget is here"],
    [["curl"], "neither openssl nor sha256sum is here"],
  ])("%j alone is too little", async (tools, words) => {
    const { install } = await installSite({ tools });
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([7, expect.stringContaining(words)]);
  });

  it.each(["curl", "wget"])("a token, which %s does not show to other users", async (getter) => {
    const auth = parseAuth("bearer s3cret-token", "auth");
    const { install, node } = await installSite({ auth, tools: [getter, "openssl"] });
    const log = join(node.folder, "commands");
    await node.program(getter, `printf '%s\\n' "$*" >>'${log}'\nexec ${which(getter)} "$@"`);
    const refused = await install(WANTED);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringMatching(/401|Unauthorized|Authentication/),
    ]);
    expect((await install(WANTED, { env: { FERRY_TOKEN: "s3cret-token" } })).code).toBe(0);
    expect(await readFile(log, "utf8")).not.toContain("s3cret");
  });

  it("the variant and the folder that were asked for", async () => {
    const { install, at } = await installSite({ driver: "580.65.06" });
    expect((await install([...WANTED, "--variant=vulkan"])).code).toBe(0);
    expect(await readlink(at("engines/llamacpp/current"))).toBe("b11347-vulkan");
  });

  it("a card that nvidia-smi cannot be asked about, and one that is not to be used", async () => {
    const { install, at } = await installSite();
    const named = await install([...WANTED, "--driver", "550.54", "--cc", "8.6", "--dry-run"]);
    expect(named.stdout).toContain("would install llamacpp b11347 cuda-12.8");
    expect((await install([...WANTED, "--no-gpu"])).code).toBe(0);
    expect(await readlink(at("engines/llamacpp/current"))).toBe("b11347-cpu");
  });
});

describe("a machine that does not fit", () => {
  const recipes = async (): Promise<{ engine: string; recipe: ReturnType<typeof table.recipe> }[]> =>
    Promise.resolve(["llamacpp", "vllm"].map((engine) => ({ engine, recipe: table.recipe(engine) })));

  it("is told that its C library is musl", async () => {
    const { install, node } = await installSite();
    await node.program("getconf", "exit 1");
    await node.program("ldd", 'echo "musl libc (x86_64)" >&2; exit 1');
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([8, expect.stringContaining("C library is musl")]);
  });

  it.each([
    ["riscv64", "this machine's architecture is riscv64"],
    ["armv7l", "this machine's architecture is armv7l"],
  ])("is told that its architecture is %s", async (machine, words) => {
    const { install, node } = await installSite();
    await node.program("uname", `case $1 in -s) echo Linux ;; *) echo ${machine} ;; esac`);
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([8, expect.stringContaining(words)]);
  });

  it("with a broken NVIDIA driver is not taken for one without a card", async () => {
    const { install, node } = await installSite();
    await node.program("nvidia-smi", "echo NVIDIA-SMI has failed; exit 9");
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([7, expect.stringContaining("nvidia-smi fails: NVIDIA-SMI has failed")]);
    expect(stderr).toContain("--no-gpu");
  });

  it("whose nvidia-smi does not know compute capabilities goes by the driver", async () => {
    const { install, node } = await installSite();
    await node.program(
      "nvidia-smi",
      'case "$*" in *driver*) echo 580.65.06 ;; *) echo "Field" >&2; exit 2 ;; esac',
    );
    expect((await install([...WANTED, "--dry-run"])).stdout).toContain("compute capability unknown");
  });

  it("goes by the oldest of its cards", async () => {
    const { install, node } = await installSite();
    await node.program(
      "nvidia-smi",
      'case "$*" in *driver*) echo 580.65.06; echo 580.65.06 ;; *) echo 12.0; echo 8.9 ;; esac',
    );
    expect((await install([...WANTED, "--dry-run"])).stdout).toContain("compute capability 8.9");
  });

  it("gets the mirror's refusal in words, with the code that says which", async () => {
    const bundles = [practiceBundle({ variants: ["cpu"], document: { recipes: await recipes() } })];
    const { install, mirror } = await installSite({ bundles });
    const absent = await install(["llamacpp", "b11400"]);
    expect(absent.code).toBe(3);
    expect(absent.stderr).toContain("ferry-install: this mirror does not carry llama.cpp b11400");
    expect(absent.stderr).toContain("    llamacpp b11347 (amd64: cpu)");
    expect(absent.stderr).toContain("    engines:\n      - engine: llamacpp\n");
    expect(mirror.asked.recent()[0]?.path).toBe("v1/install/llamacpp/b11400");
    const elsewhere = await install(["vllm", "0.30.0"]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([9, expect.stringContaining("has no NVIDIA driver")]);
    const old = await install([...WANTED, "--variant", "cuda-13", "--driver", "470.82"]);
    expect([old.code, old.stderr]).toEqual([8, expect.stringContaining("needs NVIDIA driver 580")]);
  });
});

describe("wrong use", () => {
  it.each([
    [[], "an engine and a version are needed"],
    [["llamacpp"], "an engine and a version are needed"],
    [["llamacpp", "b1", "b2"], "what is b2 for?"],
    [["llamacpp", "../b1"], "../b1 is no version"],
    [["llamacpp", "b1;id"], "b1;id is no version"],
    [["-x"], "there is no option -x"],
    [[...WANTED, "--colour=red"], "there is no option --colour"],
    [[...WANTED, "--variant"], "--variant needs a value"],
    [[...WANTED, "--cc", "8.6"], "--cc needs --driver too"],
    [[...WANTED, "--no-gpu", "--driver", "580"], "contradict each other"],
    [[...WANTED, "--mirror", "mirror.example"], "is no address"],
    [[...WANTED, "--mirror", "http://u:p@mirror.example"], "holds what no mirror's address holds"],
    [[...WANTED, "--mirror", "http://m", "--prefix", "/opt/it's"], "holds a quote"],
    [[...WANTED, "--mirror", "http://m", "--prefix", "/"], "must not be the root folder"],
    [[...WANTED, "--mirror", "http://m", "--key", "/nowhere.pem"], "cannot be read"],
    [WANTED, "which mirror?"],
    [["status", "llamacpp"], "status takes no engine"],
    [["rollback"], "rollback which engine?"],
  ])("%j: %s", async (args, words) => {
    const { run } = await practiceNode();
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it("of managing what is not there is told", async () => {
    const { ferry, install } = await installSite();
    expect((await install(WANTED)).code).toBe(0);
    const cases: [string[], number, string][] = [
      [["rollback", "llamacpp"], 3, "no version of llamacpp was in use before"],
      [["rollback", "uv"], 3, "no uv is installed"],
      [["remove", "llamacpp", "b1-cpu"], 3, "llamacpp b1-cpu is not installed"],
      [["remove", "llamacpp", "current"], 3, "llamacpp current is not installed"],
    ];
    for (const [args, code, words] of cases) {
      const run = await ferry(...args);
      expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(words)]);
    }
  });

  it("of a folder that holds what others put there is refused before anything is fetched", async () => {
    const { install, at, mirror } = await installSite();
    await mkdir(at("bin"), { recursive: true });
    await writeFile(at("bin/llama-server"), "#!/bin/sh\necho mine\n");
    const { code, stderr } = await install(WANTED);
    expect([code, stderr]).toEqual([7, expect.stringContaining("was not put there by this script")]);
    expect(mirror.requests.filter((line) => line.includes("download"))).toEqual([]);
    expect(await readFile(at("bin/llama-server"), "utf8")).toContain("mine");
  });
});

const table = await builtinTable();

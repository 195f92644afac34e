import { cp, mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { sourceStamp } from "../../scripts/source-stamp.mjs";
import { tmpDir } from "../support/tmp.ts";
import { type Outcome, packageRoot, runNode } from "./run-script.ts";

let home: string;

beforeEach(async () => {
  home = await tmpDir();
  await cp(join(packageRoot, "bin"), join(home, "bin"), { recursive: true });
  await writeFile(join(home, "package.json"), '{ "type": "module" }\n');
  await write("dist/src/cli/main.js", program("the build", ""));
});

function program(what: string, type: string): string {
  return `export function main(process${type}) { console.log(["${what}", ...process.argv.slice(2)].join(" ")); }\n`;
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(join(home, name, ".."), { recursive: true });
  await writeFile(join(home, name), text);
}

/** Turns the installed package into a checkout whose build is of its sources. */
async function makeCheckout(): Promise<void> {
  await mkdir(join(home, "scripts"));
  await cp(join(packageRoot, "scripts", "source-stamp.mjs"), join(home, "scripts", "source-stamp.mjs"));
  for (const name of ["tsconfig.json", "tsconfig.build.json"]) {
    await cp(join(packageRoot, name), join(home, name));
  }
  await symlink(join(packageRoot, "node_modules"), join(home, "node_modules"));
  await write("src/cli/main.ts", program("the sources", ": NodeJS.Process"));
  await write("src/lib/size.ts", "export const size = 1;\n");
  await write("dist/source-stamp", `${sourceStamp(new URL(`file://${home}/`))}\n`);
}

function ferry(...args: string[]): Outcome {
  return runNode([join(home, "bin", "ferry.mjs"), ...args], home);
}

describe("bin/ferry.mjs", () => {
  it("runs the build of an installed package and passes the arguments on", () => {
    expect(ferry("plan", "a.yaml")).toEqual({ code: 0, stdout: "the build plan a.yaml\n", stderr: "" });
  });

  it("runs the build of a checkout while it is of the present sources", async () => {
    await makeCheckout();
    expect(ferry("plan")).toEqual({ code: 0, stdout: "the build plan\n", stderr: "" });
  });

  it.each([
    ["a source changed", () => write("src/lib/size.ts", "export const size = 12;\n")],
    ["a source was added", () => write("server/app.ts", "export const app = 1;\n")],
    ["a source was removed", () => rm(join(home, "src/lib/size.ts"))],
    ["an older source was put back", () => utimes(join(home, "src/lib/size.ts"), 1, 1)],
    ["the compiler's settings changed", () => write("tsconfig.build.json", "{}\n")],
    ["there is no build", () => rm(join(home, "dist"), { recursive: true })],
    ["the build was interrupted", () => rm(join(home, "dist/source-stamp"))],
  ])("runs the sources where %s", async (_, change) => {
    await makeCheckout();
    await change();
    expect(ferry("plan")).toEqual({ code: 0, stdout: "the sources plan\n", stderr: "" });
  });

  it("takes no settings from the folder that it is called in", async () => {
    await makeCheckout();
    await rm(join(home, "dist"), { recursive: true });
    await write("elsewhere/tsconfig.json", "{ this is not JSON");
    const outcome = runNode([join(home, "bin", "ferry.mjs")], join(home, "elsewhere"));
    expect(outcome).toEqual({ code: 0, stdout: "the sources\n", stderr: "" });
  });

  it("says what to run where neither a build nor the development tools are there", async () => {
    await makeCheckout();
    await rm(join(home, "dist"), { recursive: true });
    await rm(join(home, "node_modules"));
    const outcome = ferry("plan");
    expect(outcome).toMatchObject({ code: 1, stdout: "" });
    expect(outcome.stderr).toContain("Run `npm ci`");
  });
});

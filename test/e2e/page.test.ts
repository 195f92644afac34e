import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { encodePath } from "../../src/wire/github.ts";
import { CHROMIUM, launchChromium } from "../support/chromium.ts";
import { HOSTILE_PATH, hostileDocument } from "../support/hostile-bundle.ts";
import { AUDIT } from "../support/page-audit.ts";
import {
  askedLately,
  catalogOf,
  fullCatalog,
  loadedBundle,
  type PageMirror,
  servePages,
} from "../support/page-mirror.ts";
import { pythonCatalog } from "../support/page-python.ts";
import { makeTempDir, removeTree } from "../support/tmp.ts";

const why = CHROMIUM === undefined ? " (skipped: no chromium on PATH; Debian's package is chromium)" : "";
if (CHROMIUM === undefined) process.stderr.write(`test/e2e/page.test.ts${why}\n`);

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const;
const SCHEMES = ["light", "dark"] as const;
const RELEASES = "ggml-org/llama.cpp/releases";

describe.skipIf(CHROMIUM === undefined)(`the page in a real browser${why}`, () => {
  let browser: Browser;
  let full: PageMirror;
  let empty: PageMirror;
  let python: PageMirror;
  let shots: string;
  // A folder named from outside is kept, to look at what it holds.
  const kept = process.env["FERRY_PAGE_SHOTS"];

  beforeAll(async () => {
    shots = kept ?? (await makeTempDir());
    await mkdir(shots, { recursive: true });
    full = await servePages(fullCatalog(), { asked: askedLately() });
    empty = await servePages(catalogOf([]));
    python = await servePages(pythonCatalog());
    browser = await launchChromium(CHROMIUM ?? "");
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await full.close();
    await empty.close();
    await python.close();
    if (kept === undefined) await removeTree(shots);
  });

  /** A page in a profile of its own, and what went wrong or went elsewhere in it. */
  async function open(
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const faults: string[] = [];
    const { origin } = new URL(url);
    page.on("request", (request) => {
      const to = request.url();
      if (!to.startsWith("data:") && new URL(to).origin !== origin) faults.push(`asked another: ${to}`);
      if (to !== url && !to.startsWith("data:")) faults.push(`asked for more: ${to}`);
    });
    page.on("console", (message) => faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
    page.on("dialog", (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(url);
    return { page, faults };
  }

  const pages: Readonly<Record<string, () => string>> = {
    home: () => `${full.url}/`,
    empty: () => `${empty.url}/`,
    python: () => `${python.url}/`,
    release: () => `${full.url}/${RELEASES}/tag/b11347`,
    releases: () => `${full.url}/${RELEASES}`,
  };
  const looks = Object.keys(pages).flatMap((name) =>
    SCHEMES.flatMap((scheme) => (["phone", "desktop"] as const).map((size) => [name, scheme, size] as const)),
  );

  it.each(looks)(
    "%s, %s, on a %s: fits, can be read, and asks for nothing else",
    async (name, scheme, size) => {
      const url = pages[name]?.() ?? "";
      const { page, faults } = await open(url, { colorScheme: scheme, viewport: SIZES[size] });
      expect(await page.evaluate(AUDIT)).toEqual([]);
      const back = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      const bright = Number(/\d+/.exec(back)?.[0]) > 127;
      expect(bright).toBe(scheme === "light");
      const shot = join(shots, `${name}-${size}-${scheme}.png`);
      await page.screenshot({ path: shot, fullPage: true });
      expect((await stat(shot)).size).toBeGreaterThan(10_000);
      for (const summary of await page.locator("summary").all()) await summary.click();
      expect(await page.evaluate(AUDIT)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it("scrolls a wide table in its own box on a phone, with its first column in sight", async () => {
    const { page } = await open(`${full.url}/`, { viewport: SIZES.phone });
    const [before, after, page0] = await page.evaluate<[number, number, number]>(`(() => {
      const box = document.querySelector(".scroll.pin");
      const cell = box.querySelector('tbody th[scope="row"]');
      const before = cell.getBoundingClientRect().left;
      box.scrollLeft = 1000;
      return [before, cell.getBoundingClientRect().left, box.scrollLeft];
    })()`);
    expect(page0).toBeGreaterThan(50);
    expect(Math.abs(after - before)).toBeLessThan(2);
  });

  it("is whole without JavaScript: every command can be read, and no button is there that does nothing", async () => {
    const { page, faults } = await open(`${full.url}/`, { javaScriptEnabled: false, viewport: SIZES.phone });
    const text = await page.locator("main").innerText();
    expect(text).toContain(`curl -fsSL ${full.url}/install.sh | sh -s -- llamacpp b11347`);
    expect(text).toContain(`export UV_ASTRAL_MIRROR_URL=${full.url}`);
    expect(text).toContain("UNSIGNED");
    expect(await page.locator("button").count()).toBe(0);
    await page.locator("summary").first().click();
    expect(await page.getByText("--dry-run").isVisible()).toBe(true);
    expect(faults).toEqual([]);
  });

  it("copies a command, in a context that browsers call secure and in one that they do not", async () => {
    const command = (url: string): string => `curl -fsSL ${url}/install.sh | sh -s -- llamacpp b11347`;
    const { page } = await open(`${full.url}/`, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy: llama.cpp b11347" }).click();
    await page.getByRole("button", { name: "Copied: llama.cpp b11347" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(command(full.url));

    const named = full.url.replace("127.0.0.1", "mirror.test");
    const { page: plain } = await open(`${named}/`);
    expect(await plain.evaluate("isSecureContext")).toBe(false);
    await plain.getByRole("button", { name: "Copy: llama.cpp b11347" }).click();
    await plain.getByRole("button", { name: "Copied: llama.cpp b11347" }).waitFor();
    expect(await plain.evaluate("getSelection().toString()")).toBe(command(named));
  });

  it("is walked by keyboard: a way past the head first, and what has the focus is seen", async () => {
    const { page } = await open(`${full.url}/`);
    const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    expect(await page.locator(".skip").boundingBox()).toMatchObject({ x: 8 });
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  });

  it("leads from an engine to its release and from there to the file", async () => {
    const { page } = await open(`${full.url}/`);
    await page.getByRole("link", { name: "release page of b11347" }).click();
    expect(page.url()).toBe(`${full.url}/${RELEASES}/tag/b11347`);
    const file = page.getByRole("link", { name: "llama-b11347-bin-ubuntu-vulkan-x64.tar.gz" });
    expect(await file.getAttribute("href")).toBe(
      `${full.url}/${RELEASES}/download/b11347/llama-b11347-bin-ubuntu-vulkan-x64.tar.gz`,
    );
    await page.getByRole("link", { name: "All that is here" }).click();
    expect(page.url()).toBe(`${full.url}/`);
  });

  it("runs nothing that a bundle or a stranger's request wrote", async () => {
    const document = hostileDocument();
    const hostile = await servePages(
      catalogOf([loadedBundle(document, { signedBy: ["<script>taken=1</script>"] })]),
    );
    onTestFinished(hostile.close);
    hostile.asked.record(HOSTILE_PATH, "release-asset", 0);
    const [release] = document.releases;
    const releases = `${hostile.url}/${encodePath(`${release?.repo ?? ""}/releases`)}`;
    for (const url of [`${hostile.url}/`, releases, `${releases}/tag/${encodePath(release?.tag ?? "")}`]) {
      const { page, faults } = await open(url, { viewport: SIZES.phone });
      expect(await page.evaluate("[typeof taken, document.scripts.length, document.images.length]")).toEqual([
        "undefined",
        1,
        0,
      ]);
      expect(await page.evaluate(AUDIT)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });
});

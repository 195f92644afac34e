import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAuth } from "../../server/auth.ts";
import { loadRouteModules } from "../../server/route-modules.ts";
import { pageRoutes } from "../../server/routes/pages.ts";
import { encodePath } from "../../src/wire/github.ts";
import { HOSTILE_PATH, hostileDocument } from "../support/hostile-bundle.ts";
import { rawRequest } from "../support/mirror-server.ts";
import { askedLately, catalogOf, fullCatalog, loadedBundle, servePages } from "../support/page-mirror.ts";

type Served = Awaited<ReturnType<typeof servePages>>;

async function serve(...parts: Parameters<typeof servePages>): Promise<Served> {
  const served = await servePages(...parts);
  onTestFinished(served.close);
  return served;
}

const full = fullCatalog();
const LLAMA = "/ggml-org/llama.cpp/releases";

describe("the page at /", () => {
  it("is mounted on the mirror", async () => {
    expect(await loadRouteModules()).toContain(pageRoutes);
  });

  it("is HTML that a browser may neither extend nor frame, with nothing else to load", async () => {
    const { url } = await serve(full);
    const { status, headers, text } = await rawRequest(url, "GET", "/");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      vary: "Accept",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    for (const [, kind = "", source = ""] of text.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash("sha256").update(source).digest("base64");
      expect(policy).toContain(`${kind}-src 'sha256-${hash}'`);
    }
    expect([...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, to]) => to)).toSatisfy(
      (targets: string[]) =>
        targets.every(
          (to) => to.startsWith(`${url}/`) || to.startsWith("#") || to.startsWith("data:image/svg+xml,"),
        ),
    );
  });

  it("says what is here, whom to trust, what is missing, and how to get it from this address", async () => {
    const { url } = await serve(full, { asked: askedLately() });
    const { text } = await rawRequest(url, "GET", "/");
    for (const part of [
      `curl -fsSL ${url}/install.sh | sh -s -- llamacpp b11347`,
      "580 or newer",
      "2.28 or newer",
      "2026-10-13 09:02",
      "Unsigned bundle",
      "1 file not imported yet",
      "has no llama-b11056-bin-ubuntu-vulkan-arm64.tar.gz",
      `${url}/api/v3`,
      `export UV_ASTRAL_MIRROR_URL=${url}`,
      "llama-b11459-bin-ubuntu-x64.tar.gz",
      `href="${url}${LLAMA}/tag/b11347"`,
    ]) {
      expect(text).toContain(part);
    }
  });

  it("is answered with 304 to whom has it, by HEAD without a body, and anew after something was not found", async () => {
    const { url } = await serve(full);
    const first = await rawRequest(url, "GET", "/");
    const etag = String(first.headers.etag);
    const again = await rawRequest(url, "GET", "/", { "if-none-match": etag });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await rawRequest(url, "HEAD", "/");
    expect(head.headers).toMatchObject({ etag, "content-length": first.headers["content-length"] });
    expect(head.body).toHaveLength(0);
    await rawRequest(url, "GET", "/ggml-org/llama.cpp/releases/download/b9/llama-b9.tar.gz");
    const later = await rawRequest(url, "GET", "/", { "if-none-match": etag });
    expect(later.status).toBe(200);
    expect(later.text).toContain("/ggml-org/llama.cpp/releases/download/b9/llama-b9.tar.gz");
  });

  it("of an empty mirror says what to do", async () => {
    const { url } = await serve(catalogOf([]));
    const { status, text } = await rawRequest(url, "GET", "/");
    expect(status).toBe(200);
    expect(text).toContain("ferry import BUNDLE --key PUB");
    expect(text).not.toContain("install.sh");
  });

  it("shows the address that the client used, or the one that the mirror was told", async () => {
    const { url } = await serve(full);
    const named = await rawRequest(url, "GET", "/", { host: "mirror.lan:8080" });
    expect(named.text).toContain("http://mirror.lan:8080/install.sh");
    expect(named.text).not.toContain("127.0.0.1");
    const told = await serve(full, { baseUrl: "https://mirror.example" });
    const { text } = await rawRequest(told.url, "GET", "/");
    expect(text).toContain("https://mirror.example/install.sh");
    expect(text).toContain("export GH_HOST=mirror.example");
  });

  it("is for those who may read, and tells them how a node gives its token", async () => {
    const { url } = await serve(full, { auth: parseAuth("bearer secret", "auth") });
    expect((await rawRequest(url, "GET", "/")).status).toBe(401);
    const { text } = await rawRequest(url, "GET", "/", { authorization: "Bearer secret" });
    expect(text).toContain("--oauth2-bearer &quot;$FERRY_TOKEN&quot;");
    expect(text).not.toContain("secret");
  });

  it("says at once when the store can no longer be read", async () => {
    const store: { problem?: { message: string; hint: string; since: number } } = {};
    const { url } = await serve(full, { problem: () => store.problem });
    expect((await rawRequest(url, "GET", "/")).text).not.toContain("cannot be read");
    store.problem = { message: "index.json is no JSON", hint: "Import again.", since: 0 };
    expect((await rawRequest(url, "GET", "/")).text).toContain("index.json is no JSON");
  });

  it("shows a new import without a restart", async () => {
    let now = catalogOf([]);
    const { url } = await serve(now, { catalogNow: () => now });
    expect((await rawRequest(url, "GET", "/")).text).toContain("Nothing has been imported yet");
    now = full;
    expect((await rawRequest(url, "GET", "/")).text).toContain("llama.cpp b11347");
  });
});

describe("pages of releases, where GitHub has them", () => {
  it("show a release with its files, sizes, digests and links", async () => {
    const { url } = await serve(full);
    const { status, headers, text } = await rawRequest(url, "GET", `${LLAMA}/tag/b11347`);
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain(`href="${url}${LLAMA}/download/b11347/llama-b11347-bin-ubuntu-x64.tar.gz"`);
    expect(text).toContain("a21ad95ccd452fc22b29c6badf126a9186612dccc00260373dea68d3932eb97d");
    expect(text).toContain("17.6 MB");
    expect(text).toContain("published by GitHub");
    expect(text).toContain(`href="${url}/api/v3/repos/ggml-org/llama.cpp/releases/tags/b11347"`);
    const again = await rawRequest(url, "GET", `${LLAMA}/tag/b11347`, {
      "if-none-match": String(headers.etag),
    });
    expect(again.status).toBe(304);
  });

  it("show what a volume has yet to bring, and what nobody signed", async () => {
    const { url } = await serve(full);
    const python = await rawRequest(url, "GET", "/astral-sh/python-build-standalone/releases/tag/20261003");
    expect(python.text).toContain("Not imported yet");
    const vllm = await rawRequest(url, "GET", "/vllm-project/vllm/releases/tag/v0.30.0");
    expect(vllm.text).toContain(">Unsigned<");
    expect(vllm.text).toContain("%2Bcu129");
  });

  it.each([
    ["by another case and a former name", "/GGerganov/LLaMA.cpp/releases/tag/b11347", "b11347"],
    ["with a slash at the end", "/ggml-org/llama.cpp/releases/", "b11056"],
  ])("are found %s", async (_, path, part) => {
    const { url } = await serve(full);
    const { status, text } = await rawRequest(url, "GET", path);
    expect(status).toBe(200);
    expect(text).toContain(part);
  });

  it("take a tag with a slash, written as such or as %2F", async () => {
    const release = full.repo("ggml-org/llama.cpp")?.releases[0];
    if (release === undefined) throw new Error("no release");
    const releases = [{ ...release, tag: "v1/rc", assets: [] }];
    const { url } = await serve(catalogOf([loadedBundle({ name: "slash", counter: 1, releases })]));
    for (const path of [`${LLAMA}/tag/v1/rc`, `${LLAMA}/tag/v1%2Frc`]) {
      expect((await rawRequest(url, "GET", path)).text).toContain("<h1>v1/rc</h1>");
    }
  });

  it("answer 404 in words for what is not carried", async () => {
    const { url } = await serve(full);
    for (const path of [`${LLAMA}/tag/b9`, "/nobody/nothing/releases", `${LLAMA}/latest`]) {
      const { status, headers, text } = await rawRequest(url, "GET", path);
      expect([status, headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
      expect(text).toContain("Not on this mirror");
    }
  });

  it("lead from latest to the newest release that is no prerelease, as scripts expect of GitHub", async () => {
    const { url } = await serve(full);
    const { status, headers } = await rawRequest(url, "GET", "/astral-sh/uv/releases/latest");
    expect([status, headers.location]).toEqual([302, `${url}/astral-sh/uv/releases/tag/0.12.23`]);
  });
});

describe("a bundle whose every text wants to be markup", () => {
  const document = hostileDocument();
  const hostile = catalogOf([loadedBundle(document, { signedBy: ["<script>taken=1</script>"] })]);
  const [release] = document.releases;
  const repo = encodePath(release?.repo ?? "");
  const paths = ["/", `/${repo}/releases`, `/${repo}/releases/tag/${encodePath(release?.tag ?? "")}`];

  it.each(paths.map((path, at) => [["home", "releases", "release"][at] ?? "", path]))(
    "stays text: %s",
    async (_, path) => {
      const served = await serve(hostile);
      served.asked.record(HOSTILE_PATH, "release-asset", 0);
      const { status, text } = await rawRequest(served.url, "GET", path);
      expect(status).toBe(200);
      expect(text).toContain("&lt;script&gt;");
      expect(text.match(/<script/g)).toHaveLength(1);
      expect(text).not.toContain("<img");
      // What stands between double quotes is a value: outside of them no tag has an attribute that we did not write.
      expect(text.replaceAll(/"[^"<>]*"/g, "")).not.toMatch(/<[a-z]+ [^>]*onerror/i);
      expect(text).not.toContain("javascript:");
    },
  );
});

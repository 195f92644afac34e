import { expect, it } from "vitest";
import { negotiate } from "../../../server/python/negotiate.ts";
import { SIMPLE_HTML, SIMPLE_JSON, SIMPLE_TEXT_HTML } from "../../../src/wire/simple-index.ts";

const [JSON_, V1_HTML, HTML] = [SIMPLE_JSON, SIMPLE_HTML, SIMPLE_TEXT_HTML];

it.each([
  ["nothing", undefined, HTML],
  ["an empty one", "", HTML],
  ["curl", "*/*", HTML],
  ["a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", HTML],
  [
    "uv",
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01",
    JSON_,
  ],
  [
    "pip",
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01",
    JSON_,
  ],
  ["uv's find-links", "text/html", HTML],
  ["the latest JSON", "application/vnd.pypi.simple.latest+json", JSON_],
  ["the latest HTML", "application/vnd.pypi.simple.latest+html", V1_HTML],
  ["HTML of the API", "application/vnd.pypi.simple.v1+html", V1_HTML],
  ["HTML rather than JSON", "application/vnd.pypi.simple.v1+json;q=0.5, text/html", HTML],
  ["both alike", "text/html, application/vnd.pypi.simple.v1+json", JSON_],
  ["anything, but JSON best", "*/*;q=0.1, application/vnd.pypi.simple.v1+json", JSON_],
  ["anything rather than JSON", "application/vnd.pypi.simple.v1+json;q=0.3, */*;q=0.8", HTML],
  ["no JSON", "application/vnd.pypi.simple.v1+json;q=0", HTML],
  ["other spelling", "Application/VND.pypi.simple.V1+JSON ; Q=0.9", JSON_],
  ["a quality that is none", "application/vnd.pypi.simple.v1+json;q=high, text/html;q=0.1", HTML],
  ["nothing that there is", "application/json", HTML],
])("%s", (_, accept, type) => {
  expect(negotiate(accept)).toBe(type);
});

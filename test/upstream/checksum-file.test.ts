import { expect, it } from "vitest";
import { parseChecksums } from "../../src/upstream/checksum-file.ts";

const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

it.each<[string, string, string | undefined, [string, string][]]>([
  ["sha256sum's form", `${HEX}  a.tar.gz\n`, undefined, [["a.tar.gz", `sha256:${HEX}`]]],
  ["binary mode", `${HEX} *a.tar.gz\n`, undefined, [["a.tar.gz", `sha256:${HEX}`]]],
  ["a path in front", `${HEX}  ./a.tar.gz\r\n`, undefined, [["a.tar.gz", `sha256:${HEX}`]]],
  ["upper case", `${HEX.toUpperCase()}  a\n`, undefined, [["a", `sha256:${HEX}`]]],
  [
    "several lines",
    `${HEX}  a\n${HEX}  b c\n`,
    undefined,
    [
      ["a", `sha256:${HEX}`],
      ["b c", `sha256:${HEX}`],
    ],
  ],
  ["a lone digest in a sidecar", `${HEX}\n`, "a", [["a", `sha256:${HEX}`]]],
  ["a lone digest that belongs to nothing", `${HEX}\n`, undefined, []],
  ["two digests of one name as none", `${HEX}  a\n${HEX.replace("9", "0")}  a\n`, undefined, []],
  ["a page for browsers", "<html><body>not found</body></html>", "a", []],
  ["a digest of another kind", "d41d8cd98f00b204e9800998ecf8427e  a\n", undefined, []],
])("reads %s", (_what, text, sidecarOf, expected) => {
  expect([...parseChecksums(text, sidecarOf)]).toEqual(expected);
});

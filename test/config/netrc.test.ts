import { expect, it } from "vitest";
import { basicAuthorization, parseNetrc } from "../../src/config/netrc.ts";

it("reads machines over one line or many, and the first word of each", () => {
  const text = `# ours
machine index.example.org login nodes password s3cret
machine Other.example.org
  login a
  account x
  password b#c
machine index.example.org login again password other
default login anonymous password guess
`;
  expect([...parseNetrc(text)]).toEqual([
    ["index.example.org", { login: "nodes", password: "s3cret" }],
    ["other.example.org", { login: "a", password: "b#c" }],
  ]);
});

it("reads no password out of a macro, nor out of nothing", () => {
  const text =
    "machine a login b password c\nmacdef init\nmachine evil login x password y\n\nmachine d login e password f\n";
  expect([...parseNetrc(text).keys()]).toEqual(["a", "d"]);
  expect(parseNetrc("").size).toBe(0);
  expect([...parseNetrc("machine")]).toEqual([["", { login: "", password: "" }]]);
});

it("makes the header of a user and a password", () => {
  expect(basicAuthorization("a", "b")).toBe("Basic YTpi");
});

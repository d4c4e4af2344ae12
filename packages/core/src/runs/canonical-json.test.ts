import fc from "fast-check";
import { expect, it } from "vitest";
import { callHash, canonicalJson } from "./canonical-json.ts";

it("returns the same text for every order of keys", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("distinguishes calls by skill and arguments", () => {
  const hash = callHash("fs_write", { path: "out/a.txt", content: "" });
  expect(callHash("fs_write", { content: "", path: "out/a.txt" })).toBe(hash);
  expect(callHash("fs_write", { path: "out/a.txt", content: " " })).not.toBe(hash);
  expect(callHash("fs_append", { path: "out/a.txt", content: "" })).not.toBe(hash);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { callHash, canonicalJson } from "./canonical-json.ts";

it("gives the same text whatever order the keys came in", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("tells apart calls that differ in skill or in any argument", () => {
  const hash = callHash("fs_write", { path: "out/a.txt", content: "" });
  expect(callHash("fs_write", { content: "", path: "out/a.txt" })).toBe(hash);
  expect(callHash("fs_write", { path: "out/a.txt", content: " " })).not.toBe(hash);
  expect(callHash("fs_append", { path: "out/a.txt", content: "" })).not.toBe(hash);
});

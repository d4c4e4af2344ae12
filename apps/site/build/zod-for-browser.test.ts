import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { namesIn, unusedMethods, without } from "./zod-for-browser.mjs";

const zod = dirname(createRequire(import.meta.url).resolve("zod/package.json"));
const code = readFileSync(join(zod, "v4/classic/schemas.js"), "utf8");
/** The part of zod's schemas that remains for sources with this code. */
const keptFor = (source: string) =>
  without(code, unusedMethods(code, parseSync("schemas.js", code).program, namesIn([source])));

it("keeps the methods of schemas that a source names", () => {
  const kept = keptFor("z.string().trim().email().optional()");
  expect(kept).toContain("    trim() {");
  expect(kept).toContain("    email(params) {");
  expect(kept).toContain("    optional() {");
});

it("leaves out the methods that no source names, and keeps valid code", () => {
  const kept = keptFor("z.string().min(1)");
  expect(kept).not.toContain("    email(params) {");
  expect(kept).not.toContain("    jwt(params) {");
  expect(parseSync("schemas.js", kept).errors).toEqual([]);
});

it("keeps the methods that zod itself calls", () => {
  const kept = keptFor("");
  expect(kept).toContain("    check(...chks) {");
  expect(kept).toContain("    clone(def, params) {");
});

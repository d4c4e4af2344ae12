import { expect, it } from "vitest";
import { localPath } from "./local-path.ts";

it.each([
  ["/runs?run=1#a", "/runs?run=1#a"],
  [null, "/"],
  ["https://evil.example/", "/"],
  ["//evil.example/", "/"],
  ["//evil.example/path", "/"],
  ["/\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["javascript:alert(1)", "/"],
])("leads %j to %j", (to, path) => {
  expect(localPath(to)).toBe(path);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { localPath } from "./auth-api.ts";

const origin = "http://127.0.0.1:4321";

it.each([
  ["/runs?run=1#a", "/runs?run=1#a"],
  ["/memory?tab=dreams", "/memory?tab=dreams"],
  ["/a/../runs", "/runs"],
  ["/%2F%2Fevil.example", "/%2F%2Fevil.example"],
  ["/@evil.example", "/@evil.example"],
  [null, "/"],
  ["", "/"],
  ["runs", "/"],
  ["http://127.0.0.1:4321/runs", "/"],
  ["https://evil.example/", "/"],
  ["//evil.example/", "/"],
  ["//evil.example/path", "/"],
  ["///evil.example", "/"],
  ["/\\evil.example", "/"],
  ["\\\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["/\n/evil.example", "/"],
  ["\t//evil.example", "/"],
  [" //evil.example", "/"],
  ["/.//evil.example", "/"],
  ["/./\\evil.example", "/"],
  ["/.\\/evil.example", "/"],
  ["/.\\\\evil.example", "/"],
  ["/..//evil.example", "/"],
  ["/a/..//evil.example", "/"],
  ["/a/..\\/evil.example", "/"],
  ["/%2e//evil.example", "/"],
  ["/%2e%2e//evil.example", "/"],
  ["/%2E/\\evil.example", "/"],
  ["/.\t//evil.example", "/"],
  ["/./\r\n/evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["java\tscript:alert(1)", "/"],
  ["data:text/html,x", "/"],
])("resolves %j to %j", (to, path) => {
  expect(localPath(to, origin)).toBe(path);
});

it("resolves to its own origin, however an address is spelled", () => {
  const part = fc.constantFrom(
    "/",
    "\\",
    ".",
    "..",
    "%2e",
    "%2f",
    "\t",
    "\n",
    "@",
    ":",
    "a",
    "?",
    "#",
    "evil.example",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      expect(new URL(localPath(`/${parts.join("")}`, origin), origin).origin).toBe(origin);
    }),
    { numRuns: 2_000 },
  );
});

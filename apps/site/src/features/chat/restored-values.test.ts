import { expect, it } from "vitest";
import { restoredValues } from "./restored-values.ts";

it.each([
  [{ before: "20", after: "25" }, "“25” → “20”"],
  [{ before: ["socks"], after: "long socks" }, "“long socks” → “socks”"],
  [{ before: ["hat"] }, "Brings back “hat”"],
  [{ before: ["hat", "scarf"] }, "Brings back “hat”, …"],
  [{ before: [], after: "scarf" }, "Takes out “scarf”"],
  [{ before: "", after: "25" }, "Takes out “25”"],
  [{ before: { status: "todo" } }, undefined],
  [{ values: { port: 8080 } }, undefined],
])("shows what restoring puts back after a call that returned %j", (outputs, text) => {
  expect(restoredValues(outputs)).toBe(text);
});

import { expect, it } from "vitest";
import { restoredValues } from "./restored-values.ts";

const removed = { action: "remove", before: ["flour"] };
const inserted = (after: string, action = "insert_after") => ({ action, before: ["tea"], after });

it.each([
  [[{ before: "20", after: "25" }], "“25” → “20”"],
  [[{ before: ["socks"], after: "long socks" }], "“long socks” → “socks”"],
  [[{ before: ["hat"] }], "Brings back “hat”"],
  [[{ before: ["hat", "scarf"] }], "Brings back “hat”, …"],
  [[{ before: [], after: "scarf" }], "Takes out “scarf”"],
  [[{ before: "", after: "25" }], "Takes out “25”"],
  [[inserted("flour")], "Takes out “flour”"],
  [[inserted("flour", "insert_before")], "Takes out “flour”"],
  [[removed, inserted("flour")], "Moves “flour” back"],
  [[removed, inserted("rice")], "Takes out “rice” · Brings back “flour”"],
  [[{ action: "check", before: ["lights"] }], "Clears the box of “lights”"],
  [[{ action: "uncheck", before: ["lights"] }], "Ticks “lights”"],
  [[{ action: "sort", before: ["b", "a"] }], "Brings back the earlier order"],
  [[{ action: "swap", before: ["Ola", "Mette"], after: "Mette" }], "Swaps “Ola” and “Mette” back"],
  [["a", "b", "c", "d"].map((one) => inserted(one)), "Takes out “d” · Takes out “c” · Takes out “b” · …"],
  [[{ before: { status: "todo" } }], undefined],
  [[{ values: { port: 8080 } }], undefined],
])("shows what restoring undoes of calls that returned %j", (calls, text) => {
  expect(restoredValues(calls)).toBe(text);
});

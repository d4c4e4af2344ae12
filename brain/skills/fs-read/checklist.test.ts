import { expect, it } from "vitest";
import { regionOf } from "@metahuman/core/contract/region";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { views } from "./views.ts";

const LIST = "# Packing\n- [x] tent\n- [ ] stove\n* [ ] lamp\n- a note\n";
const answer = (view: string, content = LIST): ReturnType<View> =>
  views[view]?.({ path: "out/packing.md", content, truncated: false }, {}, regionOf());

it("lists the items of a checklist by their boxes", () => {
  expect(answer("boxes-open")).toBe("2 of 3 items in out/packing.md are not ticked:\n\n- stove\n- lamp");
  expect(answer("boxes-done")).toBe("1 of 3 items in out/packing.md is ticked:\n\n- tent");
  expect(answer("boxes-done", "- [ ] tent\n")).toBe("No item of out/packing.md is ticked.");
});

it("answers nothing about a file without boxes", () => {
  expect(answer("boxes-open", "- tent\n")).toBeUndefined();
});

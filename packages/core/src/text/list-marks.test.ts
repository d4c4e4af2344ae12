import { describe, expect, it } from "vitest";
import { isListItem, listMarkLength, withoutListMark } from "./list-marks.ts";

describe("the mark of a list item", () => {
  it.each([
    ["- milk", "milk"],
    ["  * milk", "milk"],
    ["+ milk", "milk"],
    ["• milk", "milk"],
    ["3. milk", "milk"],
    ["12) milk", "milk"],
    ["- [ ] milk", "milk"],
    ["- [X] milk", "milk"],
  ])("is removed from %j", (line, text) => {
    expect(withoutListMark(line)).toBe(text);
    expect(isListItem(line)).toBe(true);
  });

  it.each(["milk", "-5 degrees", "2026. was a year", "*bold* text", "3.5 liters", ""])(
    "is not in %j",
    (line) => {
      expect(listMarkLength(line)).toBe(0);
      expect(isListItem(line)).toBe(false);
    },
  );

  it("alone is not an item", () => {
    expect(isListItem("- ")).toBe(false);
  });
});

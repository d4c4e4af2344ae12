import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineChanges } from "./line-changes.ts";

describe("lineChanges", () => {
  it("shows a changed line as removed and added", () => {
    expect(lineChanges("call the plumber\n", "call the plumber, then the bank\n")).toEqual([
      { kind: "removed", text: "call the plumber" },
      { kind: "added", text: "call the plumber, then the bank" },
    ]);
  });

  it("shows a new file as added lines only, and an emptied one as removed lines only", () => {
    expect(lineChanges("", "a\nb\n")).toEqual([
      { kind: "added", text: "a" },
      { kind: "added", text: "b" },
    ]);
    expect(lineChanges("a\n", "")).toEqual([{ kind: "removed", text: "a" }]);
    expect(lineChanges("", "")).toEqual([]);
  });

  it("leaves out what lies far from any change and says how much", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const changed = lines.with(10, "changed");
    expect(lineChanges(lines.join("\n"), changed.join("\n"))).toEqual([
      { kind: "gap", lines: 8 },
      { kind: "kept", text: "line 8" },
      { kind: "kept", text: "line 9" },
      { kind: "removed", text: "line 10" },
      { kind: "added", text: "changed" },
      { kind: "kept", text: "line 11" },
      { kind: "kept", text: "line 12" },
      { kind: "gap", lines: 7 },
    ]);
  });

  it("accounts for every line of both texts", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 40 })
      .map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const count = (kinds: readonly string[]) =>
          lineChanges(before, after).reduce(
            (sum, change) =>
              sum + (change.kind === "gap" ? change.lines : kinds.includes(change.kind) ? 1 : 0),
            0,
          );
        expect(count(["kept", "removed"])).toBe(before.split("\n").length - 1);
        expect(count(["kept", "added"])).toBe(after.split("\n").length - 1);
      }),
    );
  });
});

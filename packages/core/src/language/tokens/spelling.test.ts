import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { correct, isSlip } from "./spelling.ts";

describe("isSlip", () => {
  it.each([
    ["craete", "create"],
    ["raed", "read"],
    ["caled", "called"],
    ["delte", "delete"],
    ["listt", "list"],
    ["remembr", "remember"],
    ["priorty", "priority"],
    ["prioirity", "priority"],
  ])("takes %s for %s", (typed, meant) => {
    expect(isSlip(typed, meant)).toBe(true);
  });

  it.each([
    ["read", "rename"],
    ["red", "read"],
    ["made", "make"],
    ["find", "file"],
    ["lead", "read"],
    ["lists", "last"],
    ["remove", "rename"],
    ["moved", "move"],
    ["it", "is"],
  ])("does not take %s for %s", (typed, meant) => {
    expect(isSlip(typed, meant)).toBe(false);
  });

  it("never takes a word for a slip of itself, nor changes its first letter", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), fc.stringMatching(/^[a-z]{1,12}$/), (typed, meant) => {
        if (isSlip(typed, meant)) {
          expect(typed).not.toBe(meant);
          expect(typed[0]).toBe(meant[0]);
        }
      }),
    );
  });
});

describe("correct", () => {
  const same = (word: string): string => word;

  it("finds the one word that can be meant", () => {
    expect(correct("delte", ["create", "delete"], same)).toBe("delete");
  });

  it("finds none when two words of different meaning could be meant", () => {
    expect(correct("delte", ["delete", "delate"], same)).toBeUndefined();
    expect(correct("delte", ["delete", "delate"], () => "one meaning")).toBe("delete");
  });

  it.each(["lost", "forgot", "ease", "cancer"])("leaves the common word %s alone", (word) => {
    expect(correct(word, ["list", "forget", "erase", "cancel"], same)).toBeUndefined();
  });
});

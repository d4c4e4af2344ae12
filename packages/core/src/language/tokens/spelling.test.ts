import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { correctSpelling, isTypo } from "./spelling.ts";

describe("isTypo", () => {
  it.each([
    ["craete", "create"],
    ["raed", "read"],
    ["caled", "called"],
    ["delte", "delete"],
    ["listt", "list"],
    ["remembr", "remember"],
    ["priorty", "priority"],
    ["prioirity", "priority"],
  ])("corrects %s to %s", (typed, meant) => {
    expect(isTypo(typed, meant)).toBe(true);
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
  ])("does not correct %s to %s", (typed, meant) => {
    expect(isTypo(typed, meant)).toBe(false);
  });

  it("never treats a word as a typo of itself, and never changes its first letter", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), fc.stringMatching(/^[a-z]{1,12}$/), (typed, meant) => {
        if (isTypo(typed, meant)) {
          expect(typed).not.toBe(meant);
          expect(typed[0]).toBe(meant[0]);
        }
      }),
    );
  });
});

describe("correct", () => {
  const same = (word: string): string => word;

  it("finds the only possible word", () => {
    expect(correctSpelling("delte", ["create", "delete"], same)).toBe("delete");
  });

  it("finds none if two words of different meaning are possible", () => {
    expect(correctSpelling("delte", ["delete", "delate"], same)).toBeUndefined();
    expect(correctSpelling("delte", ["delete", "delate"], () => "one meaning")).toBe("delete");
  });

  it.each(["lost", "forgot", "ease", "cancer"])("does not correct the common word %s", (word) => {
    expect(correctSpelling(word, ["list", "forget", "erase", "cancel"], same)).toBeUndefined();
  });
});

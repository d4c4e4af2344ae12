import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOwnWords } from "../memory-remember/own-words.ts";
import { linePreview, joinNames, endSentence, emptyNote } from "./phrasing.ts";
import { assertBelowRoot, nameOf, policyPath } from "./workspace-path.ts";

describe("isOwnWords", () => {
  it.each([
    [
      "The garage code is in the blue notebook.",
      "please remember: the garage code is in the blue notebook",
      true,
    ],
    ["the GARAGE\n code", "the garage code", true],
    ["garage", "the garages", false],
    ["code garage", "the garage code", false],
    ["the code", "the garage code", false],
    ["ﬁle", "file", true],
    ["日本語", "記憶:日本語。", true],
    ["👋", "say 👋", true],
    ["👋", "say hello", false],
    ["x", "", false],
  ])("%j in %j: %s", (text, request, expected) => {
    expect(isOwnWords(text, [request])).toBe(expected);
  });

  it.each([
    ["User is allergic to nuts.", "I'm allergic to nuts", true],
    ["The user is allergic to nuts", "Don't forget that I am allergic to nuts!", true],
    [
      "User's sister is named Anna and lives in Oslo.",
      "by the way, my sister's name is Anna and she lives in Oslo",
      true,
    ],
    ["The user never drinks coffee.", "I never drink coffee", true],
    ["User likes tea and has two cats", "I like tea. I have two cats.", true],
    ["The user drinks coffee.", "I never drink coffee", false],
    ["User is allergic to nuts", "my brother is allergic to nuts", false],
    ["User is allergic to nuts and milk", "I'm allergic to nuts", false],
    ["Ada pays Eve", "Eve pays Ada", false],
    ["The user trusts Eve", "I trust Ada. Write to Eve.", false],
    ["User pays if Ada calls", "I pay Ada", false],
    ["The user is vegetarian.", "Just so you know, I'm vegetarian.", true],
    ["User is vegetarian", "find vegetarian recipes", false],
    ["User is vegetarian", "vegetarian or vegan?", false],
    ["User is vegetarian", "Tell Anna I'm not vegetarian", false],
    ["User is late", "if I'm late, call Jo", false],
    ["User does not eat pork.", "I don't eat pork", true],
    ["User can't eat pork.", "I don't eat pork", false],
    ["User's name is Irja", "Call me Irja from now on", true],
    ["User wants to be called Irja", "call me Irja", true],
    ["User has a sister named Lena who lives in Graz", "my sister Lena lives in Graz", true],
    ["Mia's birthday is June 4th.", "Mia's birthday is on 4 June", true],
    ["Mia's birthday is June 5th.", "Mia's birthday is on 4 June", false],
    ["Boss Henrik hates being called before 9:00", "My boss Henrik hates being called before nine", true],
    ["The meeting with Jonas is at 15:00", "the meeting with Jonas is at 3pm", true],
    ["The meeting with Jonas is at 3:00", "the meeting with Jonas is at 3pm", false],
    ["Bins are collected every Wednesday", "the bins are collected on wednesdays", true],
    ["Bins are collected every Wednesday", "the bins are collected on wednesday", false],
    ["The garage code is now 4471.", "the garage code is 4471 now", true],
    ["Plumber's phone number: 040 555", "The plumber's number is 040 555, keep it", true],
    ["Der Benutzer ist gegen Nüsse allergisch", "Ich bin gegen Nüsse allergisch", true],
    ["Der Benutzer ist nicht allergisch gegen Nüsse", "Ich bin gegen Nüsse allergisch", false],
    ["Die Schwester des Benutzers heißt Lena", "merk dir: meine Schwester heißt Lena", true],
    ["Irja ist Vegetarierin", "Hallo, ich heiße Irja und bin Vegetarierin", true],
    ["Irja is allergic to nuts", "my name is Irja, and I'm allergic to nuts", true],
    ["Irja is allergic to nuts", "my sister is Irja, and I'm allergic to nuts", false],
    ["Anna is vegan", "is Anna vegan?", false],
    ["Bakery opens on Sunday", "when does the bakery open on Sunday?", false],
    ["User is left-handed", "Did you know that I'm left-handed?", true],
  ])("accepts a rephrasing of the person's words: %j of %j: %s", (text, message, expected) => {
    expect(isOwnWords(text, ["please help me", message])).toBe(expected);
  });

  it("accepts the person's name for the person, and the day that their words name", () => {
    const context = {
      person: "Ada",
      clock: { now: new Date("2026-11-30T09:00:00Z"), timeZone: "UTC", locale: "en-GB" },
    };
    const isOwn = (text: string, request: string, earlier = "hello"): boolean =>
      isOwnWords(text, [request, earlier], context);
    expect(isOwn("Ada works from home on Fridays", "I work from home on Fridays")).toBe(true);
    expect(isOwn("Eve works from home on Fridays", "I work from home on Fridays")).toBe(false);
    expect(isOwn("Ada pays Eve", "Eve pays Ada")).toBe(false);
    expect(isOwn("User sees the dentist on 2026-12-01", "I see the dentist tomorrow")).toBe(true);
    expect(isOwn("User sees the dentist on 2026-12-02", "I see the dentist tomorrow")).toBe(false);
    // An earlier message may be of another day.
    expect(isOwn("User sees the dentist on 2026-12-01", "note that", "I see the dentist tomorrow")).toBe(
      false,
    );
  });

  it("accepts every run of whole words of a request", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/u);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.nat(), fc.nat(), (words, from, length) => {
        const start = from % words.length;
        const part = words.slice(start, start + 1 + (length % words.length)).join(", ");
        expect(isOwnWords(part.toUpperCase(), [words.join(" ")])).toBe(true);
      }),
    );
  });
});

describe("wording", () => {
  it("counts characters as people do", () => {
    expect([emptyNote(0), emptyNote(1)]).toEqual([" (empty)", ""]);
    expect(joinNames(["a", "b"])).toBe("a, b");
    expect(joinNames(["a", "b"], 5)).toBe("a, b and 3 more");
    expect(linePreview("one\n  two")).toBe("one two");
    expect(linePreview("gpj.\u202Eexe \u200B \u0000 👨‍👩‍👧")).toBe("gpj.\uFFFDexe \uFFFD \uFFFD 👨‍👩‍👧");
    expect([endSentence("Yes"), endSentence("Yes!"), endSentence("and so on…")]).toEqual([
      "Yes.",
      "Yes!",
      "and so on…",
    ]);
  });
});

describe("canonical paths", () => {
  it("name their target, and whether it is a folder", () => {
    expect(nameOf("out/a/b.md")).toBe("b.md");
    expect(policyPath({ path: "out/a", kind: "folder" })).toBe("out/a/");
    expect(policyPath({ path: "out/a", kind: "file" })).toBe("out/a");
    expect(() => assertBelowRoot("out")).toThrow(expect.objectContaining({ code: "PERMISSION_DENIED" }));
    expect(() => assertBelowRoot("out/x")).not.toThrow();
  });
});

import { describe, expect, it } from "vitest";
import { correctDateWords } from "./date-words.ts";

describe("a misspelled word for a day", () => {
  it.each([
    ["remind me tomorow at 7 to call Anna", "remind me tomorrow at 7 to call Anna"],
    ["call mum tommorow", "call mum tomorrow"],
    ["pay rent on wendesday", "pay rent on wednesday"],
    ["call Olli firday at 5", "call Olli friday at 5"],
    ["by mondey", "by monday"],
    ["on Thrusday afternon", "on thursday afternoon"],
    ["Tommorrow at 5 call Anna", "tomorrow at 5 call Anna"],
    ["due saterday mornig", "due saturday morning"],
    ["every mondey", "every monday"],
    ["every mondey and thursdey", "every monday and thursday"],
    ["each tuesady and fridey evening", "each tuesday and friday evening"],
    ["on mondeys, wendesdays and fridys", "on mondays, wednesdays and fridays"],
    ["evry tuesday at 6pm", "every tuesday at 6pm"],
    ["remind me evey wendesday", "remind me every wednesday"],
    ["every wekday at 7:30", "every weekday at 7:30"],
  ])("is corrected: “%s”", (text, corrected) => {
    expect(correctDateWords(text).text).toBe(corrected);
  });

  it.each([
    "call frida tomorrow",
    "call Sundar at 5",
    "call sundar at 5",
    "ask Mondal about the boat",
    "lunch with Frida",
    "on frida's birthday",
    "meet Tuesda Weld",
    "buy a sundae",
    "fridays at 5",
    "every sundry item",
    "a very good day",
    "my best ever day",
    "the ivory tower",
    "every monkey in the zoo",
    "fridges and mondeo",
    "wash the mouth guard",
    "read mondey.md",
    "write to munday@example.org",
    "check the mooring",
    "a mourning band",
    "on tuesday",
    "every saturday and sunday morning",
  ])("is not read into a name or another word: “%s”", (text) => {
    expect(correctDateWords(text).text).toBe(text);
  });

  it("keeps the positions of the other words", () => {
    const { text, original } = correctDateWords("tomorow and tommorrow at 5");
    expect(text).toBe("tomorrow and tomorrow at 5");
    expect([0, 8, 13, 21, 26].map(original)).toEqual([0, 7, 12, 21, 26]);
  });
});

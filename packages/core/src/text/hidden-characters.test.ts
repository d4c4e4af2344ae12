import { describe, expect, it } from "vitest";
import { showHidden, showHiddenCharacters } from "./hidden-characters.ts";

describe("hidden characters", () => {
  it("are shown as their code points", () => {
    expect(showHiddenCharacters("a\u001B[2K \u202Eb\u200Bc\uFEFF\u{E0041}\r!")).toBe(
      "a<001B>[2K <202E>b<200B>c<FEFF><E0041><000D>!",
    );
  });

  it("do not include line breaks, and what scripts and emoji need", () => {
    for (const text of [
      "a\r\n\tb\n",
      "👩‍🌾 نمی‌خواهم",
      "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
      "שלום\u200F!",
    ])
      expect(showHiddenCharacters(text)).toBe(text);
  });

  it("are shown in every text of a value", () => {
    expect(showHidden({ a: ["x\u202E", 1, null], b: { c: "\u200B", d: undefined } })).toEqual({
      a: ["x<202E>", 1, null],
      b: { c: "<200B>", d: undefined },
    });
  });
});

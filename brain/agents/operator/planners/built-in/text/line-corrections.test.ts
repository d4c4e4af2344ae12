import { describe, expect, it } from "vitest";
import { findReplacementWords } from "./line-corrections.ts";

describe("the words that a sentence says instead of words of a line", () => {
  it.each([
    ["the pastor comes Saturday", "Friday", "- Friday Pastor Jim", "Saturday"],
    ["Lena brings cake", "Tom", "- cake for Tom", "Lena"],
    ["the bread is for Bob", "Ann", "- bread for Ann", "Bob"],
    ["the Legion’s piano is a Bell", "Willis", "- Legion: Willis grand", "Bell"],
    ["white wine", "red", "- red wine", "white"],
    ["right hind", "left", "- limping left hind", "right"],
    ["it's three o'clock", "noon", "- unveiled at noon", "three o'clock"],
    ["it's Bob", "Mary", "- bread for Mary", "Bob"],
    ["it's Bob", "Ann", "- bread for Ann", "Bob"],
    ["put 5 eggs", "3", "- 3 eggs", "5"],
    ["gasket is 45 mm", "40", "- gasket 40 mm", "45"],
    ["its extension cord", "extention", "- extention cord", "extension"],
  ])("of “%s” for “%s” in “%s” are “%s”", (sentence, old, line, instead) => {
    expect(findReplacementWords(sentence, old, line)).toBe(instead);
  });

  it.each([
    ["Bob came", "Ann", "- bread for Ann"],
    ["We were at the lake", "Ann", "- bread for Ann"],
    ["it was Bob who rang", "Ann", "- bread for Ann"],
    ["I saw Lena yesterday", "Tom", "- cake for Tom"],
    ["we drink beer here", "wine", "- wine"],
    ["we ate fish on Saturday", "Friday", "- Friday Pastor Jim"],
    ["I had coffee", "tea", "- tea for Mrs Smith"],
    ["he slept 5 hours", "3", "- 3 eggs"],
  ])("are not in “%s”, although “%s” is in “%s”", (sentence, old, line) => {
    expect(findReplacementWords(sentence, old, line)).toBeUndefined();
  });
});

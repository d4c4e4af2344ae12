import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentWords, indexedWords, sentencesIn, stemOf, withoutTrailing, searchTerms } from "./words.ts";

describe("the words of a text", () => {
  it.each([
    ["The garage code, kept!", ["the", "garage", "code", "kept"]],
    ["Ana's don't", ["ana", "dont"]],
    ["déjà Zürich ＦＵＬＬ", ["deja", "zurich", "full"]],
    ["שָׁלוֹם", ["שלום"]],
    ["مُحَمَّد", ["محمد"]],
    ["हिन्दी", ["हिन्दी"]],
    ["한국어", ["한국어"]],
    ["蓝色笔记", ["蓝色", "色笔", "笔记"]],
    ["车", ["车"]],
    ["Win10版本", ["win10", "版本"]],
    ["getUserName", ["get", "user", "name"]],
    ["GitHub XMLParser", ["git", "hub", "github", "xml", "parser", "xmlparser"]],
    ["snake_case.name v2", ["snake", "case", "name", "v2"]],
    ["party 🎉🎉 🇩🇪", ["party", "🎉", "🎉", "🇩🇪"]],
    ["?! -- …", []],
  ])("%s", (text, words) => {
    expect(searchTerms(text)).toEqual(words);
  });

  it("are never empty or too long, and are stable under a second pass", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
        const words = searchTerms(text);
        for (const word of words) {
          expect(word).not.toBe("");
          expect(word.length).toBeLessThanOrEqual(64);
          expect(word).not.toMatch(/[\s"]/u);
        }
        expect(searchTerms(text)).toEqual(words);
      }),
    );
  });

  it("exclude stop words as content words", () => {
    expect(contentWords("Where is the garage code kept?")).toEqual(["garage", "code", "kept"]);
    expect(contentWords("what is it that you do")).toEqual([]);
    expect(contentWords("Is the shop still open, or has it already closed?")).toEqual([
      "shop",
      "open",
      "closed",
    ]);
  });

  it("are all indexed, but in a long text only the first thousands with their frequency", () => {
    const text = `${"walnut ".repeat(5_000)} ${"quince ".repeat(50)}`;
    const words = indexedWords(text);
    expect(words.filter((word) => word === "walnut")).toHaveLength(4_000);
    expect(words.filter((word) => word === "quince")).toHaveLength(1);
  });
});

it("the words of some texts are those of the lines of one", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      expect(texts.flatMap(contentWords)).toEqual(contentWords(texts.join("\n")));
    }),
  );
});

describe("the stem of a word", () => {
  it.each([
    ["running", "run"],
    ["notebooks", "notebook"],
    ["is", "is"],
    ["v2", "v2"],
    ["מחברות", "מחברות"],
  ])("%s", (word, stem) => {
    expect(stemOf(word)).toBe(stem);
    expect(stemOf(word)).toBe(stem);
  });
});

describe("a text without the characters at its end", () => {
  it.each([
    ["buy milk. ", "buy milk"],
    ["a, b", "a, b"],
    [" ., ", ""],
    ["", ""],
  ])("%j", (text, rest) => {
    expect(withoutTrailing(text, /[\s.,]/u)).toBe(rest);
  });
});

it("splits a text into sentences, but not after an abbreviation", () => {
  expect(sentencesIn("Ann is here. Bob, too! Dr. Berg and Mrs. Lie come at 4. p.m. is late")).toEqual([
    "Ann is here.",
    "Bob, too!",
    "Dr. Berg and Mrs. Lie come at 4. p.m. is late",
  ]);
});

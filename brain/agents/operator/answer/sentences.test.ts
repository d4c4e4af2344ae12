import { expect, it } from "vitest";
import { sentencesOf } from "./sentences.ts";

const textsOf = (answer: string): string[] => sentencesOf(answer).map(({ text }) => text);

it("ends no sentence inside code or a remark in parentheses", () => {
  const sentences = [
    "Write `(items ?? []). Map it` there.",
    "The room (2nd fl. West wing) has 12 seats.",
    "(It is open. Come in.)",
    "The list (a, (bear. Cat), door. East) ends.",
    "Two (one. Two) and `three. Four` fit.",
  ];
  expect(textsOf(sentences.join(" "))).toEqual([
    ...sentences.slice(0, 3),
    "The list (a, (bear. Cat), door.",
    "East) ends.",
    sentences[4],
  ]);
});

it("ends a sentence after a mark that is not closed", () => {
  expect(textsOf("It begins (here. It is not closed. A ` stands. Alone.")).toEqual([
    "It begins (here.",
    "It is not closed.",
    "A ` stands.",
    "Alone.",
  ]);
});

it("reads a line of 100,000 sentences with the same effort for each", () => {
  // If the work for a sentence grew with the line before it, this would take minutes and exceed the time limit of the test.
  const line = "It is so (a. B), see `c. D` here. ".repeat(100_000);
  expect(sentencesOf(line)).toHaveLength(100_000);
});

it.each([".", "?!", ".*", "._", ".)"])("reads a long row of %s once", (piece) => {
  const line = `It is so${piece.repeat(60_000)}x`;
  expect(textsOf(line).join(" ").replaceAll(" ", "")).toBe(line.replaceAll(" ", ""));
});

it("continues a sentence of more than 500 characters as the next one, after a blank and within no character", () => {
  const words = "Seven words of this are repeated here, ".repeat(30);
  expect(textsOf(words).join(" ")).toBe(words.trim());
  expect(Math.max(...textsOf(words).map(({ length }) => length))).toBeLessThanOrEqual(500);
  expect(textsOf(`a${"\u{1f600}".repeat(1_000)}`).every((text) => text.isWellFormed())).toBe(true);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamedAnswer } from "./streamed-answer.ts";

const inPieces = (text: string, cuts: readonly number[]): string[] => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [...places, text.length].map((place, index) => text.slice(places[index - 1] ?? 0, place));
};
const read = (pieces: readonly string[]): string => {
  const grow = streamedAnswer();
  return pieces.map(grow).join("");
};

describe("parsing an answer from a streamed reply", () => {
  it("returns the whole answer however the reply is split", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat()), (answer, cuts) => {
        const reply = JSON.stringify({ thought: 'say "answer": no', respond: true, answer });
        expect(read(inPieces(reply, cuts))).toBe(JSON.parse(JSON.stringify(answer)));
      }),
    );
  });

  it("returns each piece immediately", () => {
    const grow = streamedAnswer();
    expect(grow('{"thought":"x","respond":true,"answer":"The cap')).toBe("The cap");
    expect(grow("ital\\")).toBe("ital");
    expect(grow('"s"}')).toBe('"s');
  });

  it.each([
    ["a call", '{"thought":"x","action":{"tool":"a","args":{"answer":"no"}}}'],
    ["a thought that names it", '{"thought":"answer","respond":true}'],
    ["prose", "The answer is: no"],
  ])("returns nothing of %s", (_, reply) => {
    expect(read([reply])).toBe("");
  });
});

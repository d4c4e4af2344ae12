import { describe, expect, it } from "vitest";
import { createAnswerGate, claimStart, withoutUnconfirmed, withUnconfirmedMarked } from "./answer-gate.ts";
import { checkAnswer } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { sentencesOf } from "./sentences.ts";
import { evidenceOf, labelledAnswers } from "./testing/labelled-answers.ts";

function passedOn(pieces: readonly string[], evidence: AnswerEvidence): string[] {
  const passed: string[] = [];
  const gate = createAnswerGate(evidence, { pass: (text) => passed.push(text) });
  for (const piece of pieces) gate.push(piece);
  gate.end();
  return passed;
}

/** The answer without the held part of each sentence that fails. */
function expected(answer: string, evidence: AnswerEvidence): string {
  const failing = checkAnswer(answer, evidence).filter(({ problems }) => problems.length > 0);
  const sentences = sentencesOf(answer);
  return failing.toReversed().reduce((text, { start, end }) => {
    const sentence = sentences.find((one) => one.start === start);
    return sentence ? text.slice(0, start + claimStart(sentence)) + text.slice(end) : text;
  }, answer);
}

/** Pieces of 1 to 9 characters, by a linear congruential generator. */
function pieces(text: string, seed: number): string[] {
  const cut: string[] = [];
  let state = seed;
  for (let from = 0; from < text.length;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const length = 1 + (state % 9);
    cut.push(text.slice(from, from + length));
    from += length;
  }
  return cut;
}

describe("the gate before a streamed answer", () => {
  const nothing = evidenceOf({ request: "tell me something" });

  it("passes on a sentence without a claim piece by piece", () => {
    const passed: string[] = [];
    const gate = createAnswerGate(evidenceOf({}), { pass: (text) => passed.push(text) });
    gate.push("Paris");
    expect(passed.join("")).toBe("Paris");
    gate.push(" is the");
    expect(passed.join("")).toBe("Paris is the");
    gate.push(" capital of France");
    expect(passed.join("")).toBe("Paris is the capital of France");
  });

  it("holds a sentence back from the first sign of a claim until it is complete", () => {
    const passed: string[] = [];
    const gate = createAnswerGate(evidenceOf({}), { pass: (text) => passed.push(text) });
    gate.push("Mont Blanc is 4,8");
    expect(passed.join("")).toBe("Mont Blanc is ");
    gate.push("06 m high. Next ");
    expect(passed.join("")).toBe("Mont Blanc is 4,806 m high. Next");
  });

  it("never passes on a failing sentence, and continues with the next one", () => {
    const passed = passedOn(["I sen", "t the mail to out/x.m", "d. That is all I know."], nothing).join("");
    expect(passed).not.toContain("sent");
    expect(passed).not.toContain("out/x.md");
    expect(passed).toContain("That is all I know.");
  });

  it.each(["own.jsonl", "blind.jsonl"] as const)(
    "passes on the same text however it is split: %s",
    (file) => {
      for (const [index, labelled] of labelledAnswers(file).entries()) {
        const evidence = evidenceOf(labelled);
        const whole = expected(labelled.answer, evidence);
        // Each answer is cut in another way.
        expect(passedOn(pieces(labelled.answer, index), evidence).join(""), labelled.id).toBe(whole);
        expect(passedOn([labelled.answer], evidence).join(""), labelled.id).toBe(whole);
        expect(passedOn(Array.from(labelled.answer), evidence).join(""), labelled.id).toBe(whole);
      }
    },
  );
});

describe("an unconfirmed sentence", () => {
  const evidence = evidenceOf({});
  const answer = "Hello. I emailed it.\n- Moved to out/z.md\n- Fine";
  const checked = checkAnswer(answer, evidence);

  it("is marked at its position", () => {
    expect(withUnconfirmedMarked(answer, checked)).toBe(
      "Hello. I emailed it. *not confirmed*\n- Moved to out/z.md *not confirmed*\n- Fine",
    );
  });

  it("is omitted from memories, with its line if it fills one", () => {
    expect(withoutUnconfirmed(answer, checked)).toBe("Hello.\n- Fine");
    expect(withoutUnconfirmed("I emailed it.", checkAnswer("I emailed it.", evidence))).toBe("");
  });
});

it("streams at most two hundred sentences of an answer, and leaves the rest to the review", () => {
  const sentence = (index: number) =>
    `Roses of kind ${String.fromCharCode(97 + (index % 26)).repeat(3 + index)} bloom. `;
  const answer = Array.from({ length: 230 }, (_, index) => sentence(index)).join("");
  const passed: string[] = [];
  const gate = createAnswerGate(evidenceOf({}), { pass: (text) => passed.push(text) });
  for (let index = 0; index < answer.length; index += 50) gate.push(answer.slice(index, index + 50));
  gate.end();
  const streamed = passed.join("");
  expect(answer.startsWith(streamed)).toBe(true);
  expect(streamed.split(". ").length).toBeGreaterThan(190);
  expect(streamed.length).toBeLessThan(answer.length);
});

it("keeps a sentence whole around an abbreviation and a remark in parentheses", () => {
  const whole = [
    "I added the tent (244.73 incl. VAT) to out/party/ideas.md [3].",
    "The room (on the 2nd fl. West wing) has 12 seats [1].",
    "It costs 120 excl. VAT [2].",
  ];
  expect(sentencesOf(whole.join(" ")).map(({ text }) => text)).toEqual(whole);
  expect(sentencesOf("It is open (see above. It closes at 5.").length).toBe(2);
});

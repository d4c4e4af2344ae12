import { expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { call } from "./testing/observed-calls.ts";

const NOTES =
  "To Mr Brekke: heating broken since 9 November; reported by phone on 10 and 16 November, spoke to Tove.";
const notes = call("fs_read", { path: "letter.md" }, { path: "out/letter.md", content: NOTES });
const problemsIn = (answer: string, request = "write the letter to my landlord from letter.md"): string[] =>
  checkAnswer(answer, {
    ...evidenceOf({ request, observations: [notes] }),
    known: ["You work for Ada Moen."],
  }).flatMap(({ problems }) => problems.map(({ text }) => text));
const letter = (sentence: string, to = "Mr Brekke") => `Dear ${to},\n\n${sentence}\n\nKind regards,\nAda`;

it("what the person says in a letter is no claim of the operator", () => {
  const sentence = "I reported it by phone on 10 and 16 November and spoke with Tove.";
  expect(problemsIn(letter(sentence))).toEqual([]);
  expect(problemsIn(sentence)).not.toEqual([]);
});

it("a letter is checked for its days and figures", () => {
  expect(problemsIn(letter("I called on 10 and 18 November."))).toEqual([
    "18 November. is stated, and nothing shows that day.",
  ]);
});

it.each<[about: string, answer: string, request?: string]>([
  ["after its closing", `${letter("The heating is broken.")}\n\nI sent it to Mr Brekke.`],
  ["in an answer that addresses the person", letter("I sent it to Mr Brekke.", "Ada")],
  ["where no letter was asked for", letter("I sent it to the landlord."), "what is in notes.md?"],
])("the operator's actions are claims %s", (_about, answer, request = "write the letter from letter.md") => {
  expect(problemsIn(answer, request)).not.toEqual([]);
});

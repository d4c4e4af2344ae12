import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { call, type Call } from "./testing/observed-calls.ts";
import { withCalculationNotes } from "./own-texts.ts";

const reading = (path: string, content: string): Call =>
  call("fs_read", { path }, { path: `out/${path}`, content, truncated: false });
const calculating = (expression: string, result: string): Call =>
  call("calculate", { expression }, { expression, result });

const refutedIn = (
  answer: string,
  given: Parameters<typeof evidenceOf>[0],
  more: Partial<AnswerEvidence> = {},
) =>
  checkAnswer(answer, { ...evidenceOf(given), ...more }).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );

const fees = reading("fees/2024.csv", "member,fee\nAnja,120.00\nBruno,95.50\nCelia,60.00\n");
const unread = call("fs_read", { path: "fees/2025.csv" }, { error: "No such input." }, false);

describe("a figure that was calculated from numbers which nothing shows", () => {
  const request = "add up the fees of the files in out/fees";
  const guessed = calculating("120 + 95.5 + 60 + 125 + 99", "499.5");

  it("is refuted with these numbers", () => {
    const answer = "The fees add up to 499.50 euros [3].";
    expect(refutedIn(answer, { request, observations: [fees, unread, guessed] })).toEqual([
      "499.50 was calculated from 125, 99, which nothing shows.",
    ]);
  });

  it.each<[about: string, answer: string, observations: Call[]]>([
    [
      "is shown by what was read",
      "The fees of 2024 add up to 275.50 [2].",
      [fees, calculating("120+95.50+60", "275.5")],
    ],
    [
      "goes on with the result of another calculation",
      "With VAT the fees of 2024 are 345.75 [3].",
      [fees, calculating("120+95.5+60", "275.5"), calculating("275.5 * 1.255", "345.7525")],
    ],
    [
      "goes on with the total of a column",
      "Half of the fees of 2024 is 137.75 [2].",
      [fees, calculating("275.5 / 2", "137.75")],
    ],
    [
      "is also stated in a file",
      "The budget is 499.50 [3].",
      [fees, guessed, reading("budget.txt", "Budget: 499.50\n")],
    ],
  ])("is not refuted if it %s", (_about, answer, observations) => {
    expect(refutedIn(answer, { request, observations })).toEqual([]);
  });

  it("may rest on general knowledge where no figure was found", () => {
    const observations = [calculating("480 * 6.5 / 100", "31.2")];
    const answer = "You need about 31.2 litres for 480 km at 6.5 litres per 100 km.";
    expect(refutedIn(answer, { request: "how much fuel do I need for 480 km?", observations })).toEqual([]);
  });
});

describe("the total of a table whose rows are all of one month", () => {
  const rows = "date,item,amount\n2026-05-02,rent,700\n2026-05-11,food,92.10\n2026-05-20,shoes,60\n";
  const april = "date,item,amount\n2026-04-02,rent,700\n2026-04-09,food,80.50\n";
  const request = "do that again but for May";
  const earlier = {
    earlierResults: `fs_read: out/money/april.csv\n${april}`,
    earlierCalls: [
      {
        skill: "fs_read",
        args: { path: "out/money/april.csv" },
        outputs: { content: april },
        observed: april,
      },
    ],
  };

  it.each([
    ["no calculation gave it", [], "792.10 is stated as a total, and the rows of the table add up to 852.1."],
    [
      "a calculation of some rows gave it",
      [calculating("700 + 92.10", "792.1")],
      "792.10 is stated as a total, and 700 + 92.10 leaves out 60 of the column amount.",
    ],
  ])(
    "is refuted if it leaves out a row, also where the sentence names the month and %s",
    (_about, calculations, problem) => {
      const observations = [reading("money/may.csv", rows), ...calculations];
      expect(refutedIn("The sum of May is 792.10 [1].", { request, observations }, earlier)).toEqual([
        problem,
      ]);
    },
  );

  it.each([
    ["the request", "how much did we spend on the household in May?", "The sum of May is 792.10 [2]."],
    ["the sentence", request, "The sum of the household in May is 792.10 [2]."],
    ["a limit of the request", "add up the amounts over 80 in May", "The sum is 792.10 [2]."],
  ])("stands for some rows that %s chooses", (_about, goal, answer) => {
    const observations = [reading("money/may.csv", rows), calculating("700 + 92.10", "792.1")];
    expect(refutedIn(answer, { request: goal, observations })).toEqual([]);
  });

  it("stands for some rows that the message before chooses", () => {
    const observations = [reading("money/may.csv", rows), calculating("700 + 92.10", "792.1")];
    const conversation = [{ role: "person" as const, text: "what did the household cost in April?" }];
    expect(refutedIn("The sum of May is 792.10 [2].", { request, observations, conversation })).toEqual([]);
  });

  it.each([
    ["is right", "The sum of May is 852.10 [2].", rows, "700 + 92.10 + 60", "852.1"],
    [
      "is that of the month, where the table has others",
      "The sum of May is 792.10 [2].",
      rows.replace("05-20", "06-20"),
      "700 + 92.10",
      "792.1",
    ],
    ["is of an earlier table", "The sum of April was 780.50.", rows, "700 + 92.10 + 60", "852.1"],
    ["is of some rows", "Rent and food of May come to a sum of 792.10 [2].", rows, "700 + 92.10", "792.1"],
  ])("is not refuted if it %s", (_about, answer, content, expression, result) => {
    const observations = [reading("money/may.csv", content), calculating(expression, result)];
    expect(refutedIn(answer, { request, observations }, earlier)).toEqual([]);
  });
});

describe("the observation of a calculation", () => {
  const observation = { mode: "structured", content: "= …", success: true } as const;
  const noted = (expression: string, observations: Call[], request = "add up the amounts") =>
    withCalculationNotes(observation, expression, evidenceOf({ request, observations })).content;
  const may = reading(
    "may.csv",
    "date,item,amount\n2026-05-02,rent,700\n2026-05-11,food,92.10\n2026-05-20,shoes,60\n",
  );

  it("says which values of a column a sum leaves out", () => {
    expect(noted("700 + 92.10", [may])).toBe(
      "= …\nThe column amount of the table also has 60, which this leaves out.",
    );
  });

  it("says so also of some rows of a group", () => {
    expect(
      noted("40+20", [reading("m.csv", "name,fee,paid\nBo,40,no\nCarl,20,no\nEva,35,no\nIda,10,yes\n")]),
    ).toContain("The column fee of the table also has 35, 10");
  });

  it("says which operands nothing shows", () => {
    expect(noted("120 + 95.50 + 125 * 2", [fees])).toBe(
      "= …\nNothing shows 125: find them out before you use this result.",
    );
  });

  const members = reading(
    "members.csv",
    "name,voice,fee,paid\nAino,soprano,40,yes\nBirgit,alto,40,no\nCarl,bass,20,no\nEino,tenor,20,yes\nFrida,alto,40,no\n",
  );
  const raised = calculating("420 * 1.08", "453.6");

  it.each([
    ["the values of all rows that share a value", "40+20+40", [members]],
    ["the values of all other rows", "40+20", [members]],
    [
      "what an earlier calculation added",
      "775 + 33.60",
      [reading("a.csv", "what,eur\nall,775\nstorage,420\n"), raised],
    ],
    ["all values of a column", "700+92.1+60", [may]],
    ["a rate of a value", "700 * 1.255", [may]],
    ["a value of the request", "700 + 41.75", [may]],
    ["numbers of a request without observations", "480 * 6.5 / 100", []],
  ])("says nothing about %s", (_about, expression, observations) => {
    expect(noted(expression, observations, "add 41.75 to the rent")).toBe("= …");
  });
});

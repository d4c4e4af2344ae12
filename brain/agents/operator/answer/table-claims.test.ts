import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";

const reading = (content: string) =>
  evidenceOf({
    request: "have a look at the table",
    observations: [{ tool: "fs_read", args: { path: "out/a.csv" }, success: true, outputs: { content } }],
  });
const problemsOf = (answer: string, content: string): string[] =>
  checkAnswer(answer, reading(content)).flatMap(({ problems }) => problems.map(({ text }) => text));

const SHIFTS = "date,shift\n2026-12-02,night\n2026-12-03,night\n2026-12-07,early\n2027-01-04,night\n";
const SALES = "day,total\nFri 20,640\nSat 21,910\nSun 22,300\n";
const TOURS = "name,km,hours\nNorth ridge,12,5\nLake loop,18,4\nOld mill,7,2\n";

describe("what a sentence says of a table", () => {
  it.each([
    ["a count of rows that is another one", "You have four night shifts.", SHIFTS],
    ["a count of the rows of a month", "There are four night shifts in December.", SHIFTS],
    ["the row with the most", "The lake loop is the shortest tour.", TOURS],
    ["the row with the least, by its short weekday", "The lowest total was on Friday.", SALES],
    ["a factor of two", "On Saturday it was double of Friday.", SALES],
  ])("is marked when it is wrong: %s", (_, answer, content) => {
    expect(problemsOf(answer, content)).not.toEqual([]);
  });

  it.each([
    ["a count of all such rows", "You have three night shifts.", SHIFTS],
    ["a count of the rows of a month", "There are two night shifts in December.", SHIFTS],
    ["the row with the most in one column", "The lake loop is the longest tour.", TOURS],
    ["one of several columns", "The north ridge is the longest tour, by its hours.", TOURS],
    ["the row with the least", "The lowest total was on Sunday.", SALES],
    ["the second of a ranking", "Friday has the second highest total.", SALES],
    ["a factor of about two", "On Friday it was double of Sunday.", SALES],
    ["a total of a column, in any wording", "Yhteensä 1850.", SALES],
    [
      "the total of the rows of a month",
      "All of December: 42.",
      "day,km\n2026-12-01,40\n2026-12-02,2\n2027-01-03,9\n",
    ],
    ["what one column leaves of another", "Ada kept 550.", "who,fee,costs\nAda,700,150\nBob,300,50\n"],
  ])("is left alone when it is right: %s", (_, answer, content) => {
    expect(problemsOf(answer, content)).toEqual([]);
  });
});

describe("a sentence that code finds nothing wrong with", () => {
  const NOTE = "# Plum cake (Helga)\n\n1 kg plums, 300 g flour\nOven 180 C, 45 minutes\n";
  const isUndecided = (answer: string): boolean =>
    checkAnswer(answer, reading(NOTE)).some((sentence) => sentence.isUndecided);

  it.each([
    ["its words and figures stand in one line", "The plum cake is by Helga [1]."],
    ["it only asks", "Shall I bake 45 of the plum cakes?"],
  ])("is confirmed when %s", (_, answer) => {
    expect(isUndecided(answer)).toBe(false);
  });

  it.each([
    ["says what stands in no line", "The plum cake of Helga is her mother's."],
    ["joins the words of several lines", "Helga takes 300 g flour."],
    ["ranks", "The plum cake is the best one by Helga."],
    ["counts", "There are two lines by Helga."],
    ["denies", "Helga has no plum cake."],
  ])("is left undecided when it %s", (_, answer) => {
    expect(isUndecided(answer)).toBe(true);
  });
});

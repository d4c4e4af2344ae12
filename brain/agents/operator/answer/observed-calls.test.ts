import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { innerCalls } from "./observed-calls.ts";
import { unmentionedChanges } from "./unmentioned-changes.ts";

const ORDERS = "order,customer,amount\nA-1,Kim,42.50\nA-2,Lee,40.00\nA-3,Kim,13.50\n";
/** A recipe that read a table and wrote a file. */
const evidence = evidenceOf({
  request: "do the usual with orders.csv",
  observations: [
    {
      tool: "function_run",
      args: { id: "func-1", parameters: { path: "orders.csv" } },
      success: true,
      outputs: {
        function: { id: "func-1", title: "Report orders", kind: "recipe" },
        result: {
          steps: [
            { path: "out/orders.csv", content: ORDERS },
            { path: "out/report.md", bytes: 12, created: true },
          ],
        },
        logs: ["Read out/orders.csv: order,customer,amount", "Created out/report.md."],
        durationMs: 12,
      },
    },
  ],
});
const refutations = (answer: string): string[] =>
  checkAnswer(answer, evidence).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );
const added = (answer: string): string[] =>
  unmentionedChanges(answer, { scratchpad: evidence.scratchpad, skills: [] });

describe("the calls of a recipe that function_run ran", () => {
  it.each([
    ["a file that none of them deleted", "I deleted out/orders.csv."],
    ["a program that none of them ran", "I installed the report."],
    ["a wrong total of the table that one of them read", "In total the orders cost 142.50 [1]."],
  ])("refute %s", (_, answer) => {
    expect(refutations(answer)).not.toEqual([]);
  });

  it.each(["I created out/report.md.", "In total the orders cost 96.00 [1]."])("support “%s”", (answer) => {
    expect(refutations(answer)).toEqual([]);
  });

  it("are told to the person where the answer leaves a change out", () => {
    expect(added("DONE")).toEqual(["Created out/report.md."]);
    expect(added("The report is there.")).toEqual([]);
    expect(added("Everything went well [1].")).toEqual([]);
  });
});

it("of code are only those that changed something, also where it returns steps like a recipe", () => {
  const [entry] = evidenceOf({
    observations: [
      {
        tool: "function_run",
        args: { id: "func-2" },
        success: true,
        outputs: {
          function: { id: "func-2", title: "Plan the walk", kind: "code" },
          result: { steps: [{ path: "out/walk.md", bytes: 12 }] },
          logs: ["to the lake"],
          durationMs: 3,
        },
      },
    ],
  }).scratchpad;
  expect(entry && innerCalls(entry)).toBeUndefined();
});

describe("a change of a row", () => {
  it.each([
    ["Tom Wills is now marked as paid.", 0],
    ["Done.", 1],
  ])("is mentioned where the answer names the row: %s", (answer, count) => {
    const { scratchpad } = evidenceOf({
      observations: [
        {
          tool: "table_edit",
          args: { path: "out/fees.csv", action: "set", row: "Tom", column: "Paid", value: "yes" },
          success: true,
          outputs: { path: "out/fees.csv", action: "set", changed: true, row: "Tom Wills" },
        },
      ],
    });
    expect(unmentionedChanges(answer, { scratchpad, skills: installedSkills })).toHaveLength(count);
  });
});

describe("a commit", () => {
  it.each([
    ["I committed src/split.js as “Round the last share of a bill”.", 0],
    ["The last share of a bill is rounded now.", 0],
    ["All done.", 1],
  ])("is mentioned where the answer has its message: %s", (answer, count) => {
    const { scratchpad } = evidenceOf({
      observations: [
        {
          tool: "git_commit",
          args: { message: "Round the last share of a bill", files: ["tally/src/split.js"] },
          success: true,
          outputs: {
            commit: "07f7daab5d",
            branch: "master",
            repository: "out/tally",
            files: ["out/tally/src/split.js"],
          },
        },
      ],
    });
    expect(unmentionedChanges(answer, { scratchpad, skills: installedSkills })).toHaveLength(count);
  });
});

describe("a memory that an answer speaks of as “it”", () => {
  const remembered = (text: string) => ({
    tool: "memory_remember",
    args: { text },
    success: true,
    outputs: { memory: { content: text } },
  });
  const left = (answer: string, ...texts: string[]) =>
    unmentionedChanges(answer, {
      scratchpad: evidenceOf({ observations: texts.map(remembered) }).scratchpad,
      skills: installedSkills,
    });
  const fact = "Marta led her first 7a on 29 November.";

  it.each(["Congratulations! I have saved it.", "Great, I will remember that.", "I noted this for you."])(
    "is mentioned: %s",
    (answer) => {
      expect(left(answer, fact)).toEqual([]);
    },
  );

  it("is added where nothing or more than one was saved for it", () => {
    expect(left("Congratulations!", fact)).toHaveLength(1);
    expect(left("I have not saved it yet.", fact)).toHaveLength(1);
    expect(left("Great, I have saved it.", fact, "The garage code is 4711.")).not.toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { call, type Call, task } from "./testing/observed-calls.ts";

interface Given {
  request: string;
  answered?: string;
  calls?: Call[];
  earlier?: EarlierCall[];
}

const problemsOf = (answer: string, { request, answered, calls = [], earlier = [] }: Given) =>
  checkAnswer(answer, {
    ...evidenceOf({
      request,
      observations: calls,
      conversation: answered === undefined ? [] : [{ role: "operator", text: answered }],
    }),
    earlierCalls: earlier,
  }).flatMap(({ problems }) => problems);

const board = call(
  "fs_write",
  { path: "out/board.md", content: "Dora writes to the bank until 4 December." },
  { path: "out/board.md", bytes: 40, created: true },
);
const madeTask = (title: string, due: string): EarlierCall => ({
  skill: "task_create",
  args: { title, due },
  outputs: { id: "t", task: task(title, "todo", due) },
});
const scissors = call(
  "task_create",
  { title: "Bring scissors to the sewing class", due: "2026-12-12" },
  { id: "t", task: task("Bring scissors to the sewing class", "todo", "2026-12-12") },
);
const club: EarlierCall = {
  skill: "fs_append",
  args: { path: "out/club.md", text: "9 December 2026: going to the pottery class" },
  outputs: { path: "out/club.md", created: true },
};

describe("an action that an earlier answer claimed", () => {
  it.each([
    [
      "a task of this request, where one was made for the last one",
      "I summarised inbox/board.md in out/board.md [1] and created the task to remind Dora about the bank by 4 December.",
      {
        request:
          "now the same for inbox/board.md, into out/board.md, and the task is to remind Dora about the bank by 4 december",
        answered:
          'I wrote a short summary and created the task "Check the lease with Ben", due 11 December 2026.',
        calls: [board],
        earlier: [madeTask("Check the lease with Ben", "2026-12-11")],
      },
    ],
    [
      "a note of this request",
      'I created the task "Bring scissors to the sewing class" for 12 December [1] and noted in out/club.md that you are going.',
      {
        request: "same for the sewing class on 12 december, there I need my scissors",
        answered:
          'I created the task "Bring an apron to the pottery class" and noted in out/club.md that you are going.',
        calls: [scissors],
        earlier: [madeTask("Bring an apron to the pottery class", "2026-12-09"), club],
      },
    ],
    [
      "what was only said",
      "I added gloves and a warm scarf to your packing list.",
      {
        request: "what did you add to my packing list?",
        answered: "I added gloves and a warm scarf to your packing list.",
        earlier: [
          {
            skill: "fs_read",
            args: { path: "out/plan.md" },
            outputs: { path: "out/plan.md", content: "gloves" },
          },
        ],
      },
    ],
    [
      "the second of two files",
      "I saved who waits for what in out/waiting2.md and out/waiting3.md.",
      {
        request:
          "save who waits for what in out/waiting2.md, and the same for anna and carl in out/waiting3.md",
        calls: [
          call(
            "fs_write",
            { path: "out/waiting2.md", content: "carl" },
            { path: "out/waiting2.md", created: true },
          ),
        ],
      },
    ],
    [
      "a task beside a file",
      'I wrote thermos and torch to out/hike.txt [1] and created the task "Charge the torch" for Friday.',
      {
        request:
          "put thermos and torch in out/hike.txt, one per line, and a task to charge the torch on friday",
        calls: [
          call(
            "fs_write",
            { path: "out/hike.txt", content: "thermos\ntorch\n" },
            { path: "out/hike.txt", created: true },
          ),
        ],
      },
    ],
  ])("is not confirmed by it: %s", (_, answer, given) => {
    expect(problemsOf(answer, given).map(({ text }) => text)).not.toEqual([]);
  });

  it.each([
    [
      "asked about, and done",
      "I added gloves to your packing list.",
      {
        request: "what did you add to the packing list?",
        answered: "I added gloves to your packing list.",
        earlier: [
          {
            skill: "fs_append",
            args: { path: "out/packing.md", text: "gloves" },
            outputs: { path: "out/packing.md" },
          },
        ],
      },
    ],
    [
      "named as done before",
      "I created the task for the sewing class [1]; out/club.md I had already noted before.",
      {
        request: "same for the sewing class on 12 december, there I need my scissors",
        answered: "I noted in out/club.md that you are going.",
        calls: [scissors],
        earlier: [club],
      },
    ],
    [
      "in both files",
      "I saved who waits in out/waiting2.md [1] and out/waiting3.md [2].",
      {
        request:
          "save who waits for what in out/waiting2.md, and the same for anna and carl in out/waiting3.md",
        calls: ["2", "3"].map((one) =>
          call(
            "fs_write",
            { path: `out/waiting${one}.md`, content: "carl" },
            { path: `out/waiting${one}.md`, created: true },
          ),
        ),
      },
    ],
    [
      "both a file and a task",
      'I wrote thermos and torch to out/hike.txt [1] and created the task "Charge the torch" for Friday [2].',
      {
        request:
          "put thermos and torch in out/hike.txt, one per line, and a task to charge the torch on friday",
        calls: [
          call(
            "fs_write",
            { path: "out/hike.txt", content: "thermos\ntorch\n" },
            { path: "out/hike.txt", created: true },
          ),
          call(
            "task_create",
            { title: "Charge the torch", due: "2026-11-27" },
            { id: "t", task: task("Charge the torch", "todo", "2026-11-27") },
          ),
        ],
      },
    ],
    [
      "a text of both files",
      "I read both reports [1][2] and wrote their most important points to out/week47.md [3].",
      {
        request:
          "read inbox/report-anna.md and inbox/report-ben.md and write one text with the most important points of both into out/week47.md",
        calls: [
          ...["anna", "ben"].map((one) =>
            call(
              "fs_read",
              { path: `inbox/report-${one}.md` },
              { path: `inbox/report-${one}.md`, content: `# Week 47, ${one}` },
            ),
          ),
          call(
            "fs_write",
            { path: "out/week47.md", content: "Anna finished the form." },
            { path: "out/week47.md", created: true },
          ),
        ],
      },
    ],
  ])("is confirmed by what was done: %s", (_, answer, given) => {
    expect(problemsOf(answer, given).map(({ text }) => text)).toEqual([]);
  });
});

describe("a day and a total of the answer", () => {
  it("are worked out", () => {
    const costs = call(
      "fs_write",
      { path: "out/costs.csv", content: "item,amount\nflights,840\nflat,610\nfood,300\nmuseum,36\n" },
      { path: "out/costs.csv", created: true },
    );
    const request =
      "make a table of the costs in out/costs.csv: flights 840, flat 610, food 50 per day for 6 days, museum 12 per adult and 6 per child";
    const list =
      "I made the table in out/costs.csv [1]: flights 840, flat 610, food 300 (6 days at 50) and museum 36 (two adults, two children).";
    expect(problemsOf(`${list} Together that is 1,796.`, { request, calls: [costs] })).not.toEqual([]);
    expect(problemsOf(`${list} Together that is 1,786.`, { request, calls: [costs] })).toEqual([]);
  });

  it("names the weekday of the day", () => {
    const grandma = call(
      "task_create",
      { title: "Ask Grandma about the cat", due: "saturday" },
      { id: "t", task: task("Ask Grandma about the cat", "todo", "2026-12-05") },
    );
    const passports = call(
      "task_create",
      { title: "Check the passports", due: "5 december" },
      { id: "p", task: task("Check the passports", "todo", "2026-12-05") },
    );
    const request =
      "tasks please: check the passports by 5 december, and ask Grandma about the cat on saturday";
    const answer = (day: string) =>
      `I created two tasks: check the passports (5 December) [1] and ask Grandma about the cat (Saturday ${day} December) [2].`;
    expect(problemsOf(answer("6"), { request, calls: [passports, grandma] })).toContainEqual({
      text: "6 December is not a Saturday.",
      isRefuted: true,
    });
    expect(problemsOf(answer("5"), { request, calls: [passports, grandma] })).toEqual([]);
  });
});

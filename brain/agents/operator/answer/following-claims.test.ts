import { describe, expect, it } from "vitest";
import { checkAnswer, checkAnswerAsync } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { type Call, call, tasks, note, costs, milk, problemsOf } from "./testing/observed-calls.ts";

describe("a number, day or state that follows from the evidence", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    ["the sum of the rows of one name", "Ada: 74.50 €", [costs]],
    ["an equal share of a total", "Together 86.50 €, so each owes 43.25 €.", [costs]],
    [
      "as many names as are counted",
      "It has two dependencies, `zod` and `hono`.",
      [call("fs_read", {}, { content: '{"dependencies":{"zod":"^3.23.0","hono":"^4.1.0"}}' })],
    ],
    [
      "a field by its name, of a total",
      "Two of the 44 tests failed.",
      [call("function_run", {}, { result: { passed: 41, failed: 2, skipped: 1 } })],
    ],
    [
      "a span with a half",
      "There are two and a half hours between them.",
      [call("fs_read", {}, { content: "09:00 stand-up\n11:30 dentist\n" })],
    ],
    [
      "what a call forgot by its id",
      "I removed the memory that you lived at Lindenstraße 4.",
      [
        call("memory_search", {}, { results: [{ id: "m3", content: "The user lived at Lindenstraße 4" }] }),
        call("memory_forget", { id: "m3" }, { id: "m3" }),
      ],
    ],
    ["that there is none on a day", "Nothing is due tomorrow.", [tasks]],
    ["a reported event", "The flight was postponed to 14 March 2027.", [note]],
    ["the average of the rows of one name", "Ada paid 37.25 € on average.", [costs]],
    [
      "an hour in words",
      "It leaves shortly before ten, and dinner is at seven in the evening.",
      [call("fs_read", {}, { content: "09:50 bus\n19:00 dinner" })],
    ],
    ["an example with numbers of its own", "Two people would pay at least 60.", [costs]],
    [
      "what a thing is called",
      "The folder is called `photos` now.",
      [call("fs_move", { from: "pics", to: "photos" }, { to: "out/photos" })],
    ],
    [
      "the last month of a span",
      "It runs until the end of February 2027, and notice is due in January 2027.",
      [call("fs_read", {}, { content: "from 2025-03-01 for 24 months, notice 1 month" })],
    ],
    ["years since", "That was seven years ago.", [call("fs_read", {}, { content: "visited in 2019" })]],
    ["a price per unit", "Per kWp it comes to 1,821.", [call("fs_read", {}, { content: "9.2 kWp, 16,750" })]],
    [
      "a weekday that is a field",
      "Tuesday is dry.",
      [call("http_get", {}, { body: '{"mon":{"rain":80},"tue":{"rain":10}}' })],
    ],
    [
      "a day left out of the opening hours",
      "It is shut on Mondays.",
      [call("http_get", {}, { body: "Open Tue-Sun 10-18" })],
    ],
    [
      "a day that recurs",
      "The next one is 6 December.",
      [call("http_get", {}, { body: "First Sunday of the month: free" })],
    ],
    ["that the request is done, before a task", 'Done: "Buy oats" is on your list.', [milk]],
    [
      "a day of the month behind its weekday",
      "Tue 24: early shift",
      [call("fs_read", {}, { content: "2026-11-24,early" })],
    ],
    [
      "the day and month of a short date",
      "Pay it by 30 November, so you have eight days left.",
      [call("fs_read", {}, { content: "pay water by 30/11" })],
    ],
    [
      "a dotted date before a time",
      "It is on 24 November.",
      [call("fs_read", {}, { content: "24.11. 19:30 rehearsal" })],
    ],
    [
      "half past an hour",
      "Load-in is at half past five.",
      [call("fs_read", {}, { content: "load-in 17:30" })],
    ],
    [
      "a part of the day behind an hour",
      "It is open from 8 in the morning until 10 at night.",
      [call("fs_read", {}, { content: "8:00-22:00" })],
    ],
    [
      "a time that a known span leads to",
      "The 8:32 gets you there at 8:50.",
      [call("fs_read", {}, { content: "8:32, journey 18 min" })],
    ],
    [
      "a number beside a letter",
      "All of its 40 GB are used, and six seats too.",
      [call("fs_read", {}, { content: "40G used, seats x6" })],
    ],
    [
      "a remainder of a limit",
      "With a limit of 1,500 you still have 313.",
      [call("fs_read", {}, { content: "limit 1500, used 1187" })],
    ],
    [
      "how many more",
      "Customers went from 168 to 184, so sixteen more.",
      [call("fs_read", {}, { content: "46,168\n47,184" })],
    ],
    [
      "hours and minutes of a decimal number",
      "That is nine hours and 45 minutes.",
      [call("execute_code", {}, { result: 9.75 })],
    ],
    [
      "a set of things",
      "Friday's set has four songs.",
      [call("fs_read", {}, { content: "Friday set: a, b, c, d" })],
    ],
  ])("is not marked: %s", (_, answer, observations) => {
    expect(problemsOf(answer, observations)).toEqual([]);
  });

  it("is not marked if amounts are scaled for another number of people", () => {
    const recipe = call("fs_read", {}, { content: "Serves 4\n400 g pasta\n80 g pecorino\n" });
    const answer = "For six people you need 600 g pasta and 120 g pecorino.";
    expect(problemsOf(answer, [recipe], { request: "convert the recipe to 6 people" })).toEqual([]);
  });
});

it.each([
  "Done.",
  "All done!",
  "You're welcome!",
  "Happy to help.",
  "Hello! How are you?",
  "Have a nice day!",
])("asks a model about nothing in %s", (answer) => {
  const parts = checkAnswer(answer, evidenceOf({ observations: [milk] }));
  expect(parts.filter(({ isUndecided }) => isUndecided)).toEqual([]);
});

it.each([
  ["Done.", "where nothing was changed"],
  ["Have a nice day in Rome with Ada!", "where more is said than a filler phrase"],
  ["The file is empty.", "in a short statement"],
])("leaves %s to a model %s", (answer) => {
  const parts = checkAnswer(answer, evidenceOf({ observations: [note] }));
  expect(parts.some(({ isUndecided, problems }) => isUndecided || problems.length > 0)).toBe(true);
});

it("calculates only with numbers near each other, because among many some match by chance", () => {
  const known = Array.from({ length: 40 }, (_, index) => 1_000 + 37 * index ** 3);
  const observed = call(
    "fs_read",
    {},
    { content: known.map((number) => `x: ${String(number)} m`).join("\n") },
  );
  const problems = (numbers: readonly number[]) =>
    problemsOf(`You ran ${numbers.map((number) => `${String(number)} m`).join(", ")}.`, [observed]);
  const [first = 0, second = 0, third = 0] = known.toReversed();
  expect(problems([first, second, third, first - second])).toEqual([]);
  expect(problems([...known.toReversed(), first - second])).toEqual([expect.stringContaining("is stated")]);
});

describe("a long answer", () => {
  const answer = Array.from(
    { length: 200 },
    (_, index) => `The hotel number ${String(index)} costs 120 EUR [1].`,
  ).join(" ");

  it("is checked with the same result in slices that yield to the event loop", async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      waiting = setImmediate(count);
    };
    let waiting = setImmediate(count);
    const evidence = evidenceOf({ observations: [note] });
    const checked = await checkAnswerAsync(answer, evidence, new AbortController().signal);
    clearImmediate(waiting);
    expect(turns).toBeGreaterThanOrEqual(5);
    expect(checked).toEqual(checkAnswer(answer, evidence));
  });

  it("is no longer checked once its run is stopped", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(checkAnswerAsync(answer, evidenceOf({ observations: [note] }), signal)).rejects.toThrow(
      "stopped",
    );
  });

  it("judges a repeated claim the same each time", () => {
    const checked = checkAnswer(
      "I have booked twelve rooms. ".repeat(5),
      evidenceOf({ request: "book rooms" }),
    );
    const [first, ...others] = checked.map(({ problems }) => problems);
    expect(first).not.toEqual([]);
    for (const other of others) expect(other).toEqual(first);
  });
});

describe("an answer without a call about what was read earlier in the conversation", () => {
  const quote = "Kallio Roofing\nSteel roof 92 m2: 5 980.00\nTotal: 11 071.61\nStart: week 14";
  const evidence = {
    ...evidenceOf({
      request: "What would Kallio cost with 8 percent off, and which of the two do you recommend?",
      conversation: [
        { role: "person", text: "compare the two quotes" },
        { role: "operator", text: "Lahti is cheaper: 8 058 €." },
      ],
    }),
    earlierCalls: [
      { skill: "fs_read", args: { path: "out/kallio.txt" }, outputs: { content: quote }, observed: quote },
    ],
  };

  it("is left to a model, unless it claims nothing", () => {
    const [member, advice] = checkAnswer(
      "Kallio is also a member of the roofers' association. Shall I draft a letter to both?",
      evidence,
    );
    expect(member).toMatchObject({ problems: [], isUndecided: true });
    expect(advice?.isUndecided).toBe(false);
    const [general] = checkAnswer("Steel is heavier than wood.", {
      ...evidence,
      request: "What is heavier, steel or wood?",
      earlierCalls: [],
    });
    expect(general?.isUndecided).toBe(false);
  });
});

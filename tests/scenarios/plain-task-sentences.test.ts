import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Orders for tasks, reminders and facts in whole sentences, and questions for a number with words around them.

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";
async function sayEach(goals: readonly string[]): Promise<void> {
  for (const goal of goals) {
    await harness.ask(goal);
    harness.startConversation();
  }
}
const statuses = async () => {
  const { tasks } = await harness.profile.tasks.list({ limit: 100, includeDone: true });
  return Object.fromEntries(tasks.map(({ title, status }) => [title, status]));
};

describe("a wish to be reminded", () => {
  it("is a reminder at its time", async () => {
    expect(await say("on 5 December 2098 at 4pm I want to be reminded: rinse the filter")).toContain(
      "You will be reminded",
    );
    await sayEach([
      "I'd like to get reminded on 6 December 2098 at 9: post the parcel",
      "on 7 December 2098 at noon I need to be reminded of the tide",
      "I always lose track of the bins so give me a nudge on 8 December 2098 at 7:30 to put out the bins",
      "drop me a ping on 9 December 2098 to lock the shed",
      "can I get reminded on 10 December 2098: pay Kim",
    ]);
    expect((await harness.tasks()).toSorted()).toEqual([
      "lock the shed (2098-12-09)",
      "pay Kim (2098-12-10)",
      "post the parcel (2098-12-06T09:00:00.000Z)",
      "put out the bins (2098-12-08T07:30:00.000Z)",
      "rinse the filter (2098-12-05T16:00:00.000Z)",
      "the tide (2098-12-07T12:00:00.000Z)",
    ]);
  });

  it("is none if it is over, denied or a question", async () => {
    await sayEach([
      "at 6 I wanted to be reminded: rinse",
      "I never want to be reminded: rinse",
      "do I want to be reminded at 6?",
      "she gave me a nudge on friday to pay",
    ]);
    expect(await harness.tasks()).toEqual([]);
  });
});

describe("a task in a whole sentence", () => {
  it("has the title and the day that were said", async () => {
    await sayEach([
      "please to make for me task: buy candles, until 4 December 2098",
      "create for us a task: mend the tent",
      "on 5 December 2098 I must return the drill, task for that day please: return the drill",
      "I have to fetch Lou on 9 December 2098, make a task for that day: fetch Lou",
    ]);
    expect((await harness.tasks()).toSorted()).toEqual([
      "buy candles (2098-12-04)",
      "fetch Lou (2098-12-09)",
      "mend the tent",
      "return the drill (2098-12-05)",
    ]);
    await sayEach(["I might return the drill, task for that day maybe"]);
    expect(await harness.tasks()).toHaveLength(4);
  });

  it("is finished, begun or found, and another one made", async () => {
    for (const title of [
      "buy rice",
      "mow lawn",
      "tax papers",
      "polish shoes",
      "ring the dentist",
      "seed list",
    ])
      await say(`add a task "${title}"`);
    await say("set the due date of the dentist task to 11 December 2098");
    await sayEach([
      "tick off my task buy rice then make a new one, buy beans",
      "complete mow lawn and then add another one, edge the beds",
      "began with the tax papers, so that task is now in progress",
      "I have begun to polish shoes, that task is in progress",
      "I've started working on the seed list task, mark it in progress",
    ]);
    expect(await statuses()).toMatchObject({
      "buy rice": "done",
      "mow lawn": "done",
      "buy beans": "todo",
      "edge the beds": "todo",
      "tax papers": "in_progress",
      "polish shoes": "in_progress",
      "seed list": "in_progress",
    });
    for (const question of [
      "can you find a task about the dentist in my list? and when is it due",
      "is there a task for the dentist on my list? And when is it due?",
      "have I got a task about the dentist? when's it due",
      "do I have anything about the dentist on my list and when is it due?",
    ])
      expect(await say(question)).toContain("2098");
  });

  it("stays as it is if the sentence denies it, asks, or is about somebody else", async () => {
    for (const title of ["call Ola", "tax papers"]) await say(`add a task "${title}"`);
    await sayEach([
      "have you started with the tax papers, that task is in progress",
      "I have not started with the tax papers, that task is in progress",
      "he began with the tax papers, so that task is now in progress",
      "don't tick off my task call Ola then make a new one, call Bo",
    ]);
    expect(await statuses()).toEqual({ "call Ola": "todo", "tax papers": "todo" });
  });

  it("is none if it is called something else, and none without the word is deleted", async () => {
    await say('add a task "weekly report"');
    harness.startConversation();
    await sayEach([
      "delete the function weekly report and create a new one: monthly report",
      "delete the folder weekly report and create a new one: monthly report",
      "remove the row weekly report and add another one: monthly report",
      "delete everything and create a new one: monthly report",
      "delete report and create a new one: monthly report",
      "complete the form and create a new one: monthly report",
    ]);
    expect(await statuses()).toEqual({ "weekly report": "todo" });
    for (const thing of ["function", "folder", "row"]) {
      await say("set the priority of the task weekly report to high");
      expect(await harness.ask(`delete the ${thing} weekly report`)).toMatchObject({ status: "waiting" });
      harness.startConversation();
    }
    expect(await statuses()).toEqual({ "weekly report": "todo" });
    await say("delete the task weekly report and create a new one: monthly report");
    expect(await statuses()).toEqual({ "monthly report": "todo" });
    await say("delete the reminder monthly report and add another one: yearly report");
    expect(await statuses()).toEqual({ "yearly report": "todo" });
  });

  it("is no statement after a question", async () => {
    await sayEach([
      "Can you set a reminder? Dad wants to know.",
      "can you create a task? My boss told me so.",
      "can you put something on my list? Mum asked for it.",
      "could you make a task? Dad is waiting.",
    ]);
    expect(await harness.tasks()).toEqual([]);
    await sayEach([
      "Can you set a reminder? Call dad.",
      "can you add a task? Check what is in the shed",
      "could you make a task? the blue bike",
    ]);
    expect((await harness.tasks()).toSorted()).toEqual([
      "Call dad",
      "Check what is in the shed",
      "the blue bike",
    ]);
  });

  it("is one of two, and both are counted", async () => {
    for (const title of ["water the fern", "feed the cat", "sweep the hall"])
      await say(`add a task "${title}"`);
    await say("mark water the fern AND feed the cat as done, both tasks");
    expect(await statuses()).toEqual({
      "water the fern": "done",
      "feed the cat": "done",
      "sweep the hall": "todo",
    });
    await harness.write("out/a.txt", "a");
    await harness.write("out/b.txt", "b");
    await say("delete out/a.txt and out/b.txt, both of them please");
    await expect(harness.read("out/a.txt")).rejects.toThrow("ENOENT");
    await expect(harness.read("out/b.txt")).rejects.toThrow("ENOENT");
  });
});

it("keeps a fact behind the reason why it is said now", async () => {
  await sayEach([
    "Before I misplace the note: please remember the fence colour is called Moss 12.",
    "before I forget it again, remember that the alarm code is 7788",
    "before we lose the label: note that the tap needs a 12 mm washer",
    "so I don't forget it: the lock code is 4410, remember that",
  ]);
  expect(await harness.facts()).toContain("the lock code is 4410");
  expect((await harness.facts()).join()).toMatch(/Moss 12/u);
  expect((await harness.facts()).join()).toMatch(/7788/u);
  expect((await harness.facts()).join()).toMatch(/12 mm washer/u);
});

it("counts from today, and answers what a person must know", async () => {
  const days = await say("how many days until 24 December 2098?");
  const [count = ""] = /\d+ days/u.exec(days) ?? [];
  for (const question of [
    "how many days is it from today until 24 December 2098?",
    "days from now until 24 December 2098",
    "I need to know, how many days are there from today till 24 December 2098",
    "how many days to go from today to 24 December 2098",
  ])
    expect(await say(question)).toContain(count);
  expect(await say("we must know, how many seconds has an hour")).toContain("3600");
  expect(await say("8 hours are how many minutes")).toContain("480");
  expect(await say("I want to know: how many grams does 2 kilos have?")).toContain("2000");
});

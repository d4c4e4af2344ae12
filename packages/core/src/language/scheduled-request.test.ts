import { describe, expect, it } from "vitest";
import type { SkillGrammar } from "./grammar/phrase.ts";
import { readScheduledRequest } from "./scheduled-request.ts";

const skills: SkillGrammar[] = ["schedule_create", "remind"].map((id) => ({ id, reads: false, phrases: [] }));
const clock = { now: new Date("2026-11-28T10:00:00Z"), timeZone: "Europe/Helsinki" };
const read = (request: string, isPlan = (goal: string) => goal.startsWith("list")) => {
  const found = readScheduledRequest(request, { skills, clock, isPlan });
  if (found?.kind !== "plan") return found;
  const [call] = found.calls;
  const args = Object.entries(call?.args ?? {}).map(([name, value]) => [
    name,
    value.from === "request" ? value.value : undefined,
  ]);
  return { skill: call?.skill, ...Object.fromEntries(args) } as unknown;
};

describe("a request that recurs and delivers something", () => {
  it.each([
    "every weekday at 6:45 wake me with the to-do list",
    "send me the to-do list every weekday at 6:45",
    "every weekday at 6:45 start my day with the to-do list",
  ])("shows it: %j", (request) => {
    expect(read(request, (goal) => goal === "show me the to-do list")).toEqual({
      skill: "schedule_create",
      when: "every weekday at 6:45",
      goal: "show me the to-do list",
    });
  });
});

describe("the last day of what recurs", () => {
  const advent = { skill: "remind", text: "open the calendar", when: "every day at 9 until 2026-12-25" };
  it.each([
    ["remind me every day at 9 until christmas to open the calendar", advent],
    ["remind me to open the calendar every day at 9 until christmas", advent],
    ["until christmas, every day at 9 remind me to open the calendar", advent],
    [
      "every monday at 8 till the end of january list my tasks",
      { skill: "schedule_create", goal: "list my tasks", when: "every monday at 8 until 2027-01-31" },
    ],
    [
      "list my tasks every monday until 15 december",
      { skill: "schedule_create", goal: "list my tasks", when: "every monday until 2026-12-15" },
    ],
  ])("is read wherever it stands: %s", (request, expected) => {
    expect(read(request)).toEqual(expected);
  });

  it.each([
    ["every day list the tasks until friday", { goal: "list the tasks until friday", when: "every day" }],
    ["every day list “open until friday”", { goal: "list “open until friday”", when: "every day" }],
    [
      "every day list what to do until it rains",
      { goal: "list what to do until it rains", when: "every day" },
    ],
  ])("is not taken from what is to be done: %s", (request, expected) => {
    expect(read(request)).toEqual({ skill: "schedule_create", ...expected });
  });
});

describe("a request that recurs", () => {
  it.each([
    [
      "every weekday at 7:30 summarize inbox/ into out/today.md",
      { skill: "schedule_create", when: "every weekday at 7:30", goal: "summarize inbox/ into out/today.md" },
    ],
    [
      "On the first of the month, run Monthly report.",
      { skill: "schedule_create", when: "On the first of the month", goal: "run Monthly report" },
    ],
    [
      "please every 2 hours check https://example.org/ and then write it into a.md",
      {
        skill: "schedule_create",
        when: "every 2 hours",
        goal: "check https://example.org/ and then write it into a.md",
      },
    ],
    [
      "list my tasks every morning at 8",
      { skill: "schedule_create", when: "every morning at 8", goal: "list my tasks" },
    ],
    [
      "list my tasks every morning and write them to out/tasks.md",
      {
        skill: "schedule_create",
        when: "every morning",
        goal: "list my tasks and write them to out/tasks.md",
      },
    ],
    [
      "remind me every Friday at 9 to call mum",
      { skill: "remind", when: "every Friday at 9", text: "call mum" },
    ],
    [
      "every Monday at 19:00 remind me to take out the bin",
      { skill: "remind", when: "every Monday at 19:00", text: "take out the bin" },
    ],
    [
      "remind me every other Monday at 7pm to put out the paper bin",
      { skill: "remind", when: "every other Monday at 7pm", text: "put out the paper bin" },
    ],
    [
      "every weekday at 6:45 wake me up with list of things",
      { skill: "schedule_create", when: "every weekday at 6:45", goal: "wake me up with list of things" },
    ],
    ["wake me up every weekday at 6:45", { skill: "remind", when: "every weekday at 6:45", text: "wake up" }],
    ["remind me to stretch twice a day", { skill: "remind", when: "twice a day", text: "stretch" }],
    ["remind me to call mum every Friday", { skill: "remind", when: "every Friday", text: "call mum" }],
    [
      "remind me every mondey and thursdey evening to take the bins out",
      { skill: "remind", when: "every monday and thursday evening", text: "take the bins out" },
    ],
    [
      "remind me to call mr Mondey every fridey",
      { skill: "remind", when: "every friday", text: "call mr Mondey" },
    ],
    [
      "every tuesady at 8 list my tasks of tomorow",
      { skill: "schedule_create", when: "every tuesday at 8", goal: "list my tasks of tomorow" },
    ],
    [
      "list my tasks every mornig and write them to out/tomorow.md",
      {
        skill: "schedule_create",
        when: "every morning",
        goal: "list my tasks and write them to out/tomorow.md",
      },
    ],
    [
      "set a reminder every evening to take the pills",
      { skill: "remind", when: "every evening", text: "take the pills" },
    ],
  ])("is read from %s", (request, call) => {
    expect(read(request)).toEqual(call);
  });

  it.each([
    "remind me on Friday at 9 to call the dentist",
    "read the daily report",
    "daily report",
    "delete every file in inbox",
    "create a task to water the plants every Friday",
    "create a task to water the plants every Friday and call mum",
    "every day",
  ])("is not read from %s", (request) => {
    expect(read(request)).toBeUndefined();
  });

  it.each([
    "remind me every blue moon to laugh",
    "remind me every day at breakfast to take the pills",
    "remind me fortnightly-ish on Mondays to dust",
    "remind me six times a day to blink",
    "remind me to blink six times an hour",
    "every day at lunch remind me to eat",
  ])("is not understood if its frequency is not: %s", (request) => {
    expect(read(request)).toMatchObject({ kind: "not-understood" });
  });

  it.each(["remind me to read every chapter", "remind me to watch the daily show", "remind me daily's gone"])(
    "is not read if such words are part of a text: %s",
    (request) => {
      expect(read(request)).toBeUndefined();
    },
  );

  it("may state its frequency at its end only if it is short", () => {
    expect(read(`list ${"a ".repeat(40)}every day`)).toMatchObject({ when: "every day" });
    expect(read(`list ${"a ".repeat(600)}every day`)).toBeUndefined();
  });

  it("is not read if nothing can be scheduled", () => {
    expect(
      readScheduledRequest("every day list my tasks", { skills: [], clock, isPlan: () => true }),
    ).toBeUndefined();
  });
});

describe("words for a recurrence at the end of a request", () => {
  it.each([
    "every other friday",
    "fortnightly on monday",
    "every 2 weeks on friday",
    "every three days",
    "each second day",
    "quarterly",
    "twice a day",
    "three times per day",
    "hourly from 8 to 18",
    "every 20 minutes",
    "every half hour",
    "each second hour",
    "every minute",
    "on workdays",
    "on working days",
    "at the weekends",
    "every morning",
    "nightly",
    "each monday to friday",
    "once a day",
    "daily",
    "on the first monday of the month",
    "at the end of each month",
    "on day 3 of january",
    "on the 5th of the month",
    "monthly on the 5th",
    "annually on 5 may",
    "5 may every year",
    "monday to friday at 8:00",
    "weekly",
    "mondays",
    "bi-weekly",
  ])("are read: %s", (when) => {
    expect(read(`list my tasks ${when}`)).toEqual({
      skill: "schedule_create",
      goal: "list my tasks",
      when,
    });
  });

  it.each([
    ["evry tuesday at 6pm", "every tuesday at 6pm"],
    ["on mondeys", "on mondays"],
    ["tuesdys at 8", "tuesdays at 8"],
  ])("are read although they are misspelled: %s", (written, when) => {
    expect(read(`list my tasks ${written}`)).toMatchObject({ goal: "list my tasks", when });
  });
});

import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import {
  earlierValue,
  factsAbout,
  isOneOrder,
  omittedItem,
  referenceToEarlier,
  revertsOrForbids,
  unusedCondition,
} from "./should-learn.ts";

const isOne = (goal: string): boolean =>
  isOneOrder({
    run: { planner: "built-in", goal, createdAt: "2026-11-25T09:00:00.000Z" },
    skills: installedSkills,
  });

describe("a follow-up in a conversation", () => {
  it.each([
    "yes, and create a file notes/rome.md with the text hello and add a task to book the train",
    "ok, now move notes/a.md to notes/archive/ and add a task to read it again",
    "good. then create a folder trips/rome and add a task to pack for it",
    "and also copy notes/a.md to backup/a.md and add a task to check the backup",
    "perfect, thanks. append milk to shopping.md and add a task to go shopping",
    "next, rename draft.md to final.md and add a task to send final.md",
    "now summarize notes/a.md and remember the gist",
    "great, now copy notes/b.md to backup/b.md and add a task to compare them",
    "thanks! and then create a folder trips/oslo and add a task to pack for Oslo",
    "ok, and append tent to packing.md and add a task to air the tent",
  ])("may teach if it gives several orders: %s", (goal) => {
    expect(isOne(goal)).toBe(false);
  });

  it.each(["yes, and add a task to book the train", "same for Bergen", "do that again for Oslo"])(
    "teaches nothing if it gives one, or if only earlier messages tell what is asked: %s",
    (goal) => {
      expect(isOne(goal)).toBe(true);
    },
  );
});

describe("a request that repeats an earlier one for something else", () => {
  const reference = (goal: string) =>
    referenceToEarlier({ goal, createdAt: "2026-11-25T09:00:00.000Z" }, installedSkills);

  it.each([
    "do that again but for May",
    "ok, now do the same for out/money/june.csv please",
    "the same with the invoices of 2025",
    "once more for the second quarter, please",
    "mach das bitte auch für Mai und Juni",
    "fais la même chose pour le mois de mai",
    "haz lo mismo para mayo y junio",
  ])("depends on it: %s", (goal) => {
    expect(reference(goal)).toBe("pronoun");
  });

  it.each([
    "add up the amounts of out/money/may.csv and write the sum to out/money/may-sum.txt",
    "do this for every file in out/notes: read it, count its lines and write the count to out/counts.md",
    "make a list of the same length as out/a.md with the days of May",
  ])("does not if it says itself what to do: %s", (goal) => {
    expect(reference(goal)).not.toBe("pronoun");
  });
});

describe("a request that revokes or excludes something", () => {
  it.each([
    ["undo that", [{ path: "out/notes/trip.md" }]],
    ["please take that back and show the list", [{ path: "out/a.md" }]],
    ["delete a.md and b.md but not a.md", [{ path: "out/b.md" }]],
    [
      "create a file x.md with the text hello, append world to it and don't read it",
      [{ text: "hello" }, { text: "world" }],
    ],
    ["copy every note without the drafts to archive", [{ from: "notes/x.md" }]],
  ])("is not an example: %s", (goal, args) => {
    expect(revertsOrForbids(goal, args)).toBe(true);
  });

  it.each([
    [
      "remember that Bea never eats nuts and add a task to tell the cook",
      [{ text: "Bea never eats nuts" }, { title: "tell the cook" }],
    ],
    ['create a file x.md with the text "do not enter" and read it', [{ text: "do not enter" }]],
    ["add a task to undo the knots and list my tasks", [{ title: "undo the knots" }, {}]],
    ["copy notes/a.md to archive/a.md and add a task to read it", [{ from: "notes/a.md" }]],
    ["Hamish Reid can't come on 8 December. Note it in absences.md", [{ path: "absences.md" }]],
  ])("is an example if the word is a part of a value: %s", (goal, args) => {
    expect(revertsOrForbids(goal, args)).toBe(false);
  });
});

describe("a condition of a request", () => {
  it.each([
    ["delete everything in school that is older than this month", [{ path: "school", recursive: true }]],
    ["move all notes except the drafts to archive", [{ from: "notes", to: "archive" }]],
    ["lösche alle Rechnungen außer den offenen", [{ path: "rechnungen" }]],
  ])("is unused if no call has a word of it: %s", (goal, args) => {
    expect(unusedCondition(goal, args)).toBeDefined();
  });

  it.each([
    ["list the bills of more than 50 euro", [{ query: "50 euro" }]],
    ['write "older than the hills" to a.md and read it', [{ content: "older than the hills" }]],
    ["copy a.md to b.md", [{ from: "a.md", to: "b.md" }]],
  ])("is used, or there is none: %s", (goal, args) => {
    expect(unusedCondition(goal, args)).toBeUndefined();
  });
});

describe("a figure of a text that a run writes", () => {
  const writes = (text: string, ...before: { skill: string; outputs: Record<string, unknown> }[]) => ({
    request: "put that in the ideas file under a heading Costs, and add a task to confirm the tent",
    calls: [
      ...before.map((call) => ({ ...call, args: {}, success: true })),
      { skill: "fs_append", args: { path: "ideas.md", text }, success: true, outputs: {} },
    ],
    now: new Date("2026-11-28T09:00:00Z"),
    timeZone: "UTC",
    explores: false,
  });
  const earlier = ["With 25.5 % VAT the tent comes to 244.73 in total, valid until 15 December 2026."];
  const factsOf = factsAbout(installedSkills);

  it("comes from an earlier message if only that states it", () => {
    const text = "## Costs\n\n- Tent, from 2026-06-12: 244.73 incl. VAT";
    expect(earlierValue(writes(text), earlier, factsOf)).toBe("244.73");
    const calculated = { skill: "calculate", outputs: { result: 244.73 } };
    expect(earlierValue(writes(text, calculated), earlier, factsOf)).toBeUndefined();
  });

  it("does not come from there if it is a year or a small number", () => {
    expect(earlierValue(writes("Costs of 2026: see the 25 notes"), earlier, factsOf)).toBeUndefined();
  });
});

describe("an item of a list that led to no call", () => {
  const omitted = (request: string, calls: readonly [skill: string, args: Record<string, unknown>][]) =>
    omittedItem({
      request,
      calls: calls.map(([skill, args]) => ({ skill, args, success: true, outputs: {} })),
      now: new Date("2026-11-28T09:00:00Z"),
      timeZone: "UTC",
      explores: true,
    });

  it("is found, also if its items begin with verbs", () => {
    const tasks: [string, Record<string, unknown>][] = [
      ["task_create", { title: "ring Ida" }],
      ["task_create", { title: "call Oskar" }],
    ];
    expect(omitted("add tasks to ring Ida, call Oskar and visit the bank", tasks)).toBe("visit the bank");
  });

  it("is none of several orders", () => {
    const request =
      'create a file clients/tom.md with "Tom Berg", append "fresh" to it and remind me to call Tom Berg on Monday';
    expect(
      omitted(request, [
        ["fs_write", { path: "clients/tom.md", content: "Tom Berg" }],
        ["fs_append", { path: "clients/tom.md", text: "fresh" }],
        ["task_create", { title: "call Tom Berg", due: "2026-11-30" }],
      ]),
    ).toBeUndefined();
  });
});

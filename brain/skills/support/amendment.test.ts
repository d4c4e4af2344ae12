import { describe, expect, it } from "vitest";
import { amendTask, correctedFacts } from "./amendment.ts";

describe("the correction of a remembered sentence", () => {
  it.each([
    ["the garage code is 4711", "it is 4712", ["the garage code is 4712"]],
    ["the garage code is 4711", "4712", ["the garage code is 4712"]],
    ["anna likes tulips", "roses", ["anna likes roses"]],
    ["my sister lives in Bergen", "she lives in Oslo", ["my sister lives in Oslo"]],
    ["anna's birthday is on 3 May", "it's on 4 May", ["anna's birthday is on 4 May"]],
    [
      "my sister Klara lives in Bergen and has two boys",
      "Klara lives in Stavanger",
      ["my sister Klara lives in Stavanger and has two boys"],
    ],
    [
      "the meeting is on Friday and lunch is at 12",
      "lunch is at 1",
      ["the meeting is on Friday and lunch is at 1"],
    ],
    ["the meeting is on Friday and lunch is at 12", "13", ["the meeting is on Friday and lunch is at 13"]],
  ])("%s: %s", (fact, correction, corrected) => {
    expect(correctedFacts(fact, correction)).toEqual(corrected);
  });

  it.each([
    [
      "the meeting is on Friday and lunch is at 12",
      "Monday",
      ["the meeting is on Monday and lunch is at 12", "the meeting is on Friday and lunch is at Monday"],
    ],
    ["Ann is 40 and Bob is 50", "41", ["Ann is 41 and Bob is 50", "Ann is 40 and Bob is 41"]],
  ])("asks the person what is meant: %s: %s", (fact, correction, possible) => {
    expect(correctedFacts(fact, correction)).toEqual(possible);
  });

  it.each([
    ["the meeting is on Friday", "it is not on Friday"],
    ["the meeting is on Friday", "Bob lives in Oslo"],
    ["rooms 4 and 5 are free", "6"],
    ["Mirja has the red scarves", "Mirja has paid"],
    ["Tom has left", "Tom has a new bike"],
    ["the meeting", "it is on Monday or Tuesday, let me see"],
  ])("changes nothing: %s: %s", (fact, correction) => {
    expect(correctedFacts(fact, correction)).toEqual([]);
  });
});

describe("the correction of a task", () => {
  it.each([
    ["call mum", "dad", "call dad"],
    ["buy milk", "oat milk", "buy oat milk"],
    ["buy milk", "pay the rent", "pay the rent"],
    ["buy 2 lemons", "3", "buy 3 lemons"],
  ])("%s: %s", (title, words, corrected) => {
    expect(
      amendTask({ args: {}, outputs: { id: "task-1", task: { title } } }, { words, timeZone: "UTC" }),
    ).toEqual([{ skill: "task_update", args: { id: "task-1", title: corrected } }]);
  });

  it.each([
    ["2031-01-12", "the 15th", "2031-01-15"],
    // In Auckland, that is eight o'clock on 1 January.
    ["2030-12-31T19:00:00.000Z", "the 15th", "2031-01-15"],
    ["2030-12-31T19:00:00.000Z", "the 31st", "2031-01-31"],
    ["2031-02-01", "the 31st", "2030-12-31"],
  ])("puts a task that is due %s on %s in the month of the person: %s", (due, words, corrected) => {
    const made = { args: {}, outputs: { id: "task-1", task: { title: "renew", due } } };
    const next = words === "the 31st" ? "2030-12-31" : "2030-12-15";
    expect(amendTask(made, { words, date: next, timeZone: "Pacific/Auckland" })).toEqual([
      { skill: "task_update", args: { id: "task-1", due: corrected } },
    ]);
  });
});

import { expect, it } from "vitest";
import { taskInWords } from "./task-in-words.ts";

/** Wednesday, 18 November 2026, 11:00 in Oslo. */
const clock = { now: new Date("2026-11-18T10:00:00Z"), timeZone: "Europe/Oslo" };

it.each<[string, object]>([
  ["call the vet tomorrow", { title: "call the vet", due: "2026-11-19" }],
  ["paint the gate by friday high priority", { title: "paint the gate", due: "2026-11-20", priority: "P1" }],
  ["ring Eva on friday at 17:00", { title: "ring Eva", due: "2026-11-20T16:00:00.000Z" }],
  ["wash the car", { title: "wash the car" }],
  ["Buy 5 or 6 lemons", { title: "Buy 5 or 6 lemons" }],
  ["read a.md and delete b.md", { title: "read a.md and delete b.md" }],
])("reads %j as the chat does", (words, task) => {
  expect(taskInWords(words, clock)).toEqual(task);
});

it.each([
  ["send the form on 31 november", "There is no 31 november"],
  ["send the form on friday 5 december", "is a Saturday, not a Friday"],
])("asks about the day of %j", (words, question) => {
  expect(() => taskInWords(words, clock)).toThrow(question);
});

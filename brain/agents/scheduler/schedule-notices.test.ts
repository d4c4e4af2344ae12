import { Occurrence, Schedule } from "@metahuman/core/contract/schedule";
import { expect, it } from "vitest";
import { reminderNotice, succeededNotice } from "./schedule-notices.ts";

const at = "2026-11-20T08:00:00.000Z";
const scheduleId = "sched-01m8k8hm2wwg0cj8gae98760tc";
const occurrence = Occurrence.parse({ scheduleId, dueAt: at, state: "running", attempt: 1 });
const schedule = Schedule.parse({
  id: scheduleId,
  title: "Stretch",
  what: { kind: "reminder", text: "Stretch" },
  when: { kind: "at", at },
  timeZone: "Europe/Oslo",
  catchUp: "once",
  overlap: "skip",
  graceMinutes: 5,
  approvalMinutes: 60,
  skipDays: [],
  trustLevel: "observe",
  grants: [],
  needsModel: false,
  enabled: true,
  createdBy: "ada",
  createdAt: at,
  updatedAt: at,
  version: 1,
});

it.each([
  ["Europe/Oslo", ""],
  [undefined, ""],
  ["Asia/Tokyo", " (Europe/Oslo)"],
])("a reminder names its time zone only to a person in another one: %s", (ownZone, zone) => {
  const { body } = reminderNotice(schedule, occurrence, { now: new Date(at), ownZone });
  expect(body).toBe(`Reminder for Friday 20 November 2026 at 09:00${zone}.`);
});

it("tells the answer of a run without its citations, which nothing links there", () => {
  const answer = "The report is in **out/report.md** [2]. Nothing is overdue [1, 3].";
  const { body } = succeededNotice(schedule, occurrence, answer, new Date(at));
  expect(body).toBe("The report is in out/report.md. Nothing is overdue.");
});

import { describe, expect, it } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { describeWhen } from "../contract/describe-when.ts";
import { editedWhen, readTimes, readWhen } from "./read-when.ts";
import { recurrenceAt } from "../text/recurrence.ts";

const clock = { now: new Date("2026-11-23T12:00:00Z"), timeZone: "Europe/Oslo", locale: "en-GB" };
const cron = (expression: string) => ({ kind: "cron", expression });
const every = (seconds: number) => ({ kind: "every", seconds, anchor: "2026-11-23T12:00:00.000Z" });
const days = (count: number, anchor: string) => ({ kind: "every", seconds: count * 86_400, anchor });
const at = (moment: string) => ({ kind: "at", at: moment });

describe("a time of a schedule, in words", () => {
  it.each([
    ["every weekday at 7:30", cron("30 7 * * 1-5"), "every weekday at 07:30"],
    ["2026-12-02 in the morning", at("2026-12-02T08:00:00.000Z"), "on Wednesday 2 December 2026 at 09:00"],
    ["2026-12-07 evening", at("2026-12-07T18:00:00.000Z"), "on Monday 7 December 2026 at 19:00"],
    ["2 December in the morning", at("2026-12-02T08:00:00.000Z"), "on Wednesday 2 December 2026 at 09:00"],
    ["on 2026-12-02 at night", at("2026-12-02T20:00:00.000Z"), "on Wednesday 2 December 2026 at 21:00"],
    ["every day at 9", cron("0 9 * * *"), "every day at 09:00"],
    ["daily at 6pm", cron("0 18 * * *"), "every day at 18:00"],
    ["at 8am every day", cron("0 8 * * *"), "every day at 08:00"],
    ["every morning", cron("0 9 * * *"), "every day at 09:00"],
    ["every Thursday at a quarter to eight in the evening", cron("45 19 * * 4"), "every Thursday at 19:45"],
    ["each day at half past six in the morning", cron("30 6 * * *"), "every day at 06:30"],
    ["every morning at 6", cron("0 6 * * *"), "every day at 06:00"],
    ["every Sunday at quarter past four", cron("15 16 * * 0"), "every Sunday at 16:15"],
    ["half past ten on Saturday", at("2026-11-28T09:30:00.000Z"), "on Saturday 28 November 2026 at 10:30"],
    ["every day at half past seven", cron("30 7 * * *"), "every day at 07:30"],
    ["every weekday at twenty past eight", cron("20 8 * * 1-5"), "every weekday at 08:20"],
    ["every evening at half past eight", cron("30 20 * * *"), "every day at 20:30"],
    ["every evening at 8", cron("0 20 * * *"), "every day at 20:00"],
    ["every Monday and Thursday at 18:00", cron("0 18 * * 1,4"), "every Monday and Thursday at 18:00"],
    ["on mondays at noon", cron("0 12 * * 1"), "every Monday at 12:00"],
    ["every week on friday", cron("0 9 * * 5"), "every Friday at 09:00"],
    ["on the first of the month", cron("0 9 1 * *"), "on day 1 of every month at 09:00"],
    [
      "every month on the 1st and 15th at 10",
      cron("0 10 1,15 * *"),
      "on day 1 and 15 of every month at 10:00",
    ],
    ["on the last day of the month", cron("0 9 L * *"), "on the last day of every month at 09:00"],
    [
      "the first monday of every month at 8",
      cron("0 8 * * 1#1"),
      "on the first Monday of every month at 08:00",
    ],
    ["every year on 3 March", cron("0 9 3 3 *"), "every year on 3 March at 09:00"],
    ["every day at 9 and 17", cron("0 9,17 * * *"), "every day at 09:00 and 17:00"],
    ["every 1st of month", cron("0 9 1 * *"), "on day 1 of every month at 09:00"],
    ["every 1st and 15th of the month at 8", cron("0 8 1,15 * *"), "on day 1 and 15 of every month at 08:00"],
    ["every mondey and thursdey at 18:00", cron("0 18 * * 1,4"), "every Monday and Thursday at 18:00"],
    ["every 2 hours", every(7_200), "every 2 hours"],
    ["every minute", every(60), "every minute"],
    ["every other Monday at 19:00", days(14, "2026-11-23T18:00:00.000Z"), "every 2 weeks on Monday at 19:00"],
    ["every second Monday at 7pm", days(14, "2026-11-23T18:00:00.000Z"), "every 2 weeks on Monday at 19:00"],
    ["every two weeks on Monday", days(14, "2026-11-30T08:00:00.000Z"), "every 2 weeks on Monday at 09:00"],
    ["fortnightly on Fridays at 8", days(14, "2026-11-27T07:00:00.000Z"), "every 2 weeks on Friday at 08:00"],
    [
      "every other week on Tuesday evening",
      days(14, "2026-11-24T18:00:00.000Z"),
      "every 2 weeks on Tuesday at 19:00",
    ],
    [
      "every 3 weeks on sunday at 10",
      days(21, "2026-11-29T09:00:00.000Z"),
      "every 3 weeks on Sunday at 10:00",
    ],
    ["every other day at 8", days(2, "2026-11-24T07:00:00.000Z"), "every 2 days at 08:00"],
    ["every 10 days at 14:00", days(10, "2026-11-23T13:00:00.000Z"), "every 10 days at 14:00"],
    ["every friday evening", cron("0 19 * * 5"), "every Friday at 19:00"],
    ["weekly on Sunday morning", cron("0 9 * * 0"), "every Sunday at 09:00"],
    ["twice a day", cron("0 9,19 * * *"), "every day at 09:00 and 19:00"],
    ["twice a day at 8 and 20", cron("0 8,20 * * *"), "every day at 08:00 and 20:00"],
    ["three times a day", cron("0 9,14,19 * * *"), "every day at 09:00, 14:00 and 19:00"],
    ["every hour between 9 and 17", cron("0 9-17 * * *"), "every hour from 09:00 to 17:00"],
    ["every hour from 8am to 6pm", cron("0 8-18 * * *"), "every hour from 08:00 to 18:00"],
    [
      "every three months on the 1st at 10",
      cron("0 10 1 3,6,9,12 *"),
      "on day 1 of March, June, September and December at 10:00",
    ],
    ["quarterly", cron("0 9 1 1,4,7,10 *"), "on day 1 of January, April, July and October at 09:00"],
    ["every 6 months on the 15th", cron("0 9 15 6,12 *"), "on day 15 of June and December at 09:00"],
    ["every Mon-Fri at 8:15", cron("15 8 * * 1-5"), "every weekday at 08:15"],
    ["every half hour", every(1_800), "every 30 minutes"],
    ["30 7 * * 1-5", cron("30 7 * * 1-5"), "every weekday at 07:30"],
    ["Friday at 9", at("2026-11-27T08:00:00.000Z"), "on Friday 27 November 2026 at 09:00"],
    ["on friday", at("2026-11-27T08:00:00.000Z"), "on Friday 27 November 2026 at 09:00"],
    ["tomorrow", at("2026-11-24T08:00:00.000Z"), "on Tuesday 24 November 2026 at 09:00"],
    ["today", at("2026-11-23T13:00:00.000Z"), "on Monday 23 November 2026 at 14:00"],
    ["in 20 minutes", at("2026-11-23T12:20:00.000Z"), "on Monday 23 November 2026 at 13:20"],
    ["2026-11-28T09:00", at("2026-11-28T08:00:00.000Z"), "on Saturday 28 November 2026 at 09:00"],
    ["2026-11-28T09:00:00+05:00", at("2026-11-28T04:00:00.000Z"), "on Saturday 28 November 2026 at 05:00"],
  ])("%s", (words, when, described) => {
    const read = readWhen(words, clock);
    expect(read).toEqual(when);
    expect(describeWhen(read, clock.timeZone)).toBe(described);
    expect(readWhen(described, clock)).toEqual(when);
  });

  it.each([
    ["every 0 minutes", /at least one minute/],
    ["every second", /at least one minute/],
    ["every other Monday and Thursday at 9", /not a time or a recurrence/],
    ["twice a day at 9", /not a time or a recurrence/],
    ["every 5 months on the 1st", /not a time or a recurrence/],
    ["every hour between 17 and 9", /not a time or a recurrence/],
    ["every 30 seconds", /at least one minute/],
    ["31 November at 9", /no such day/],
    ["every year on 31 november", /^No day matches this, so it would never be due\.$/],
    ["yesterday at 9", /passed/],
    ["2020-01-01", /passed/],
    ["whenever the moon is full", /not a time or a recurrence/],
    ["every weekday at 25:00", /not a time or a recurrence/],
  ])("is refused for %s", (words, message) => {
    expect(() => readWhen(words, clock)).toThrow(InvalidArgsError);
    expect(() => readWhen(words, clock)).toThrow(message);
  });

  it("accepts a structure as well, with a local time", () => {
    expect(readWhen({ kind: "at", at: "2026-11-28 09:00" }, clock)).toEqual(at("2026-11-28T08:00:00.000Z"));
    expect(readWhen({ kind: "every", seconds: 60 }, clock)).toEqual(every(60));
    expect(() => readWhen({ kind: "at", at: "2020-01-01T00:00:00.000Z" }, clock)).toThrow(/passed/);
  });
});

describe("a recurrence at the beginning of a request", () => {
  it.each([
    ["every weekday at 7:30 summarize inbox/ into out/today.md", "summarize inbox/ into out/today.md"],
    ["every day write 5 jokes into a.md", "write 5 jokes into a.md"],
    ["on the first of the month run Monthly report", "run Monthly report"],
    ["every 2 hours check https://example.org/", "check https://example.org/"],
  ])("%s", (request, rest) => {
    expect(request.slice(recurrenceAt(request)?.length ?? 0).trim()).toBe(rest);
  });

  it.each(["every file in inbox", "read a.md", "the first of the reports", "every 3 files"])(
    "is not found in %s",
    (request) => {
      expect(recurrenceAt(request)).toBeUndefined();
    },
  );
});

it("moves the time of a schedule with an interval of days", () => {
  const fortnightly = { kind: "every", seconds: 1_209_600, anchor: "2026-11-24T17:00:00.000Z" } as const;
  expect(editedWhen(fortnightly, "T19:00", clock)).toEqual({
    ...fortnightly,
    anchor: "2026-11-24T18:00:00.000Z",
  });
  const hourly = { ...fortnightly, seconds: 3_600 };
  expect(() => editedWhen(hourly, "T19:00", clock)).toThrow("no single time of day");
});

describe("the last day of a recurrence, in words", () => {
  it("ends with that day", () => {
    const { when, until } = readTimes("every day at 9 until Friday", clock);
    expect(when).toEqual({ kind: "cron", expression: "0 9 * * *" });
    expect(until).toBe("2026-11-27T22:59:59.999Z");
  });

  it.each([
    ["every day at 9 until 2026-11-20", /has passed/u],
    ["until Friday", /no repetition/u],
  ])("is refused where nothing could run: %s", (words, problem) => {
    expect(() => readTimes(words, clock)).toThrow(problem);
  });
});

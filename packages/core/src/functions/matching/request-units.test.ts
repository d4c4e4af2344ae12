import { describe, expect, it } from "vitest";
import { readUnits } from "./request-units.ts";
import { isCode } from "./value-forms.ts";

/** A Wednesday. */
const CLOCK = { now: new Date("2026-11-25T09:00:00.000Z"), timeZone: "UTC" };

/** The values of one kind that a request names. */
const valuesOf = (kind: "date" | "number", request: string): unknown[] =>
  (readUnits(request, CLOCK)?.units ?? []).filter((unit) => unit.kind === kind).map(({ value }) => value);

describe("numbers with their unit", () => {
  it.each([
    ["rain 0.5mm today", [0.5]],
    ["ran 12km", [12]],
    ["oven 180deg, 25min", [180, 25]],
    ["parcel 1.250,5kg", [1250.5]],
  ])("are numbers in “%s”", (request, numbers) => {
    expect(valuesOf("number", request)).toEqual(numbers);
  });

  it.each(["flat 9d", "gate B12m", "file a12.txt", "take 8D"])("are no part of a code in “%s”", (request) => {
    expect(valuesOf("number", request)).toEqual([]);
  });
});

describe("days", () => {
  it.each([
    ["check Ms Tanaka into room 3 until 2 December", ["2026-12-02"]],
    ["room 12 on 3 December", ["2026-12-03"]],
    ["the day after tomorrow", ["2026-11-27"]],
    ["the day before yesterday", ["2026-11-23"]],
    ["monday week", ["2026-12-07"]],
    ["on 3.12.2026", ["2026-12-03"]],
    ["the page for 3.12.2026.", ["2026-12-03"]],
    ["fri 27 nov", ["2026-11-27"]],
    ["friday the 27th", ["2026-11-27"]],
    ["next Monday, 30 November", ["2026-11-30"]],
    ["december the third", ["2026-12-03"]],
    ["away from 3 to 5 december", ["2026-12-03", "2026-12-05"]],
    ["the sheet for todays night shift", ["2026-11-25"]],
    ["a cheesecake for tomorow", ["2026-11-26"]],
    ["away on wensday", ["2026-12-02"]],
    ["on Sunday I watered the orchid, write that down", ["2026-11-22"]],
    ["had a talk with mr. Haas on monday, log it", ["2026-11-23"]],
    ["we paid the window cleaner on monday", ["2026-11-23"]],
    ["the meeting we planned for friday", ["2026-11-27"]],
    ["the van I booked on friday", ["2026-11-27"]],
    ["Ola painted the fence. Remind me on friday", ["2026-11-27"]],
  ])("reads the days in “%s”", (request, days) => {
    expect(valuesOf("date", request)).toEqual(days);
  });

  it.each(["the 3rd round", "a sundae for Ann", "version 3.12.2"])("reads no day in “%s”", (request) => {
    expect(valuesOf("date", request)).toEqual([]);
  });

  it("doubts a day of the month that has passed", () => {
    const day = readUnits("on the 3rd", CLOCK)?.units.find(({ kind }) => kind === "date");
    expect(day).toMatchObject({ value: "2026-12-03", isSure: false });
  });
});

describe("numbers in words", () => {
  it.each([
    ["twenty-eight degrees", [28]],
    ["nine hundred and forty", [940]],
    ["one thousand two hundred euros", [1200]],
    ["a hundred and ten", [110]],
    ["seventy one point two five", [71.25]],
    ["two and a half hours", [2.5]],
    ["forty five and six", [45]],
  ])("reads “%s”", (request, numbers) => {
    expect(valuesOf("number", request)).toEqual(numbers);
  });

  it("keeps a single small number with the noun it counts", () => {
    expect(valuesOf("number", "two queen cells")).toEqual([]);
  });
});

describe("codes", () => {
  it.each(["RX4471", "N-2207", "3B", "4b", "MB-310", "A4"])("reads “%s” as a code", (text) => {
    expect(isCode(text)).toBe(true);
  });

  it.each(["5km", "9am", "3rd", "30min", "2207", "Nordmann", "twenty-eight"])(
    "does not read “%s” as a code",
    (text) => {
      expect(isCode(text)).toBe(false);
    },
  );
});

import { describe, expect, it } from "vitest";
import { tokenize } from "../tokens/tokens.ts";
import { dateSpans } from "./dates.ts";
import { applyRelativeDate, isRelativeDate, relativeDatesAt } from "./relative-dates.ts";

const clock = { now: new Date("2026-11-18T10:00:00Z"), timeZone: "Europe/Oslo" };

describe("a relative date", () => {
  it.each([
    ["T10:30", "2026-11-20", "2026-11-20T09:30:00.000Z"],
    ["T10:30", "2026-11-20T08:00:00.000Z", "2026-11-20T09:30:00.000Z"],
    ["P1D", "2026-11-20", "2026-11-21"],
    ["-P1W", "2026-11-20", "2026-11-13"],
    ["P1M", "2026-01-31", "2026-02-28"],
    ["P1D", "2026-03-28T08:00:00.000Z", "2026-03-29T07:00:00.000Z"],
    ["PT2H", "2026-11-20T22:30:00.000Z", "2026-11-21T00:30:00.000Z"],
    ["-PT30M", "2026-11-20", "2026-11-19T22:30:00.000Z"],
    ["T10:00", undefined, "2026-11-19T09:00:00.000Z"],
    ["T15:00", undefined, "2026-11-18T14:00:00.000Z"],
    ["P2D", undefined, "2026-11-20"],
    ["PT1H", undefined, "2026-11-18T11:00:00.000Z"],
  ])("%s changes %s to %s", (relative, from, result) => {
    expect(applyRelativeDate(relative, from, clock)).toBe(result);
  });

  it.each(["T24:00", "P", "1D", "P1D2H", "tomorrow", "2026-11-20", "T9:00"])("does not match %s", (text) => {
    expect(isRelativeDate(text)).toBe(false);
    expect(() => applyRelativeDate(text, undefined, clock)).toThrow(RangeError);
  });
});

describe("words for a relative date", () => {
  it.each([
    ["10", ["T10"]],
    ["5", ["T17:00"]],
    ["ten", ["T10"]],
    ["10:30", ["T10:30"]],
    ["7 pm", ["T19:00"]],
    ["noon", ["T12:00"]],
    ["a week", ["P1W"]],
    ["2 days later", ["P2D"]],
    ["one more hour", ["PT1H"]],
    ["the day after", ["P1D"]],
    ["an hour earlier", ["-PT1H"]],
    ["24", []],
    ["tomorrow", []],
    ["friday at 10", []],
    ["the day", []],
    ["cheese", []],
  ])("%s", (words, values) => {
    const request = `move it to ${words}`;
    const tokens = tokenize(request);
    const dates = dateSpans(request, tokens, clock);
    const found = relativeDatesAt(tokens, { from: 3, to: tokens.length, dates });
    expect(found.filter(({ length }) => 3 + length === tokens.length).map(({ value }) => value)).toEqual(
      values,
    );
  });
});

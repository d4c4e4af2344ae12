import { describe, expect, it } from "vitest";
import {
  formatDateTime,
  formatDueDate,
  formatDuration,
  formatLogTime,
  formatRelativeTime,
  isNumeric,
  isOverdue,
  matchLabel,
  wordsOfId,
} from "./format.ts";

describe("relativeTime", () => {
  const now = new Date(2026, 10, 20, 14, 30);
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();

  it.each([
    [10_000, "just now"],
    [12 * 60_000, "12 min ago"],
    [3 * 3_600_000, "3 h ago"],
    [-5 * 60_000, "in 5 min"],
    [-2 * 3_600_000, "in 2 h"],
    [13 * 3_600_000, "01:30"],
    [24 * 3_600_000, "yesterday, 14:30"],
    [6 * 86_400_000, "14 Nov"],
    [400 * 86_400_000, "16 Oct 2025"],
  ])("formats %s ms ago as %s", (milliseconds, words) => {
    expect(formatRelativeTime(ago(milliseconds), now)).toBe(words);
  });
});

it("formats a moment in full, without seconds except in a log", () => {
  const at = new Date(2026, 10, 20, 14, 3, 5).toISOString();
  expect(formatDateTime(at)).toBe("Friday 20 November 2026, 14:03");
  expect(formatLogTime(at)).toBe("20 Nov 2026, 14:03:05");
});

describe("duration", () => {
  it.each([
    [0, "0 ms"],
    [11.6, "12 ms"],
    [180, "0.2 s"],
    [9_960, "10 s"],
    [59_600, "1 min"],
    [185_000, "3 min 5 s"],
  ])("formats %s ms as %s", (milliseconds, words) => {
    expect(formatDuration(milliseconds)).toBe(words);
  });
});

describe("formatDue", () => {
  const now = new Date(2026, 10, 20, 14, 30);

  it("is overdue once its day or its moment has passed", () => {
    expect(isOverdue("2026-11-20", now)).toBe(false);
    expect(isOverdue("2026-11-19", now)).toBe(true);
    expect(isOverdue(new Date(2026, 10, 20, 14, 31).toISOString(), now)).toBe(false);
    expect(isOverdue(new Date(2026, 10, 20, 14, 29).toISOString(), now)).toBe(true);
  });

  it.each([
    ["2026-11-20", "today"],
    ["2026-11-21", "tomorrow"],
    ["2026-11-19", "yesterday"],
    ["2026-12-24", "24 Dec"],
    ["2027-01-02", "2 Jan 2027"],
    [new Date(2026, 10, 21, 9, 5).toISOString(), "tomorrow, 09:05"],
  ])("formats %s as %s", (due, words) => {
    expect(formatDueDate(due, now)).toBe(words);
  });
});

describe("isNumeric", () => {
  it.each(["7", "1,204.50", "-3", "€5", "12 %", "340 kB", "12 ms"])("accepts %j", (text) => {
    expect(isNumeric(text)).toBe(true);
  });

  it.each(["milk", "2026-11-24", "1.11.2026", "12 Nov", "17:00", "3 of 4", "v2", ""])(
    "rejects %j",
    (text) => {
      expect(isNumeric(text)).toBe(false);
    },
  );
});

it("describes a match score in words", () => {
  expect([0.9, 0.75, 0.6, 0.2].map(matchLabel)).toEqual([
    "strong match",
    "strong match",
    "good match",
    "weak match",
  ]);
});

it("labels a memory by the words of its id", () => {
  expect(wordsOfId("evt-20261123T045858000Z-garage-code-kept")).toBe("garage code kept");
  expect(wordsOfId("evt-20261123T045858000Z-")).toBe("evt-20261123T045858000Z-");
});

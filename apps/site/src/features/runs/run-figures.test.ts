import type { RunSummary } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { repeatedRequests, runsByDay } from "./run-figures.ts";
import { summaryOf } from "../../lib/testing/fixtures.ts";

let made = 0;

const ended = (goal: string, createdAt: string, more: Partial<RunSummary> = {}): RunSummary =>
  summaryOf(`run-${String((made += 1)).padStart(26, "0")}`, {
    goal,
    createdAt,
    status: "ended",
    outcome: "answered",
    ...more,
  });

const usage = (planningCalls: number) => ({
  usage: { planningCalls, modelCalls: 0, promptTokens: 0, completionTokens: 0, durationMs: 1 },
});

describe("requests that occur again", () => {
  it("are recognized by their words, ignoring case and punctuation, oldest run first", () => {
    const [one, ...others] = repeatedRequests([
      ended("list  my tasks!", "2026-11-20T10:00:00.000Z", usage(1)),
      ended("List my tasks", "2026-11-19T10:00:00.000Z", usage(3)),
      ended("make tea", "2026-11-19T10:00:00.000Z"),
    ]);
    expect(others).toEqual([]);
    expect(one?.runs.map(({ planningCalls }) => planningCalls)).toEqual([3, 1]);
    expect(one?.functionId).toBeUndefined();
  });

  it("are grouped if one function was learned from the first and served the next", () => {
    const [one] = repeatedRequests([
      ended("make sandwich file", "2026-11-19T10:00:00.000Z", {
        learnedFunction: { id: "f1", title: "Make a file" },
        ...usage(2),
      }),
      ended("make pizza file", "2026-11-20T10:00:00.000Z", {
        functionsUsed: [{ id: "f1", title: "Make a file", followed: true }],
        ...usage(0),
      }),
    ]);
    expect(one).toMatchObject({ title: "Make a file", functionId: "f1" });
    expect(one?.runs.map(({ followed }) => followed)).toEqual([false, true]);
  });

  it("exclude runs in progress", () => {
    const going = ended("list my tasks", "2026-11-20T10:00:00.000Z", { status: "running" });
    expect(repeatedRequests([going, { ...going }])).toEqual([]);
  });
});

it("counts runs by the local day, including empty days and excluding older ones", () => {
  const now = new Date(2026, 10, 20, 14);
  const at = (...parts: [number, number]) => new Date(2026, 10, ...parts).toISOString();
  const days = runsByDay(
    [
      ended("a", at(20, 0)),
      ended("b", at(20, 13), { outcome: "failed" }),
      ended("c", at(18, 23)),
      ended("d", at(17, 23)),
    ],
    3,
    now,
  );
  expect(days.map(({ date, answered, other }) => [date.getDate(), answered, other])).toEqual([
    [18, 1, 0],
    [19, 0, 0],
    [20, 1, 1],
  ]);
});

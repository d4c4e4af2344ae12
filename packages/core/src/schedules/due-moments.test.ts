import { describe, expect, it } from "vitest";
import type { CatchUp } from "../contract/schedule.ts";
import { dueMoments } from "./due-moments.ts";

const daily = (catchUp: CatchUp, changes: { skipDays?: string[]; graceMinutes?: number } = {}) => ({
  when: { kind: "cron" as const, expression: "0 9 * * *" },
  timeZone: "UTC",
  catchUp,
  graceMinutes: 5,
  skipDays: [],
  ...changes,
});
const first = { at: new Date("2026-11-20T09:00:00Z") };
const statesOf = ({ rows }: ReturnType<typeof dueMoments>) =>
  rows.map(({ dueAt, state }) => `${dueAt.slice(0, 10)} ${state}`);

describe("moments that are due", () => {
  it("are due within the grace time", () => {
    const decided = dueMoments(daily("skip"), first, new Date("2026-11-20T09:05:00Z"));
    expect(decided.rows).toEqual([{ dueAt: "2026-11-20T09:00:00.000Z", state: "due" }]);
    expect(decided.next?.at).toEqual(new Date("2026-11-21T09:00:00Z"));
  });

  it.each([
    ["once", ["2026-11-20 missed", "2026-11-21 missed", "2026-11-22 due"]],
    ["all", ["2026-11-20 due", "2026-11-21 due", "2026-11-22 due"]],
    ["skip", ["2026-11-20 missed", "2026-11-21 missed", "2026-11-22 missed"]],
  ] as const)("and were missed are caught up by the rule %s", (catchUp, states) => {
    const decided = dueMoments(daily(catchUp), first, new Date("2026-11-22T12:00:00Z"));
    expect(statesOf(decided)).toEqual(states);
    for (const { reason } of decided.rows) expect(reason).toMatch(/late/);
    expect(decided.next?.at).toEqual(new Date("2026-11-23T09:00:00Z"));
  });

  it("are skipped on a day that a person skipped", () => {
    const decided = dueMoments(
      daily("once", { skipDays: ["2026-11-20"] }),
      first,
      new Date("2026-11-20T09:00:00Z"),
    );
    expect(decided.rows).toMatchObject([{ state: "skipped", reason: "You asked to skip 2026-11-20." }]);
  });

  it("carry the note of a changed clock", () => {
    const note = "02:30 does not exist on this day: the clock is set forward.";
    const { rows } = dueMoments(daily("once"), { ...first, note }, new Date("2026-11-20T09:00:00Z"));
    expect(rows[0]?.reason).toBe(note);
  });

  it("are decided in parts, of which only the last catches up", () => {
    const minutely = {
      ...daily("once"),
      when: { kind: "every" as const, seconds: 60, anchor: "2026-11-20T09:00:00.000Z" },
    };
    const now = new Date("2026-11-21T09:00:30Z");
    const decided = dueMoments(minutely, first, now);
    expect(decided.rows).toHaveLength(500);
    expect(new Set(decided.rows.map(({ state }) => state))).toEqual(new Set(["missed"]));
    expect(decided.next?.at).toEqual(new Date("2026-11-20T17:20:00Z"));
  });

  it("are none after the clock was set back", () => {
    expect(dueMoments(daily("all"), first, new Date("2026-11-19T12:00:00Z"))).toEqual({
      rows: [],
      next: first,
    });
  });
});

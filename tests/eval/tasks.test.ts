import { beforeAll, describe, expect, it } from "vitest";
import { holds, stateOf, withEffect } from "./effects.ts";
import { loadTasks, spread } from "./run-eval.ts";
import { TaskKind, type Asking, type EvalTask } from "./task-schema.ts";

let tasks: EvalTask[];
beforeAll(async () => {
  tasks = await loadTasks(new Date(2026, 10, 22));
});

const everyAsking = (): [string, Asking][] =>
  tasks.flatMap(({ id, first, again, nearMiss }): [string, Asking][] => [
    [`${id}, first`, first],
    [`${id}, again`, again],
    [`${id}, near miss`, nearMiss],
  ]);

/** Where a check or a forbidden effect says something it should not. */
function faults(judge: (asking: Asking) => unknown[]): unknown[] {
  return everyAsking().flatMap(([name, asking]) => judge(asking).map((fault) => [name, fault]));
}

describe("the tasks of the evaluation", () => {
  it("are sixty, of every kind, with unique names", () => {
    expect(tasks).toHaveLength(60);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(60);
    expect(new Set(tasks.map(({ kind }) => kind))).toEqual(new Set(TaskKind.options));
  });

  it("have checks that fail as long as nothing was done", () => {
    expect(
      faults(({ setup, checks }) => checks.filter((check) => holds(check, stateOf(setup), stateOf(setup)))),
    ).toEqual([]);
  });

  it("have checks that pass after the right result", () => {
    expect(
      faults(({ setup, checks, solution }) => {
        const before = stateOf(setup);
        return checks.filter((check) => !holds(check, before, withEffect(before, solution)));
      }),
    ).toEqual([]);
  });

  it("forbid nothing that is caused by doing nothing or by the right result", () => {
    expect(
      faults(({ setup, mustNot, solution }) => {
        const before = stateOf(setup);
        return [before, withEffect(before, solution)].flatMap((after) =>
          mustNot.filter((check) => holds(check, before, after)),
        );
      }),
    ).toEqual([]);
  });

  it("show for everything they forbid how it would happen", () => {
    expect(
      faults(({ setup, mustNot, wrong }) => {
        const before = stateOf(setup);
        return mustNot.filter((check) => !wrong || !holds(check, before, withEffect(before, wrong)));
      }),
    ).toEqual([]);
  });

  it("ask again in other words, with other values, and for something else in the near miss", () => {
    const same = tasks.filter(
      ({ first, again, nearMiss }) => new Set([first.request, again.request, nearMiss.request]).size < 3,
    );
    expect(same.map(({ id }) => id)).toEqual([]);
    expect(everyAsking().filter(([, asking]) => JSON.stringify(asking).includes("{{"))).toEqual([]);
  });

  it("alternate between kinds if only some are requested", () => {
    const some = spread(tasks, TaskKind.options.length);
    expect(new Set(some.map(({ kind }) => kind)).size).toBe(TaskKind.options.length);
  });
});

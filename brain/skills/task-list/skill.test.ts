import { Task } from "@metahuman/core/contract/task";
import { regionOf } from "@metahuman/core/contract/region";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { taskList } from "./skill.ts";

const harness = skillHarness();

describe("task_list", () => {
  it("reports an empty list", async () => {
    const { outputs, narrative, structured } = await harness.call(taskList, {});
    expect(outputs).toEqual({ tasks: [], total: 0 });
    expect([narrative, structured]).toEqual(["Found no tasks.", "No tasks."]);
  });

  describe("with some tasks", () => {
    beforeAll(async () => {
      const { tasks } = harness.ports;
      await tasks.create({ title: "buy milk", tags: ["home"] });
      await tasks.create({ title: "call the bank | today", priority: "P0", due: "2026-11-21" });
      const { id } = await tasks.create({ title: "old thing" });
      await tasks.edit(id, { status: "done" });
    });
    const titles = async (args: Record<string, unknown>): Promise<string[]> => {
      const { outputs } = await harness.call(taskList, args);
      return z
        .array(Task)
        .parse(outputs["tasks"])
        .map((task) => task.title);
    };

    it("answers which tasks have no date, and which are about something", async () => {
      const { outputs } = await harness.call(taskList, {});
      const answer = (view: string, values = {}) => taskList.views?.[view]?.(outputs, values, regionOf());
      expect(answer("undated")).toBe("- buy milk");
      expect(answer("about", { about: "banks" })).toContain("call the bank");
      expect(answer("about", { about: "homework" })).toContain("No task that is due then has “homework”");
    });

    it("lists open tasks, most urgent first", async () => {
      const { narrative, structured } = await harness.call(taskList, {});
      expect(narrative).toBe(
        'Found 2 tasks: "call the bank | today" (highest priority, due 2026-11-21), "buy milk".',
      );
      expect(structured.split("\n").slice(2)).toEqual([
        "| call the bank \\| today | to do | highest | 2026-11-21 |  |",
        "| buy milk | to do | normal |  | home |",
        "",
        "2 tasks.",
      ]);
    });

    it("shows priorities only if one is not normal, and the values of the argument only to planners", async () => {
      const { outputs } = await harness.call(taskList, { tag: "home" });
      expect(taskList.structure(outputs)).toContain("| task | status | tags |");
      expect(taskList.observed(outputs)).toContain("| buy milk | to do | P2 | home |");
    });

    it("reports that none is due or overdue, and the number of open tasks", async () => {
      const due = await harness.call(taskList, { dueBy: "2020-01-01" });
      expect(due.structured).toBe("No task is due by Wednesday 1 January; 2 other tasks are open.");
      const past = await harness.call(taskList, { overdue: true, priority: "P2" });
      expect(past.narrative).toBe("No task is overdue; 1 other task is open.");
    });

    it("lists closed tasks on request, by status or all", async () => {
      expect(await titles({ status: "done" })).toEqual(["old thing"]);
      expect(await titles({ status: "cancelled" })).toEqual([]);
      expect(await titles({ includeDone: true })).toContain("old thing");
      expect(await titles({ status: "todo" })).not.toContain("old thing");
    });

    it("lists tasks due by a day or by a time", async () => {
      expect(await titles({ dueBy: "2026-11-20" })).toEqual([]);
      expect(await titles({ dueBy: "2026-11-21" })).toEqual(["call the bank | today"]);
      expect(await titles({ dueBy: "2026-11-21T08:00:00.000Z" })).toEqual(["call the bank | today"]);
    });

    it("lists tasks due on a day, and none of the days before it", async () => {
      expect(await titles({ dueOn: "2026-11-21" })).toEqual(["call the bank | today"]);
      expect(await titles({ dueOn: "2026-11-22" })).toEqual([]);
      const { structured } = await harness.call(taskList, { dueOn: "2026-11-22" });
      expect(structured).toBe("No task is due on Sunday 22 November; 2 other tasks are open.");
    });

    it("lists tasks that were due before today or before the current time", async () => {
      const { tasks } = harness.ports;
      const late = await tasks.create({ title: "late", due: "2020-01-01" });
      const missed = await tasks.create({ title: "missed", due: "2020-01-02T08:00:00.000Z" });
      const far = await tasks.create({ title: "far off", due: "2999-01-01T08:00:00.000Z" });
      expect((await titles({ overdue: true })).filter((title) => !title.startsWith("call"))).toEqual([
        "late",
        "missed",
      ]);
      expect(await titles({ overdue: true, dueBy: "2020-01-01" })).toEqual(["late"]);
      for (const { id } of [late, missed, far]) await tasks.remove(id);
    });

    it("filters by tag and priority", async () => {
      expect(await titles({ tag: "home" })).toEqual(["buy milk"]);
      expect(await titles({ priority: "P0" })).toEqual(["call the bank | today"]);
    });

    it("states how many tasks are not shown", async () => {
      const { outputs, narrative, structured } = await harness.call(taskList, { limit: 1 });
      expect(outputs["total"]).toBe(2);
      expect(narrative).toContain("Found 2 tasks");
      expect(narrative).toContain("and 1 more");
      expect(structured).toContain("1 more task. 2 tasks in all.");
    });
  });
});

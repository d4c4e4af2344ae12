import { readRequest } from "@metahuman/core/language/read-request";
import { installedSkills } from "../installed.ts";
import { skillGrammar } from "../skill-card.ts";
import { Task } from "@metahuman/core/contract/task";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { taskCreate } from "./skill.ts";

const harness = skillHarness();

describe("task_create", () => {
  it("creates a task with all given fields, and reports only those", async () => {
    const call = { title: "buy milk", priority: "P1", due: "2026-11-21", tags: ["home"] };
    const { assessment, outputs, narrative, structured } = await harness.call(taskCreate, call);
    const task = Task.parse(outputs["task"]);
    expect(task).toMatchObject({ ...call, status: "todo" });
    expect(outputs["id"]).toBe(task.id);
    expect(await harness.ports.tasks.get(task.id)).toEqual(task);
    expect(assessment).toEqual({
      risk: "low",
      paths: [],
      hosts: [],
      grant: {},
      preview: {
        title: 'Create the task "buy milk"?',
        facts: [
          { label: "title", value: "buy milk" },
          { label: "priority", value: "high" },
          { label: "due", value: "2026-11-21" },
          { label: "tags", value: "home" },
        ],
      },
    });
    expect(narrative).toBe('Created the task "buy milk" (high priority, due 2026-11-21).');
    expect(structured).toBe(
      "| task | status | priority | due | tags |\n| --- | --- | --- | --- | --- |\n| buy milk | to do | high | 2026-11-21 | home |",
    );
  });

  it.each([
    ["tilte", "; did you mean title?"],
    ["deadline", "; did you mean due?"],
    ["file", "."],
    ["project", "."],
  ])("suggests an input for the unknown argument %s only if it is close or a usual name", (name, hint) => {
    const args = { title: "buy milk", due: "2036-11-21", [name]: "17:00" };
    expect(() => taskCreate.parse(args)).toThrow(`${name} is not an input${hint}`);
  });

  it("does not mention defaults", async () => {
    const { narrative } = await harness.call(taskCreate, { title: "  water the plants " });
    expect(narrative).toBe('Created the task "water the plants".');
  });

  it.each([
    ["tomorrow", "2026-11-21"],
    ["next Tuesday", "2026-11-24"],
    ["friday 5pm", "2026-11-20T16:00:00.000Z"],
    ["in two weeks", "2026-12-04"],
    ["24.12.", "2026-12-24"],
    ["2026-11-28T17:00", "2026-11-28T16:00:00.000Z"],
  ])(
    "reads the date %j at the time of the request, in the time zone of the person",
    async (due, expected) => {
      const { outputs } = await harness.call(taskCreate, { title: "x", due });
      expect(outputs).toMatchObject({ task: { due: expected } });
    },
  );

  it.each([
    ["soon", "due must be a day like 2026-11-26; today is 2026-11-20"],
    [
      "31 november",
      "due is not a day of the calendar: it must be a day like 2026-11-26; today is 2026-11-20",
    ],
    ["2023-05-02", "due is in the past (2023-05-02); today is 2026-11-20"],
  ])("states the accepted forms for an unusable date: %j", async (due, problem) => {
    await expect(harness.call(taskCreate, { title: "x", due })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: `task_create cannot take these arguments: ${problem}.`,
    });
  });

  it("suggests a correction for a date in the past, and accepts one that the person named", async () => {
    const past = { title: "x", due: "2023-05-02" };
    await expect(harness.call(taskCreate, past)).rejects.toMatchObject({
      suggestions: [expect.stringContaining("ask_user") as unknown],
    });
    const request = "add the task x, due 2023-05-02";
    const { outputs } = await harness.call(taskCreate, past, { request });
    expect(outputs).toMatchObject({ task: { due: "2023-05-02" } });
  });

  it.each([
    ["no title", {}],
    ["a blank title", { title: "  " }],
    ["an unknown priority", { title: "x", priority: "sometime" }],
    ["an impossible date", { title: "x", due: "2026-02-30" }],
    ["a misspelt argument", { title: "x", prioriti: "P1" }],
  ])("refuses %s", async (_what, args) => {
    await expect(harness.call(taskCreate, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });
});

describe("a reminder", () => {
  const grammar = installedSkills.map(skillGrammar);
  const read = (request: string) =>
    readRequest(request, grammar, { now: new Date("2026-11-23T10:30:00Z"), timeZone: "UTC" }).kind;

  it.each(["remind me at 25:00 to sleep", "remind me yesterday to call", "remind me on the 40th to pay"])(
    "is not understood with a time that does not exist: %s",
    (request) => {
      expect(read(request)).toBe("not-understood");
    },
  );

  it.each(["remind me at 6pm to sleep", "remind me milk tomorrow", "remind me to look at it"])(
    "is understood: %s",
    (request) => {
      expect(read(request)).toBe("plan");
    },
  );
});

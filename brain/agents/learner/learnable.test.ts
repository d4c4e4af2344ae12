import type { Run } from "@metahuman/core/contract/run";
import { generalizePair } from "@metahuman/core/functions/learning/generalize-pair";
import { installedSkills } from "@metahuman/skills/installed";
import { expect, it } from "vitest";
import { learnable } from "./learnable.ts";
import { factsAbout } from "./should-learn.ts";

/** A run that writes a job sheet and adds a task; `due` is the day as its planner wrote it. */
function jobRun(customer: string, job: string, [day, iso, due]: readonly [string, string, string]): Run {
  const path = `workshop/jobs/${customer.toLowerCase().replaceAll(" ", "-")}.md`;
  const title = `${job.slice(0, 1).toUpperCase()}${job.slice(1)} for ${customer}`;
  const content = `# Job sheet\n\n- Customer: ${customer}\n- Job: ${job}\n- Due: ${iso}\n`;
  const at = "2026-11-28T09:00:00.000Z";
  const call = (
    step: number,
    tool: string,
    args: Record<string, unknown>,
    outputs: Record<string, unknown>,
  ) => ({
    step,
    thought: "",
    action: { tool, args },
    observation: { mode: "narrative" as const, content: "", success: true, outputs },
    timestamp: at,
  });
  return {
    id: "run-01m8g6fk5yc4af8kjp242xajc6",
    conversationId: "conv-01m8g6fk5yc4af8kjp242xajc6",
    agentId: "operator",
    goal: `New job for ${customer}: ${job}, until ${day}. Make a job sheet ${path} with customer, job and due date, and add a task for it.`,
    status: "ended",
    planner: "structured",
    scratchpad: [
      call(1, "fs_write", { path, content }, { path: `out/${path}`, bytes: content.length, created: true }),
      call(2, "task_create", { title, due }, { id: "t1", task: { id: "t1", title, due: iso } }),
    ],
    verbatim: false,
    warnings: [],
    functionsUsed: [],
    usage: { planningCalls: 3, modelCalls: 5, promptTokens: 0, completionTokens: 0, durationMs: 1 },
    createdAt: at,
    updatedAt: at,
    lastSeq: 1,
  };
}

it("writes one day in one form, so that two runs teach one recipe however their planners wrote it", () => {
  const first = jobRun("Ove Sandell", "fix the boat trailer", [
    "4 December",
    "2026-12-04",
    "4 December 2026",
  ]);
  const second = jobRun("Kirkenes Marina", "weld the ladder", ["11 December", "2026-12-11", "2026-12-11"]);
  const [one, other] = [learnable(first, "UTC"), learnable(second, "UTC")];
  expect(one.calls[1]?.args).toMatchObject({ due: "2026-12-04" });
  const pair = generalizePair(one, other, factsAbout(installedSkills));
  expect(pair?.parameters.map(({ name }) => name)).toEqual(["sheet", "name", "content", "date"]);
  expect(pair?.recipe.actions.map(({ args }) => args)).toEqual([
    {
      path: "${sheet}",
      content: "# Job sheet\n\n- Customer: ${name}\n- Job: ${content}\n- Due: ${date}\n",
    },
    { title: "${content|capital} for ${name}", due: "${date}" },
  ]);
});

it("leaves out a call that found what an earlier call of the run created", () => {
  const run = jobRun("Ove Sandell", "fix the boat trailer", ["4 December", "2026-12-04", "2026-12-04"]);
  const [write, task] = run.scratchpad;
  if (!write || !task?.observation) throw new Error("The run has two calls.");
  const again = {
    ...task,
    step: 3,
    observation: { ...task.observation, outputs: { ...task.observation.outputs, existed: true } },
  };
  const skillsOf = (scratchpad: Run["scratchpad"]) =>
    learnable({ ...run, scratchpad }, "UTC").calls.map(({ skill }) => skill);
  expect(skillsOf([write, task, again])).toEqual(["fs_write", "task_create"]);
  expect(skillsOf([write, again])).toEqual(["fs_write", "task_create"]);
});

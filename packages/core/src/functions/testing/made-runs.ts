import { generalizeRun, type GeneralizedRun } from "../learning/generalize-run.ts";
import type { FactsOf, LearnableRun, MadeCall } from "../learning/learnable-run.ts";

const skill = {
  controlsRun: false,
  reads: false,
  finds: false,
  defaults: {},
  fixedArgs: [],
  pathArgs: [],
  textArgs: [],
};
const facts: Record<string, ReturnType<FactsOf>> = {
  write: {
    ...skill,
    id: "write",
    summary: "Write a file",
    pathArgs: ["path"],
    defaults: { overwrite: false },
    fixedArgs: ["overwrite"],
    textArgs: ["content"],
    resultPath: "path",
  },
  read: { ...skill, id: "read", summary: "Read a file", reads: true, finds: true, pathArgs: ["path"] },
  list: { ...skill, id: "list", summary: "List tasks", reads: true },
  task: { ...skill, id: "task", summary: "Create a task", fixedArgs: ["priority"] },
  ask: { ...skill, id: "ask", summary: "Ask", controlsRun: true },
};
export const factsOf: FactsOf = (id) => facts[id];
export const TODAY = "2026-11-22";

export const made = (
  name: string,
  args: Record<string, unknown>,
  outputs: Record<string, unknown> = {},
): MadeCall => ({
  skill: name,
  args,
  outputs,
  success: true,
});

export const run = (request: string, calls: MadeCall[], more: Partial<LearnableRun> = {}): LearnableRun => ({
  request,
  calls,
  now: new Date(`${TODAY}T09:00:00Z`),
  timeZone: "UTC",
  explores: true,
  ...more,
});

export function learned(given: LearnableRun): GeneralizedRun {
  const found = generalizeRun(given, factsOf);
  if (found === undefined) throw new Error("nothing was learned");
  return found;
}

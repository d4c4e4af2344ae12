import { generalizeRun, type GeneralizedRun } from "../learning/generalize-run.ts";
import type { FactsOf, LearnableRun, MadeCall } from "../learning/learnable-run.ts";

/** The facts of a skill that changes something and has no special arguments. */
export const PLAIN_FACTS = {
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
    ...PLAIN_FACTS,
    id: "write",
    summary: "Write a file",
    pathArgs: ["path"],
    defaults: { overwrite: false },
    fixedArgs: ["overwrite"],
    textArgs: ["content"],
    resultPath: "path",
  },
  read: { ...PLAIN_FACTS, id: "read", summary: "Read a file", reads: true, finds: true, pathArgs: ["path"] },
  list: { ...PLAIN_FACTS, id: "list", summary: "List tasks", reads: true, pathArgs: ["path"] },
  find: { ...PLAIN_FACTS, id: "find", summary: "Search files", reads: true, finds: true },
  task: { ...PLAIN_FACTS, id: "task", summary: "Create a task", fixedArgs: ["priority"] },
  ask: { ...PLAIN_FACTS, id: "ask", summary: "Ask", controlsRun: true },
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

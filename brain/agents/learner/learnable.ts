import type { Action, Run } from "@metahuman/core/contract/run";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { LearnableRun, MadeCall } from "@metahuman/core/functions/learning/learnable-run";

/** The run in the form that generalization needs. */
export function learnable(run: Run, timeZone: string): LearnableRun {
  return {
    request: run.goal,
    calls: run.scratchpad.flatMap(({ action, observation }, index) =>
      action && observation && !foundOwnRecord(run.scratchpad, index)
        ? [
            {
              skill: action.tool,
              args: withDaysAsKept(action.args, observation.outputs),
              success: observation.success,
              outputs: observation.outputs ?? {},
            },
          ]
        : [],
    ),
    now: new Date(run.createdAt),
    timeZone,
    explores: run.planner !== "built-in" && run.planner !== "replay",
  };
}

/** True for a call that asked again for what an earlier call of the run had created, and so created nothing. */
function foundOwnRecord(scratchpad: Run["scratchpad"], index: number): boolean {
  const { action, observation } = scratchpad[index] ?? {};
  const { existed, id } = observation?.outputs ?? {};
  return (
    existed === true &&
    scratchpad
      .slice(0, index)
      .some((one) => one.action?.tool === action?.tool && one.observation?.outputs?.["id"] === id)
  );
}

const DAY = /^\d{4}-\d{2}-\d{2}$/u;

/**
 * The arguments with each day in the form in which the call reports it: `due` is `2026-12-04` for "4 December 2026", so that one day is one
 * value in every call and every run.
 */
function withDaysAsKept(args: Action["args"], outputs: unknown): Action["args"] {
  const kept = leavesOf(outputs);
  const dayOf = (name: string): unknown =>
    kept.find(({ place, value }) => place.split(".").at(-1) === name && DAY.test(String(value)))?.value;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) =>
      typeof value === "string" && !DAY.test(value) ? [name, dayOf(name) ?? value] : [name, value],
    ),
  );
}

/** An order to add something, to a file that may exist the next time. */
const ORDERS_TO_ADD = /\b(?:add|append|log|attach|tack|insert|also)(?:ed|ing|s)?\b/iu;

/**
 * The run with each call that created a file by adding to it as the call that writes this file: "put it into a.md" may mean
 * either. Undefined if there is none, or if the request orders to add.
 */
export function withFilesWritten(run: LearnableRun): LearnableRun | undefined {
  if (ORDERS_TO_ADD.test(run.request) || !run.calls.some(createdByAdding)) return undefined;
  const calls = run.calls.map((call): MadeCall => {
    if (!createdByAdding(call)) return call;
    const { text, ...args } = call.args;
    return { ...call, skill: "fs_write", args: { ...args, content: text } };
  });
  return { ...run, calls };
}

const createdByAdding = ({ skill, success, outputs }: MadeCall): boolean =>
  skill === "fs_append" && success && outputs["created"] === true;

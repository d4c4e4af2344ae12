import type { Run } from "@metahuman/core/contract/run";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import type { Skill } from "@metahuman/skills/define-skill";
import { callsOfCode } from "@metahuman/skills/support/code-outcome";
import type { EndedRun } from "./run-learner.ts";

/**
 * Deletes the drafts that were learned from earlier runs of the conversation which this run undid, and resolves to a sentence for
 * each. Verified functions and drafts with further examples stay. A person can restore what was deleted.
 */
export async function withdrawUndone(ended: EndedRun): Promise<string[]> {
  const { run, outcome, functions, skills } = ended;
  const calls = callsOf(run);
  if (outcome !== "answered" || calls.length === 0) return [];
  const undone = (await ended.earlierRuns()).filter(
    (earlier) => earlier.learnedFunction !== undefined && isUndoneBy(calls, callsOf(earlier), skills),
  );
  const sentences: string[] = [];
  for (const { id, learnedFunction } of undone) {
    const draft = await present(() => functions.loadFunction(learnedFunction?.id ?? ""));
    if (draft?.trust !== "draft" || draft.sourceOperatorRunId !== id || draft.examples.length > 1) continue;
    const by = { by: "learner", isPerson: false, isOwner: false, runId: run.id };
    if (!(await present(() => functions.deleteFunction(draft.id, by)))) continue;
    sentences.push(`The draft “${draft.title}” was withdrawn, because what it was learned from was undone.`);
  }
  return sentences;
}

/** The result; undefined if the function was deleted meanwhile. */
async function present<Value>(load: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  }
}

/** The calls that succeeded, with those that code made. */
function callsOf({ scratchpad }: Pick<Run, "scratchpad">): EarlierCall[] {
  return scratchpad.flatMap(({ action, observation }) =>
    action && observation?.success === true
      ? [
          { skill: action.tool, args: action.args, outputs: observation.outputs },
          ...callsOfCode(observation.outputs),
        ]
      : [],
  );
}

/** True if each call that can be reversed was, and there is at least one. */
function isUndoneBy(
  calls: readonly EarlierCall[],
  earlier: readonly EarlierCall[],
  skills: readonly Skill[],
): boolean {
  const reversals = earlier.flatMap(({ skill, args, outputs }) => {
    const reverse = skills.find(({ id }) => id === skill)?.reverse;
    const undoing = outputs && reverse?.({ args: { ...args }, outputs: { ...outputs } });
    return undoing === undefined ? [] : [undoing];
  });
  return (
    reversals.length > 0 &&
    reversals.every((undoing) =>
      undoing.every(({ skill, args }) => calls.some((call) => call.skill === skill && has(call, args))),
    )
  );
}

/** True if the texts of the arguments are in the call or its result: a model may name an archive entry by its path. */
function has({ args, outputs }: EarlierCall, wanted: Readonly<Record<string, unknown>>): boolean {
  const known = new Set(leavesOf([args, outputs ?? {}]).map(({ value }) => value));
  return leavesOf([wanted]).every(({ value }) => typeof value !== "string" || known.has(value));
}

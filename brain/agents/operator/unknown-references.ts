import { citedSteps } from "@metahuman/core/contract/citation";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { PlanState } from "./planner.ts";
import { knownToPlanner } from "./planners/model/known-to-planner.ts";
import { ANSWER_SKILL } from "./wording.ts";

/** Whether a step showed something of the world: not the wording of an answer, not the check of one. */
export function isObserved({ action, observation }: ScratchpadEntry): boolean {
  return action !== undefined && action.tool !== ANSWER_SKILL && observation !== undefined;
}

/** A place in the workspace, or a name with the ending of a document, its folders included. */
const FILE =
  /\b(?:out|inbox)\/[\p{L}\p{N}_./-]*[\p{L}\p{N}_]|(?:[\p{L}\p{N}_.-]+\/)*[\p{L}\p{N}_-]+\.(?:md|txt|json|csv|ya?ml|log|html?|xml|pdf)\b/gu;
const ADDRESS = /\bhttps?:\/\/\S+/gu;

/** What an answer points at and nothing knows of: numbers of observations that were not made, files nobody named. */
export function unknownReferences(answer: string, state: PlanState): string[] {
  const observed = state.scratchpad.filter(isObserved);
  const steps = new Set(observed.map(({ step }) => step));
  const told = [
    state.request,
    knownToPlanner(state),
    ...state.history.map(({ text }) => text),
    ...observed.map(({ action, observation }) => JSON.stringify([action, observation])),
  ]
    .join("\n")
    .toLowerCase();
  const files = [...answer.replaceAll(ADDRESS, " ").matchAll(FILE)].map(([file]) => file);
  return [
    ...citedSteps(answer)
      .filter((step) => !steps.has(step))
      .map((step) => `There is no observation ${String(step)}, and the answer cites it.`),
    ...[...new Set(files)]
      .filter((file) => !told.includes(file.toLowerCase()))
      .map((file) => `${file} is named, and no observation shows it.`),
  ];
}

import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlanState } from "../../../planner.ts";

/** What a short request means: the same request in full, or calls on what the conversation is about. */
export type Resolution = { request: string } | { calls: readonly PlannedCall[] };

/** Arguments of a call, as values that the request gives. */
type Arguments = Record<string, unknown>;

export const hasSkill = ({ skills }: Pick<PlanState, "skills">, skill: string): boolean =>
  skills.some(({ id }) => id === skill);

/** Calls of one skill, one for each arguments object; undefined if the skill may not be called. */
export const callSkill = (
  skill: string,
  each: readonly Arguments[],
  state: PlanState,
): Resolution | undefined =>
  hasSkill(state, skill)
    ? { calls: each.map((args) => callOf(skill, fromRequest(args), state.request)) }
    : undefined;

/** The calls of a resolved request; undefined for a request in full. */
export const callsFrom = (resolved: Resolution | undefined): readonly PlannedCall[] | undefined =>
  resolved !== undefined && "calls" in resolved ? resolved.calls : undefined;

/** True if calls only ask memory. */
export const isMemoryQuestion = (
  calls: readonly PlannedCall[],
  { skills }: Pick<PlanState, "skills">,
): boolean =>
  calls.every(({ skill: id }) => skills.some((skill) => skill.id === id && skill.answers !== undefined));

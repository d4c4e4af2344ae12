import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlanState } from "../../../planner.ts";
import { phraseTaskOrder, type TaskOrder } from "../tasks/task-order.ts";

/** What a short request means: the same request in full, orders for tasks, or calls on what the conversation is about. */
export type Resolution =
  | { kind: "request"; request: string }
  | { kind: "task-orders"; orders: readonly TaskOrder[] }
  | { kind: "calls"; calls: readonly PlannedCall[] };

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
    ? { kind: "calls", calls: each.map((args) => callOf(skill, fromRequest(args), state.request)) }
    : undefined;

/** One order for a task. Undefined for a title with a quotation mark, which cannot be quoted. */
export const orderForTask = (order: TaskOrder): Resolution | undefined =>
  order.task.kind === "title" && order.task.title.includes('"')
    ? undefined
    : { kind: "task-orders", orders: [order] };

/** The calls of a resolved request; undefined for a request in full. */
export const callsFrom = (resolved: Resolution | undefined): readonly PlannedCall[] | undefined =>
  resolved?.kind === "calls" ? resolved.calls : undefined;

/** What the grammar is to read for a resolved request; undefined for calls. */
export function requestFrom(resolved: Resolution): string | undefined {
  switch (resolved.kind) {
    case "request":
      return resolved.request;
    case "task-orders":
      return resolved.orders.map(phraseTaskOrder).join(" and then ");
    case "calls":
      return undefined;
    default:
      return resolved satisfies never;
  }
}

/** True if calls only ask memory. */
export const isMemoryQuestion = (
  calls: readonly PlannedCall[],
  { skills }: Pick<PlanState, "skills">,
): boolean =>
  calls.every(({ skill: id }) => skills.some((skill) => skill.id === id && skill.answers !== undefined));

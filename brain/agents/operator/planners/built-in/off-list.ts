import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";

const LIST = /\.(?:txt|md)$/iu;
const CROSSES_OFF = /\b(?:cross|strike|tick|check|scratch)\b/iu;

/**
 * The calls that take something off the list of the previous request, and its path: "cross off the dill", which no task
 * matches, after the shopping list was changed. Undefined if the request crosses nothing off, or no list came before it.
 */
export async function offLastList(
  calls: readonly PlannedCall[],
  state: PlanState,
): Promise<{ calls: readonly PlannedCall[]; path: string } | undefined> {
  const [words, ...others] = calls.flatMap(({ lookup }) => lookup ?? []);
  if (words === undefined || others.length > 0 || !CROSSES_OFF.test(state.request)) return undefined;
  const [last] = (await state.earlier?.())?.filter(({ calls: made }) => made.length > 0) ?? [];
  const path = last?.calls
    .map(({ outputs }) => outputs?.["path"])
    .findLast((one): one is string => typeof one === "string" && LIST.test(one));
  if (path === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `take ${words} off ${path}` });
  return reading.kind === "plan" ? { calls: reading.calls, path } : undefined;
}

import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlanState } from "../../planner.ts";
import { interpretRequest } from "./interpret-request.ts";

/** Views that compute something from all rows of a table. */
const COMPUTES = /^(?:sum|sum-by|average|highest|lowest|entries)$/u;

/**
 * The calls of a request about the table of the request before, "and what is the sum of their fees?", computed from the rows
 * that it showed, with its words. Undefined for any other request, and if that one showed no part of the table.
 */
export async function withinLastRows(
  calls: readonly PlannedCall[],
  state: PlanState,
): Promise<{ calls: readonly PlannedCall[]; request: string } | undefined> {
  const [call, ...others] = calls;
  const isAboutEarlier = Object.values(call?.args ?? {}).some(({ from }) => from === "earlier");
  if (call?.view === undefined || others.length > 0 || !isAboutEarlier || !COMPUTES.test(call.view.name))
    return undefined;
  const [last, ...before] = (await state.earlier?.()) ?? [];
  if (last === undefined) return undefined;
  const reading = await interpretRequest({
    ...state,
    request: last.request,
    earlier: async () => await Promise.resolve(before),
  });
  const [shown, ...further] = reading.kind === "plan" ? reading.calls : [];
  const { skills } = state;
  const narrow = skills.find(({ id }) => id === call.skill)?.narrow;
  const outputs = last.calls.findLast(({ skill }) => skill === call.skill)?.outputs;
  if (shown?.view === undefined || further.length > 0 || shown.skill !== call.skill || outputs === undefined)
    return undefined;
  const within = { name: shown.view.name, values: shown.view.values };
  // Only a request that showed a part of the table is meant.
  if (narrow?.({ ...outputs }, within, state) === undefined) return undefined;
  return { calls: [{ ...call, view: { ...call.view, within } }], request: last.request };
}

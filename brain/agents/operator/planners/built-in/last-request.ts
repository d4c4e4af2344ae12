import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { inflection } from "@metahuman/core/language/tokens/words";
import { describeCall } from "@metahuman/core/language/grammar/describe-call";
import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { selectRows, tryReadTable } from "@metahuman/skills/fs-read/tables";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { grammarsOf, interpretAlone, interpretRequest } from "./interpret-request.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";

// Requests that continue the one before: about its file, its list, the row of its table or the rows that it showed.

export const TABLE = /\.(?:csv|tsv)$/iu;

/** The last request that made calls. */
export async function lastWithCalls({
  earlier,
}: Pick<PlanState, "earlier">): Promise<EarlierRequest | undefined> {
  return ((await earlier?.()) ?? []).find(({ calls }) => calls.length > 0);
}

/** The path of the file that the last request with calls read or changed; undefined if it did neither. */
async function lastFile(state: Pick<PlanState, "earlier">): Promise<string | undefined> {
  const last = await lastWithCalls(state);
  const paths = last?.calls.flatMap(({ args, outputs }) => {
    const path = outputs?.["path"] ?? outputs?.["to"] ?? args["path"];
    return outputs !== undefined && typeof path === "string" && /\.\p{L}+$/u.test(path) ? [path] : [];
  });
  return paths?.at(-1);
}

/** Requests about the file of the last request, after one that was not understood. */
export async function requestsAboutLastFile(state: PlanState): Promise<string[]> {
  const path = await lastFile(state);
  if (path === undefined) return [];
  const requests = TABLE.test(path)
    ? [`show ${path}`, `how many entries are in ${path}`]
    : [`show ${path}`, `summarize ${path}`];
  return requests.filter((request) => {
    const reading = interpretAlone({ ...state, request });
    return reading.kind === "plan" && reading.readOnly;
  });
}

/** "She has paid now", "Gerda has not paid": somebody, and what is so now. */
const STATEMENT =
  /^(?:(?:ok|okay|so|well|and|but|actually|oh)[,:]?\s+)?(?<who>[\p{L}.-]+(?: \p{Lu}[\p{L}.-]*)?)(?:['’](?:s|ve)|\s+(?:has|have|is|are)|(?=\s+(?:now |just |already )?\p{L}+(?:ed|id)\b))\s+(?<what>(?:(?:not|now|already|just|also)\s+)*\p{L}+(?:\s+(?:now|already|too|today|yet))?)[\s.!]*$/u;
/** "…, put that in": what the statement is for. */
const PUT_DOWN =
  /[,.;]\s*(?:(?:so|and|please|pls)\s+)*(?:put|note|enter|mark|write|record|set|update|change)\s+(?:that|it|this)(?:\s+(?:in|down|there|too|as well|please|pls))*[\s.!]*$/iu;
/** "Gerda's paid" is a statement, "Gerda's boat" is not. */
const OWNS = /^\W*[\p{L}.-]+(?: \p{Lu}[\p{L}.-]*)?['’]s\s/u;
const isParticiple = (word: string): boolean =>
  inflection(word) === "past" || plainOfPast(word.toLowerCase()) !== undefined;
const PRONOUN = /^(?:he|she|they|it)$/iu;

/**
 * The calls that put down what a statement says of a row of the last table: "she has paid now" after a question about Gerda, and
 * "Gerda has paid". Undefined for any other request, and if the request before was about no table.
 */
export async function changeOfLastRow(state: PlanState): Promise<readonly PlannedCall[] | undefined> {
  const { who, what = "" } = STATEMENT.exec(state.request.trim().replace(PUT_DOWN, ""))?.groups ?? {};
  if (who === undefined || (OWNS.test(state.request) && !what.split(" ").some(isParticiple)))
    return undefined;
  const last = await lastWithCalls(state);
  const tables = last?.calls.flatMap(({ args, outputs }) => {
    const path = outputs?.["path"] ?? args["path"];
    return typeof path === "string" && TABLE.test(path) ? [{ path, outputs }] : [];
  });
  const table = tables?.at(-1);
  if (last === undefined || table === undefined) return undefined;
  const name = PRONOUN.test(who) ? rowOf(table, last.request) : who;
  if (name === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `${name} has ${what}, update ${table.path}` });
  return reading.kind === "plan" && !reading.readOnly ? reading.calls : undefined;
}

/** What the row is called that a call changed, or that a request about a table names. */
function rowOf(
  { path, outputs }: { path: string; outputs: Readonly<Record<string, unknown>> | undefined },
  request: string,
): string | undefined {
  const row = outputs?.["row"];
  if (typeof row === "string") return row;
  const read = outputs && tryReadTable({ ...outputs });
  if (read === undefined) return undefined;
  const { value, rows } = selectRows(read, path, request);
  return rows.length === 1 ? value : undefined;
}

/** Views that compute something from all rows of a table. */
const COMPUTES = /^(?:sum|sum-by|average-by|average|highest|lowest|entries)$/u;

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

/** "How many is that?" after "which jobs are waiting". */
const HOW_MANY_THOSE =
  /^\W*(?:(?:and|so|but)\s+)?how many (?:is|are) (?:that|those|these|they)(?:\s+(?:in total|in all|altogether|all together|then))*\W*$/iu;
const WHICH = /^\W*(?:(?:show|list|give|tell)(?: me)?\s+)?(?:which|what|all|the)\s+(?=\p{L})/iu;

/** A request to count what the request before asked for; undefined for any other, and if that asked for no things of a kind. */
export async function countOfLast(state: PlanState): Promise<string | undefined> {
  const [last] = HOW_MANY_THOSE.test(state.request) ? ((await state.earlier?.()) ?? []) : [];
  return last === undefined || !WHICH.test(last.request)
    ? undefined
    : last.request.replace(WHICH, "how many ");
}

/** How the last request with calls was understood, for "why did you do that?"; undefined for any other reading. */
export async function reasonsOfLast(
  reading: Interpretation,
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const isAsked = reading.kind === "small-talk" && reading.topic === "reasons";
  const earlier = isAsked ? ((await state.earlier?.()) ?? []) : [];
  const last = earlier.find(
    ({ calls, request }) => calls.length > 0 || interpretAlone({ ...state, request }).kind !== "small-talk",
  );
  if (last === undefined) return undefined;
  const grammars = grammarsOf(state.skills);
  const done = last.calls.flatMap(({ skill, args }) => describeCall(skill, args, grammars) ?? []);
  const text =
    last.calls.length === 0
      ? sentences.noCalls(last.request, last.answer ?? "")
      : sentences.reasons(last.request, done);
  return { kind: "answer", thought: THOUGHTS["small-talk"], style: "default", text };
}

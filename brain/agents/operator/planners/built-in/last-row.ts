import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { inflection } from "@metahuman/core/language/tokens/words";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { selectRows, tryReadTable } from "@metahuman/skills/fs-read/tables";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";

const TABLE = /\.(?:csv|tsv)$/iu;
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
export async function changeOfLastRow(
  state: PlanState,
): Promise<{ calls: readonly PlannedCall[]; path: string } | undefined> {
  const { who, what = "" } = STATEMENT.exec(state.request.trim().replace(PUT_DOWN, ""))?.groups ?? {};
  if (who === undefined || (OWNS.test(state.request) && !what.split(" ").some(isParticiple)))
    return undefined;
  const [last] = (await state.earlier?.())?.filter(({ calls }) => calls.length > 0) ?? [];
  const tables = last?.calls.flatMap(({ args, outputs }) => {
    const path = outputs?.["path"] ?? args["path"];
    return typeof path === "string" && TABLE.test(path) ? [{ path, outputs }] : [];
  });
  const table = tables?.at(-1);
  if (last === undefined || table === undefined) return undefined;
  const name = PRONOUN.test(who) ? rowOf(table, last.request) : who;
  if (name === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `${name} has ${what}, update ${table.path}` });
  return reading.kind === "plan" && !reading.readOnly
    ? { calls: reading.calls, path: table.path }
    : undefined;
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

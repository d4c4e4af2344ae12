import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { inflection, stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { selectRows, tryReadTable } from "@metahuman/skills/fs-read/tables";
import type { PlanState } from "../../planner.ts";
import { interpretAlone, interpretRequest } from "./interpret-request.ts";

// Requests that continue the one before: about its file, its list, the row of its table or the rows that it showed.

export const TABLE = /\.(?:csv|tsv)$/iu;

/** The last request that made calls. */
export async function lastWithCalls({
  earlier,
}: Pick<PlanState, "earlier">): Promise<EarlierRequest | undefined> {
  return ((await earlier?.()) ?? []).find(({ calls }) => calls.length > 0);
}

/** The path of the file that the last request with calls read or changed; undefined if it did neither. */
export async function lastFile(state: Pick<PlanState, "earlier">): Promise<string | undefined> {
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

const LIST = /\.(?:txt|md)$/iu;
const CROSSES_OFF = /\b(?:cross|strike|tick|check|scratch)\b/iu;

/** "Take the eggs off again", with no other place than the list. */
const TAKES_OFF =
  /^(?:please\s+)?(?:take|remove|cross|strike)\s+(?:the\s+|that\s+)?(?<words>[\p{L}\p{N}][^.!?\n]{0,60}?)\s+off(?:\s+(?:it|again|the list|there|please|pls))*[\s.!]*$/iu;
/** "Remove the eggs", "take out the gate": of a list, if nothing else of that name is meant. */
const REMOVES =
  /^(?:please\s+)?(?:remove|delete|drop|take out|take away|get rid of|cross out|strike out)\s+(?:the\s+|that\s+)?(?<words>[\p{L}\p{N}][^.!?\n]{0,60}?)(?:\s+(?:from it|from there|again|too|as well|please|pls))*[\s.!]*$/iu;
/** "Add butter", with no other place than the file of the request before. */
const ADDS =
  /^(?:(?:and|also|then|oh|please|ok|okay)[,\s]+)*(?:add|put|include|append|throw in|write)\s+(?<words>(?!.*\b(?:to|into|in|on|onto|as|that|task|reminder|file|folder|note|line)\b)[\p{L}\p{N}"“](?:[^.!?:\n]|\.(?=\S)){0,60}?)(?:\s+(?:to it|to that|to the list|on it|on there|in there|there|as well|too|also|please|pls|thanks))*[\s.!]*$/iu;
/** "Make food 400" in the table of the request before: without "to", the value is an amount. */
const MAKES =
  /^(?:(?:and|also|then|oh|please|ok|okay)[,\s]+)*make\s+(?:the\s+)?(?<row>(?!(?:it|that|this|them|me|an?)\b)\p{L}[^.!?:\n]{0,60}?)\s+(?:to\s+)?(?<value>[€$£]?\d[\d.,]*)[\s.!]*$/iu;
/** "Change food to 350" in the table of the request before. */
const CHANGES =
  /^(?:(?:and|also|then|oh|please|ok|okay)[,\s]+)*(?:change|set|update|correct|raise|lower|increase|reduce)\s+(?:the\s+)?(?<row>[\p{L}\p{N}][^.!?:\n]{0,60}?)\s+(?:to|=)\s+(?<value>[^.!?\n]{1,60}?)[\s.!]*$/iu;
/** "And batteries pls": one more thing for the list that something was added to. */
const ONE_MORE_THING =
  /^(?:(?:(?:and|also|plus|oh and)\s+)+|(?=[^.!?:\n]{1,60}?\s(?:too|as well|also)[\s.!]*$))(?<words>[\p{L}\p{N}][^.!?:\n]{0,60}?)(?:\s+(?:too|as well|also|please|pls|thanks))*[\s.!]*$/iu;
const NO_THING =
  /\b(?:it|that|this|them|then|what|who|how|when|where|why|which|is|are|was|were|do|does|did|can|tell|show|me|you)\b/iu;

/** Takes a line off the list or a row off the table; "delete the shopping list" deletes the file that is called so. */
function offRequest(words: string, path: string, text = ""): string {
  const isLine = text.toLowerCase().includes(words.toLowerCase());
  if (!isLine && isNamed(words, path)) return `delete ${path}`;
  return TABLE.test(path) ? `delete the row ${words} from ${path}` : `take ${words} off ${path}`;
}

/** True if the file's name has each of the words. */
function isNamed(words: string, path: string): boolean {
  const name = new Set(plainWords(path.replaceAll(/[/._-]/gu, " ")).map(stem));
  return plainWords(words).every((word) => name.has(stem(word)));
}

/** The maximum length of a line that is an item of a list, in characters. */
const MAX_ITEM_LENGTH = 60;

/** True for a text whose lines are items: "eggs\nflour". */
const isListText = (text: unknown): boolean =>
  typeof text === "string" &&
  text.trim() !== "" &&
  text.split("\n").every((line) => line.length <= MAX_ITEM_LENGTH && !/[.!?]$/u.test(line.trim()));

interface LastList {
  path: string;
  isList: boolean;
  /** Something was added to it. */
  isAddedTo: boolean;
  /** All that the conversation has read or written of it. */
  text: string;
}

/** The text file that the previous request read or changed. */
export async function lastList(state: PlanState): Promise<LastList | undefined> {
  const last = await lastWithCalls(state);
  const call = last?.calls.findLast(({ outputs }) => {
    const path = outputs?.["path"];
    return typeof path === "string" && LIST.test(path);
  });
  const path = call?.outputs?.["path"];
  if (call === undefined || typeof path !== "string") return undefined;
  const { asItem, content, text: added } = call.args;
  const isAddedTo = asItem === true || isListText(content) || isListText(added);
  const isList = isAddedTo || /list/iu.test(path) || isListText(call.outputs?.["content"]);
  const ofPath = ((await state.earlier?.()) ?? []).flatMap(({ calls }) =>
    calls.filter(({ outputs }) => outputs?.["path"] === path),
  );
  const known = ofPath.flatMap(({ args, outputs }) => [args["content"], args["text"], outputs?.["content"]]);
  const text = known.filter((one) => typeof one === "string").join("\n");
  return { path, isList, isAddedTo, text };
}

/**
 * The calls that change the list or the table of the previous request: "take the eggs off", "and batteries", "change food to 350".
 * Undefined for any other request.
 */
export async function changeOfLastList(state: PlanState): Promise<readonly PlannedCall[] | undefined> {
  const asked = state.request.trim();
  const off = (TAKES_OFF.exec(asked) ?? REMOVES.exec(asked))?.groups?.["words"];
  const added = ADDS.exec(asked)?.groups?.["words"];
  const more = ONE_MORE_THING.exec(asked)?.groups?.["words"];
  const change = (CHANGES.exec(asked) ?? MAKES.exec(asked))?.groups;
  const isOneMore = more !== undefined && !NO_THING.test(more);
  if (off === undefined && added === undefined && change === undefined && !isOneMore) return undefined;
  const list = await lastList(state);
  const table = list === undefined ? await lastFile(state) : undefined;
  const path = list?.path ?? (table !== undefined && TABLE.test(table) ? table : undefined);
  if (path === undefined) return undefined;
  const requests = [
    ...(off === undefined ? [] : [offRequest(off, path, list?.text)]),
    // Nothing is added to a letter that was only read.
    ...(added === undefined || list?.isList === false ? [] : [`add ${added} to ${path}`]),
    ...(change === undefined || list !== undefined
      ? []
      : [`change ${change["row"] ?? ""} to ${change["value"] ?? ""} in ${path}`]),
    ...(isOneMore && list?.isAddedTo === true ? [`add ${more} to ${path}`] : []),
  ];
  for (const request of requests) {
    const reading = interpretAlone({ ...state, request });
    if (reading.kind === "plan" && !reading.readOnly) return reading.calls;
  }
  return undefined;
}

/**
 * The calls that take something off the list of the previous request: "cross off the dill", which no task
 * matches, after the shopping list was changed. Undefined if the request crosses nothing off, or no list came before it.
 */
export async function offLastList(
  calls: readonly PlannedCall[],
  state: PlanState,
): Promise<readonly PlannedCall[] | undefined> {
  const [found, ...others] = calls.flatMap(({ lookup }) => lookup ?? []);
  const removed = REMOVES.exec(state.request.trim())?.groups?.["words"];
  const words = removed ?? (CROSSES_OFF.test(state.request) ? found : undefined);
  if (words === undefined || others.length > 0 || /[/\\]|\.\p{L}+$/u.test(words)) return undefined;
  const last = await lastFile(state);
  const table = last !== undefined && TABLE.test(last) && removed !== undefined ? last : undefined;
  const list = await lastList(state);
  const path = list?.path ?? table;
  if (path === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: offRequest(words, path, list?.text) });
  return reading.kind === "plan" ? reading.calls : undefined;
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

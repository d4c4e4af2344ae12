import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";

const LIST = /\.(?:txt|md)$/iu;
const CROSSES_OFF = /\b(?:cross|strike|tick|check|scratch)\b/iu;

/** "Take the eggs off again", with no other place than the list. */
const TAKES_OFF =
  /^(?:please\s+)?(?:take|remove|cross|strike)\s+(?:the\s+|that\s+)?(?<words>[\p{L}\p{N}][^.!?\n]{0,60}?)\s+off(?:\s+(?:it|again|the list|there|please|pls))*[\s.!]*$/iu;
/** "And batteries pls": one more thing for the list that something was added to. */
const ONE_MORE_THING =
  /^(?:(?:and|also|plus|oh and)\s+)+(?<words>[\p{L}\p{N}][^.!?:\n]{0,60}?)(?:\s+(?:too|as well|also|please|pls|thanks))*[\s.!]*$/iu;
const NO_THING =
  /\b(?:it|that|this|them|then|what|who|how|when|where|why|which|is|are|was|were|do|does|did|can|tell|show|me|you)\b/iu;

/** The path of the list that the previous request read or changed, and whether something was added to it. */
async function lastList(state: PlanState): Promise<{ path: string; isAddedTo: boolean } | undefined> {
  const [last] = (await state.earlier?.())?.filter(({ calls: made }) => made.length > 0) ?? [];
  const call = last?.calls.findLast(({ outputs }) => {
    const path = outputs?.["path"];
    return typeof path === "string" && LIST.test(path);
  });
  const path = call?.outputs?.["path"];
  return typeof path === "string" ? { path, isAddedTo: call?.args["asItem"] === true } : undefined;
}

/** The calls that change the list of the previous request: "take the eggs off", "and batteries". Undefined for any other request. */
export async function changeOfLastList(
  state: PlanState,
): Promise<{ calls: readonly PlannedCall[]; path: string } | undefined> {
  const off = TAKES_OFF.exec(state.request.trim())?.groups?.["words"];
  const more = ONE_MORE_THING.exec(state.request.trim())?.groups?.["words"];
  const words = off ?? (more === undefined || NO_THING.test(more) ? undefined : more);
  const list = words === undefined ? undefined : await lastList(state);
  if (words === undefined || list === undefined || (off === undefined && !list.isAddedTo)) return undefined;
  const request = off === undefined ? `add ${words} to ${list.path}` : `take ${words} off ${list.path}`;
  const reading = interpretAlone({ ...state, request });
  return reading.kind === "plan" ? { calls: reading.calls, path: list.path } : undefined;
}

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
  const path = (await lastList(state))?.path;
  if (path === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `take ${words} off ${path}` });
  return reading.kind === "plan" ? { calls: reading.calls, path } : undefined;
}

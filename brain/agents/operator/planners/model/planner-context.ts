import { fenceData } from "@metahuman/core/context/fenced";
import {
  formatContextForPrompt,
  formatConversation,
} from "@metahuman/core/context/format-context-for-prompt";
import { clipToTokens, estimateTokens } from "@metahuman/core/contract/tokens";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import { oneLine, truncate } from "@metahuman/core/text/format";
import type { PlanState } from "../../planner.ts";
import { ASK_SKILL } from "../built-in/follow.ts";

/**
 * The context of a planning prompt: the context package, or only the conversation without one, and what the earlier calls of the
 * conversation returned.
 */
export function plannerContext(
  state: Pick<PlanState, "context" | "conversation" | "timeZone" | "earlierCalls" | "skills">,
): string {
  const { context, conversation, timeZone } = state;
  const results = earlierResults(state);
  const known = context
    ? formatContextForPrompt(context, { timeZone, withIds: true, without: results === "" ? [] : ["tools"] })
    : formatConversation(conversation);
  return [known, results].filter((text) => text !== "").join("\n\n");
}

/** The tokens of all results of earlier calls in a prompt, and of one of them. */
const RESULTS_TOKENS = 400;
const RESULT_TOKENS = 200;
/** The maximum length of a result that no longer fits, in characters. */
const LINE_LENGTH = 120;

/**
 * What the earlier calls of the conversation returned, newest first, within a token budget; `""` without one. Left out are what was read
 * of a file that a later call changed, a repeated call, what was read again, and a failure that a later call made good.
 */
export function earlierResults({
  earlierCalls = [],
  skills,
}: Pick<PlanState, "earlierCalls" | "skills">): string {
  const effectsOf = new Map(skills.map(({ id, effects, category }) => [id, { effects, category }]));
  const isShown = ({ skill, observed = "" }: EarlierCall): boolean =>
    observed !== "" && (skill === ASK_SKILL || effectsOf.get(skill)?.category !== "agent");
  const later: EarlierCall[] = [];
  const lines: string[] = [];
  let left = RESULTS_TOKENS;
  for (const call of earlierCalls.filter(isShown).toReversed()) {
    const isRead = effectsOf.get(call.skill)?.effects === "read";
    const isOutdated = later.some((other) =>
      replaces(other, call, { isRead, isWrite: effectsOf.get(other.skill)?.effects === "write" }),
    );
    later.push(call);
    if (isOutdated) continue;
    const { skill, observed = "", outputs } = call;
    const prefix = `- ${outputs === undefined ? "failed: " : ""}${skill}: `;
    const whole = `${prefix}${fenceData(clipToTokens(observed.trim(), RESULT_TOKENS))}`;
    const line =
      estimateTokens(whole) <= left
        ? whole
        : `${prefix}${fenceData(truncate(oneLine(observed), LINE_LENGTH))}`;
    left -= estimateTokens(line);
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0
    ? ""
    : [
        "Last tool uses in this conversation, the newest first (files may have changed since: read one again before you change it)",
        ...lines,
      ].join("\n");
}

/**
 * True when a later call makes the result of a call obsolete. `isRead` is true when the call read something, `isWrite` when the later one
 * wrote.
 */
function replaces(
  later: EarlierCall,
  call: EarlierCall,
  { isRead, isWrite }: { isRead: boolean; isWrite: boolean },
): boolean {
  if (later.outputs === undefined) return false;
  if (call.outputs === undefined) return later.skill === call.skill;
  if (later.skill === call.skill && JSON.stringify(later.args) === JSON.stringify(call.args)) return true;
  const path = pathsOf(call)[0];
  if (!isRead) return later.skill === DELETES && path !== undefined && pathsOf(later).includes(path);
  return path !== undefined && pathsOf(later).includes(path) && (isWrite || later.observed === call.observed);
}

/** After this skill, what was done to a file before matters no more. */
const DELETES = "fs_delete";

const pathsOf = ({ outputs = {} }: EarlierCall): string[] =>
  ["path", "to", "from", "origin"].flatMap((name) => {
    const path = outputs[name];
    return typeof path === "string" ? [path] : [];
  });

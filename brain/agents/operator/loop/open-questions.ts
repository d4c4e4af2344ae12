import { regionOf } from "@metahuman/core/contract/region";
import type { ConversationTurn } from "@metahuman/core/contract/context";
import type { RunSummary } from "@metahuman/core/contract/run";
import { asksQuestion } from "@metahuman/core/policy/target-words";
import type { RunRequest, RunStore } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";
import { readAlone } from "../planners/built-in/reading.ts";

/** The maximum number of waiting runs of a conversation that are read. */
const MAX_OPEN = 5;

/** The runs of a conversation that wait for the person's answer, oldest first. */
export async function openQuestions(store: RunStore, conversationId: string): Promise<RunSummary[]> {
  const { items } = await store.runs({ conversationId, status: "waiting", limit: MAX_OPEN });
  return items.filter(({ pending }) => pending?.kind === "question").toReversed();
}

/** An open question as a turn of the operator: "Which list? (1. packing.txt, 2. kids.txt; not answered yet)". */
export function questionTurn({ pending, createdAt }: RunSummary): ConversationTurn[] {
  if (pending?.kind !== "question") return [];
  const options = pending.options.map((option, index) => `${String(index + 1)}. ${option}`);
  const note = [...(options.length > 0 ? [options.join(", ")] : []), "not answered yet"].join("; ");
  return [{ role: "operator", text: `${pending.question} (${note})`, at: createdAt }];
}

/** Words by which an answer refers to what it answers. */
const REFERS =
  /(?<!\p{L})(?:(?:first|second|third|fourth|last|other|former|latter|same|right|wrong) ?(?:one|ones)?|ones?|both|neither|either|all of (?:them|those)|it|that|this|these|those|them|yes|no|nope|yeah|instead|rather|meant?|ja|nein|beide|das|es|oui|non|sí|los? dos|ambos|joo|ei|molemmat)(?!\p{L})/iu;

/** The number of words from which a request without a verb at its beginning counts as complete. */
const MANY_WORDS = 9;
const FEW_WORDS = 3;

/**
 * True for a request that can be understood without an open question: an order that the skills' phrases explain, a question or
 * a longer text, without words that refer to something else.
 */
export function isCompleteRequest(
  { goal, createdAt }: { goal: string; createdAt: string },
  { request }: Pick<RunRequest, "request">,
  skills: readonly Skill[],
): boolean {
  const words = goal.trim().split(/\s+/u).length;
  if (words < FEW_WORDS || REFERS.test(goal)) return false;
  if (asksQuestion(goal) || words >= MANY_WORDS) return true;
  const { timeZone } = regionOf(request);
  return readAlone({ request: goal, requestedAt: new Date(createdAt), timeZone, skills }).kind === "plan";
}

import { regionOf } from "@metahuman/core/contract/region";
import type { ConversationTurn } from "@metahuman/core/contract/context";
import type { RunSummary } from "@metahuman/core/contract/run";
import { asksQuestion } from "@metahuman/core/policy/target-words";
import type { RunRequest, RunStore } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";
import { interpretAlone } from "../planners/built-in/interpret-request.ts";

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

/** A request with fewer words, such as "read the list for the kids", may be an answer. */
const MANY_WORDS = 9;
const FEW_WORDS = 3;

/** Verbs that begin an order, besides those of the skills' phrases. */
const BEGINS_ORDER =
  /^\W*(?:(?:please|pls|now|hey|ok(?:ay)?|and|then|also|bitte|dann|jetzt|svp|por favor|per favore)[\s,]+)*(?:(?:can|could|would|will) (?:you|u)|i (?:want|need|would like|['’]d like) (?:you )?to|kannst du|könntest du|peux-tu|pouvez-vous|puedes|puoi|voisitko|kan du|kun je|explain|describe|tell|show|give|write|make|create|add|put|set up|find|search|look|read|list (?:all|the|my|every)|count|sum|summari[sz]e|compare|translate|plan (?:an?|the|my|our|me)|draft|compose|calculate|work out|check|remind|remember|schedule|move|rename|copy|delete|remove|update|change (?:the|my|all)|edit|help|suggest|send|mark (?:the|my|all)|cancel|stop|erklär|beschreib|schreib|erstell|mach|zeig|lies|suche?(?= (?:die|den|das|mir|nach|in))|füg|lösch|verschieb|erinner|vergleich|übersetz|fass|explique|décris|écris|crée|fais|montre|lis|cherche|trouve|ajoute|supprime|rappelle|résume|traduis|explica|describe|escribe|crea|haz|muestra|lee|busca|añade|borra|recuérdame|resume|traduce|spiega|scrivi|fai|mostra|leggi|cerca|trova|aggiungi|cancella|ricordami|selitä|kirjoita|luo|tee|näytä|lue|etsi|lisää|poista|muistuta|förklara|skriv|skapa|visa|läs|sök|ta bort|leg uit|schrijf|maak|toon|lees|zoek|voeg|verwijder)e?(?!\p{L})/iu;

/**
 * True for a request that can be understood without an open question: a question, or an order, which the skills' phrases explain
 * or which begins with a verb. Words that refer to something else make it an answer.
 */
export function isCompleteRequest(
  { goal, createdAt }: { goal: string; createdAt: string },
  { request }: Pick<RunRequest, "request">,
  skills: readonly Skill[],
): boolean {
  const words = goal.trim().split(/\s+/u).length;
  if (words < FEW_WORDS || REFERS.test(goal)) return false;
  if (asksQuestion(goal) || (words >= MANY_WORDS && BEGINS_ORDER.test(goal))) return true;
  const { timeZone } = regionOf(request);
  return (
    interpretAlone({ request: goal, requestedAt: new Date(createdAt), timeZone, skills }).kind === "plan"
  );
}

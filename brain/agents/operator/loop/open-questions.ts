import { regionOf } from "@metahuman/core/contract/region";
import type { ConversationTurn } from "@metahuman/core/contract/context";
import type { Run, RunSummary, ScratchpadEntry } from "@metahuman/core/contract/run";
import { asksQuestion } from "@metahuman/core/policy/target-words";
import { truncate } from "@metahuman/core/text/format";
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

/** A question that was not answered, because its run was cancelled, with the step that asked it. */
interface DroppedQuestion {
  run: Run;
  asked: ScratchpadEntry;
  options: readonly string[];
}

/** The maximum number of events of a run that are read to find its question. */
const MAX_EVENTS = 1_000;

/** The last question of a conversation that was dropped and that no run has continued since. */
async function droppedQuestion(
  store: RunStore,
  conversationId: string,
): Promise<DroppedQuestion | undefined> {
  const { items } = await store.runs({ conversationId, status: "ended", limit: MAX_OPEN });
  const continued = new Set(items.map(({ continues }) => continues));
  for (const { id, outcome } of items) {
    if (outcome !== "cancelled" || continued.has(id)) continue;
    const run = await store.run(id);
    const asked = run.scratchpad.at(-1);
    const question = (await store.events(id, 0, MAX_EVENTS)).findLast(
      ({ type }) => type === "question-asked",
    );
    if (asked && asked.observation === undefined && question?.type === "question-asked")
      return { run, asked, options: question.options };
  }
  return undefined;
}

/**
 * The question that this text answers, because it is one of its choices word for word: an open question of the conversation,
 * or else the last one that was dropped. `answer` is the choice as it was offered.
 */
export async function questionAnsweredBy(
  text: string,
  store: RunStore,
  conversationId: string,
): Promise<{ answer: string; open: string } | { answer: string; dropped: DroppedQuestion } | undefined> {
  const typed = text.trim().toLowerCase();
  const choiceIn = (options: readonly string[]) =>
    options.find((option) => option.trim().toLowerCase() === typed);
  for (const { id, pending } of await openQuestions(store, conversationId)) {
    const answer = pending?.kind === "question" ? choiceIn(pending.options) : undefined;
    if (answer !== undefined) return { answer, open: id };
  }
  const dropped = await droppedQuestion(store, conversationId);
  const answer = dropped && choiceIn(dropped.options);
  return answer === undefined || dropped === undefined ? undefined : { answer, dropped };
}

/** Says that a run was stopped at its question, and how to continue it. */
export function droppedQuestionWarning({ goal, pending }: RunSummary): string[] {
  if (pending?.kind !== "question") return [];
  const { question, options } = pending;
  const next =
    options.length > 0 ? "To continue it, reply with one of its choices." : "To continue it, ask again.";
  return [
    `“${truncate(goal, 120)}” was stopped, because its question was not answered: “${question}” ${next}`,
  ];
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

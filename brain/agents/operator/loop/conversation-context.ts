import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { createTaskTracker } from "@metahuman/core/async/task-tracker";
import {
  buildConversationContext,
  inPairs,
  type StoredConversation,
} from "@metahuman/core/context/build-context-package";
import { extractSummary } from "@metahuman/core/context/extract-summary";
import { fenceData } from "@metahuman/core/context/fenced";
import { speakerOf } from "@metahuman/core/context/format-context-for-prompt";
import { keepCitations } from "@metahuman/core/contract/citation";
import {
  type ConversationContext,
  type ConversationTurn,
  LONG_MESSAGE_TOKENS,
} from "@metahuman/core/contract/context";
import { regionOf } from "@metahuman/core/contract/region";
import type { Run, RunSummary, ScratchpadEntry } from "@metahuman/core/contract/run";
import { clipToTokens, estimateTokens } from "@metahuman/core/contract/tokens";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { Logger } from "@metahuman/core/log/logger";
import { asksQuestion } from "@metahuman/core/policy/target-words";
import type { RunRequest, RunStore, StoredTurns } from "@metahuman/core/runs/run-store";
import { truncate } from "@metahuman/core/text/format";
import { ask, type ModelCall } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import type { Skill } from "@metahuman/skills/define-skill";
import { interpretAlone } from "../planners/built-in/interpret-request.ts";
import { prompt } from "../prompts/load-prompt.ts";
import type { RunStorage } from "./run-scheduler.ts";

/** The maximum number of unsummarized turns to read; older ones are only counted. */
const MAX_TURNS = 400;

/** True if a run begins its conversation, so that nothing was said before it and there is nothing to read. */
export const beginsConversation = ({ request }: RunRequest): boolean => request.conversationId === undefined;

/** The conversation before a run, as its planner sees it. */
export async function conversationBefore(
  run: Run,
  runRequest: RunRequest,
  storage: RunStorage,
  options: { persistent: RunStorage; ephemeral: RunStorage; budgetTokens: number },
): Promise<ConversationContext> {
  const { persistent, ephemeral, budgetTokens } = options;
  const { request, identity } = runRequest;
  const { conversationId } = run;
  const [here, waiting] = beginsConversation(runRequest)
    ? [{ turns: [], earlierTurns: 0 }, []]
    : await Promise.all([
        turnsOf(conversationId, storage.store, run.id),
        waitingRuns(storage.store, conversationId),
      ]);
  // A conversation in emulation continues its stored part, except for a guest.
  const isContinued =
    storage === ephemeral &&
    identity.role !== "guest" &&
    (await persistent.store.hasConversation(conversationId));
  const stored = isContinued
    ? joinConversations(await turnsOf(conversationId, persistent.store), here)
    : here;
  const { turns, ...rest } = withoutIds(stored);
  const asked = waiting.filter(({ id }) => id !== run.id).flatMap(waitingTurn);
  return buildConversationContext(
    { ...rest, turns: [...turns, ...asked] },
    {
      budgetTokens,
      request: run.goal,
      // A small budget is meant for a model with a small context.
      longMessageTokens: Math.min(LONG_MESSAGE_TOKENS, Math.floor(budgetTokens * 1.2)),
      ...(request.taskContext !== undefined && { taskContext: request.taskContext }),
    },
  );
}

async function turnsOf(conversationId: string, store: RunStore, beforeRun?: string): Promise<StoredTurns> {
  const stored = await store.turns(conversationId, {
    limit: MAX_TURNS,
    ...(beforeRun !== undefined && { beforeRun }),
  });
  return { ...stored, turns: withStops(inPairs(stored.turns)) };
}

/** The text in place of the answer of a run that the person stopped. */
const STOPPED = "(The person stopped this before it was finished. Only what the tool uses show was done.)";

/** The turns with a turn of the operator after each request that was stopped without an answer. */
const withStops = (turns: StoredTurns["turns"]): StoredTurns["turns"] =>
  turns.flatMap((turn, index) => {
    const { outcome, ...asked } = turn;
    if (turn.role === "operator" || outcome === undefined) return [turn];
    const isAnswered = turns[index + 1]?.role === "operator";
    return isAnswered ? [asked] : [asked, { ...turn, role: "operator" as const, text: STOPPED }];
  });

function joinConversations(before: StoredConversation, after: StoredConversation): StoredConversation {
  const isWhole = after.earlierTurns === 0;
  const summary = [before.summary, after.summary].filter((text) => text !== undefined).join("\n");
  return {
    turns: isWhole ? [...before.turns, ...after.turns] : after.turns,
    earlierTurns: before.earlierTurns + (isWhole ? 0 : before.turns.length + after.earlierTurns),
    ...(summary !== "" && { summary }),
  };
}

function withoutIds({ turns, ...rest }: StoredConversation): StoredConversation {
  return { ...rest, turns: turns.map(plainTurn) };
}

function plainTurn({ role, text, at, outcome }: ConversationTurn): ConversationTurn {
  return { role, text, at, ...(outcome && { outcome }) };
}

/** Updates the summaries of long conversations in the background. */
export interface ConversationSummaries {
  /** Called when a run has ended. Returns at once. */
  update(run: Run, store: RunStore, onModelCall: (call: ModelCall) => void): void;
  /** Aborts the model calls and resolves when all work is done. */
  close(): Promise<void>;
}

/** A summary is extended when the turns after it have more than this many tokens. */
const EXTEND_AT_TOKENS = 1_500;
/** The newest turns are not summarized, because prompts contain them verbatim. */
const NEWEST_TURNS = 6;
/** The maximum number of tokens of one turn, counted and sent to the model. */
const TURN_TOKENS = 200;
const SUMMARY_WORDS = 120;
const SUMMARY_TOKENS = 250;

/**
 * Extends the stored summary of a conversation at intervals, so that a long conversation costs one small call every many
 * turns. Without a model for the role `summarizer`, or when it fails, the summary consists of extracted sentences.
 */
export function createConversationSummaries(
  router: ModelRouter | undefined,
  logger: Logger,
): ConversationSummaries {
  const closing = new AbortController();
  const pending = createTaskTracker();
  const busy = new Set<string>();

  async function extend(conversationId: string, store: RunStore, onModelCall: (call: ModelCall) => void) {
    const { turns, summary: before } = await store.turns(conversationId, { limit: MAX_TURNS });
    const older = turns.slice(0, -NEWEST_TURNS);
    const last = older.at(-1);
    if (!last || older.reduce((sum, turn) => sum + costOf(turn), 0) < EXTEND_AT_TOKENS) return;
    const cited = older.map((turn) => ({ ...turn, text: keepCitations(turn.text, new Set()) }));
    const text =
      (await summarizeWithModel(cited, before, onModelCall)) ??
      extractSummary(cited, { tokens: SUMMARY_TOKENS, before });
    closing.signal.throwIfAborted();
    await store.saveSummary(conversationId, { text, through: last.id });
  }

  /** The summary by the model; undefined without one. */
  async function summarizeWithModel(
    turns: readonly ConversationTurn[],
    before: string | undefined,
    onModelCall: (call: ModelCall) => void,
  ): Promise<string | undefined> {
    if (!router || (await router.modelsFor("summarizer")).models.length === 0) return undefined;
    const lines = turns.map((turn) => `${speakerOf(turn)}: ${clipToTokens(turn.text, TURN_TOKENS)}`);
    const newest = newestWithin(lines, EXTEND_AT_TOKENS * 2);
    // The older turns of a conversation without a summary are extracted.
    const rest = turns.slice(0, turns.length - newest.length);
    const soFar = rest.length === 0 ? before : extractSummary(rest, { tokens: SUMMARY_TOKENS, before });
    const material = [...(soFar ? [`Summary so far: ${soFar}`, ""] : []), ...newest].join("\n");
    try {
      const reply = await ask(
        {
          messages: [
            { role: "system", content: prompt("conversation-summary", { words: String(SUMMARY_WORDS) }) },
            { role: "user", content: fenceData(material) },
          ],
        },
        { router, role: "summarizer", purpose: "summarize", signal: closing.signal, onModelCall },
      );
      const text = reply.text.trim();
      return text === "" ? undefined : clipToTokens(text, SUMMARY_TOKENS);
    } catch (error) {
      if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
      return undefined;
    }
  }

  return {
    update({ conversationId }, store, onModelCall) {
      if (closing.signal.aborted || busy.has(conversationId)) return;
      busy.add(conversationId);
      const work = extend(conversationId, store, onModelCall)
        .catch((error: unknown) => {
          // The conversation may be deleted meanwhile.
          if (!closing.signal.aborted && !(error instanceof NotFoundError))
            logger.error({ err: error, conversationId }, "a conversation could not be summarized");
        })
        .finally(() => busy.delete(conversationId));
      void pending.track(work);
    },
    async close() {
      closing.abort();
      await pending.settled();
    },
  };
}

function costOf({ text }: ConversationTurn): number {
  return Math.min(TURN_TOKENS, estimateTokens(text));
}

function newestWithin(lines: readonly string[], tokens: number): string[] {
  const included: string[] = [];
  let left = tokens;
  for (const line of lines.toReversed()) {
    left -= estimateTokens(line);
    if (left < 0) break;
    included.unshift(line);
  }
  return included;
}

/** How many earlier runs a word such as "it" can refer to. */
const MAX_EARLIER_RUNS = 12;

/**
 * The earlier runs of the conversation, newest first. Only those that had ended before the first step of this one count, so that a
 * resumed run reads the same.
 */
export async function earlierRuns(run: Run, store: Pick<RunStore, "run" | "runs">): Promise<Run[]> {
  const { conversationId, scratchpad } = run;
  const { items } = await store.runs({ conversationId, limit: MAX_EARLIER_RUNS + 1 });
  const firstStepAt = scratchpad[0]?.timestamp;
  const before = items.filter(
    ({ id, endedAt }) =>
      id < run.id && endedAt !== undefined && (firstStepAt === undefined || endedAt <= firstStepAt),
  );
  return Promise.all(before.slice(0, MAX_EARLIER_RUNS).map(({ id }) => store.run(id)));
}

const ASKS_TO_GO_ON_WORDS = oneOf(
  "continue|go on|carry on|keep going|proceed|resume|try (?:it )?again|retry",
  "(?:mach )?weiter(?:machen)?|continuer?|continuez|continúa|sigue",
);
/** A whole message that only asks to go on: "continue", "ok, please go on". */
const ASKS_TO_GO_ON = new RegExp(
  String.raw`^\W*(?:(?:ok(?:ay)?|yes|please|and|so|then|now|just|ja|oui|sí)\W+)*${ASKS_TO_GO_ON_WORDS}(?:\W+(?:please|then|now|again|with (?:it|that)|bitte|por favor|s['’]il (?:te|vous) pla[iî]t))*\W*$`,
  "iu",
);
const MAX_GO_ON = 40;

/** The last run of a conversation, if it ended unfinished and this message only asks to go on. */
export async function runToContinue(
  message: string,
  store: Pick<RunStore, "runs">,
  conversationId: string,
): Promise<string | undefined> {
  if (message.length > MAX_GO_ON || !ASKS_TO_GO_ON.test(message)) return undefined;
  const [last] = (await store.runs({ conversationId, limit: 1 })).items;
  return last?.status === "ended" && last.outcome !== "answered" ? last.id : undefined;
}

/** The maximum number of waiting runs of a conversation that are read. */
const MAX_OPEN = 5;

/** The runs of a conversation that wait for the person, oldest first. */
async function waitingRuns(store: RunStore, conversationId: string): Promise<RunSummary[]> {
  const { items } = await store.runs({ conversationId, status: "waiting", limit: MAX_OPEN });
  return items.toReversed();
}

/** The runs of a conversation that wait for the person's answer, oldest first. */
export async function openQuestions(store: RunStore, conversationId: string): Promise<RunSummary[]> {
  return (await waitingRuns(store, conversationId)).filter(({ pending }) => pending?.kind === "question");
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
 * The question that this text answers, because it is one of its choices word for word, or only counts to one of an open question: "the
 * second". An open question of the conversation, or else the last one that was dropped. `answer` is the choice as it was offered.
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
    if (pending?.kind !== "question") continue;
    const { options } = pending;
    const counted = optionFromReply(
      text,
      options.map(() => ""),
    );
    const answer = choiceIn(options) ?? (typeof counted === "number" ? options[counted] : undefined);
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

/** The part of a request that names it to a later one, in characters. */
const GOAL_LENGTH = 80;

/**
 * What a run waits for as a turn of the operator: "Which list? (1. packing.txt, 2. kids.txt; not answered yet)", or the call that the
 * person has not approved yet.
 */
function waitingTurn({ goal, pending, createdAt }: RunSummary): ConversationTurn[] {
  if (pending === undefined) return [];
  if (pending.kind === "approval") {
    const text = `(“${truncate(goal, GOAL_LENGTH)}” waits for the person's approval: ${pending.title} That call is not made yet)`;
    return [{ role: "operator", text, at: createdAt }];
  }
  const options = pending.options.map((option, index) => `${String(index + 1)}. ${option}`);
  const note = [...(options.length > 0 ? [options.join(", ")] : []), "not answered yet"].join("; ");
  return [{ role: "operator", text: `${pending.question} (${note})`, at: createdAt }];
}

/** Words by which an answer refers to what it answers. */
const REFERS = new RegExp(
  wholeWords(
    "(?:first|second|third|fourth|last|other|former|latter|same|right|wrong) ?(?:one|ones)?|ones?|both",
    "neither|either|all of (?:them|those)|it|that|this|these|those|them|yes|no|nope|yeah|instead|rather",
    "meant?|ja|nein|beide|das|es|oui|non|sí|los? dos|ambos|joo|ei|molemmat",
  ),
  "iu",
);

/** A request with fewer words, such as "read the list for the kids", may be an answer. */
const MANY_WORDS = 9;
const FEW_WORDS = 3;

const BEGINS_ORDER_WORDS = oneOf(
  "(?:can|could|would|will) (?:you|u)|i (?:want|need|would like|['’]d like) (?:you )?to|kannst du",
  "könntest du|peux-tu|pouvez-vous|puedes|puoi|voisitko|kan du|kun je|explain|describe|tell|show|give",
  "write|make|create|add|put|set up|find|search|look|read|list (?:all|the|my|every)|count|sum",
  "summari[sz]e|compare|translate|plan (?:an?|the|my|our|me)|draft|compose|calculate|work out|check",
  "remind|remember|schedule|move|rename|copy|delete|remove|update|change (?:the|my|all)|edit|help",
  "suggest|send|mark (?:the|my|all)|cancel|stop|erklär|beschreib|schreib|erstell|mach|zeig|lies",
  "suche?(?= (?:die|den|das|mir|nach|in))|füg|lösch|verschieb|erinner|vergleich|übersetz|fass|explique",
  "décris|écris|crée|fais|montre|lis|cherche|trouve|ajoute|supprime|rappelle|résume|traduis|explica",
  "describe|escribe|crea|haz|muestra|lee|busca|añade|borra|recuérdame|resume|traduce|spiega|scrivi|fai",
  "mostra|leggi|cerca|trova|aggiungi|cancella|ricordami|selitä|kirjoita|luo|tee|näytä|lue|etsi|lisää",
  "poista|muistuta|förklara|skriv|skapa|visa|läs|sök|ta bort|leg uit|schrijf|maak|toon|lees|zoek|voeg",
  "verwijder",
);
/** Verbs that begin an order, besides those of the skills' phrases. */
const BEGINS_ORDER = new RegExp(
  String.raw`^\W*(?:(?:please|pls|now|hey|ok(?:ay)?|and|then|also|bitte|dann|jetzt|svp|por favor|per favore)[\s,]+)*${BEGINS_ORDER_WORDS}e?(?!\p{L})`,
  "iu",
);

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

import { conversationTopic } from "../grammar/clauses.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import { afterFiller } from "../tokens/filler-phrases.ts";
import { tokenize } from "../tokens/tokens.ts";
import { requestsWithCalls } from "./antecedent.ts";
import type { EarlierCall, EarlierRequest } from "./earlier-calls.ts";
import { callsWithPhrases, planFollowing, type PlannedRequest } from "./planned.ts";

/** A request with its calls that changed something. */
interface ChangingRequest {
  request: string;
  made: readonly EarlierCall[];
}

/** "Put it back" means what the last request moved or changed, while "undo that" means the last change. */
const PUT_BACK = /\b(?:put|move|bring|take|set|change|turn)\b.*\bback\b/iu;
/** After an undo, these words ask for what was undone. */
const ASKS_TO_REDO =
  /\b(?:put|bring|get|give|take|move|set|change|turn|switch)\b.*\bback\b|\b(?:restore|recover|undelete|redo)\b|\bundo (?:the|that|your|this) undo\b/iu;
/** Words that ask for nothing else. */
const ALWAYS_REDOES = /\bredo\b|\bundo (?:the|that|your|this) undo\b/iu;

/**
 * The calls that undo the last request that changed something. After an undo, words like "put it back" redo what was undone. Undefined if there is none, or if one of its changes cannot be undone.
 */
export function reverseLastRequest(context: InterpretationContext): PlannedRequest | undefined {
  const { skills } = context.grammar;
  const [last] = requestsWithCalls(context);
  const tried = last ? callsWithPhrases(last, skills) : [];
  const hasChanged = tried.some(
    ({ skill, outputs }) => outputs !== undefined && skills.find(({ id }) => id === skill)?.reads !== true,
  );
  const hasFailed = tried.some(({ outputs }) => outputs === undefined);
  if (PUT_BACK.test(context.request) && hasFailed && !hasChanged) return undefined;
  const { applied, undoing } = changesOf(context);
  const meant = undoing !== undefined && ASKS_TO_REDO.test(context.request) ? undoing : applied.at(-1);
  if (meant === undefined || (undoing === undefined && ALWAYS_REDOES.test(context.request))) return undefined;
  const reversals = meant.made.toReversed().map(({ skill: id, args, outputs = {} }) => {
    return skills.find((skill) => skill.id === id)?.reverse?.({ args, outputs });
  });
  if (reversals.some((reversal) => reversal === undefined)) return undefined;
  return planFollowing(
    reversals.flatMap((reversal) => reversal ?? []),
    meant.request,
    skills,
  );
}

/**
 * The requests whose changes still apply, oldest first, and the last one if it undid another and nothing was changed since.
 * Undoing twice goes back twice.
 */
function changesOf(context: InterpretationContext): {
  applied: readonly ChangingRequest[];
  undoing: ChangingRequest | undefined;
} {
  const applied: ChangingRequest[] = [];
  let undone: ChangingRequest[] = [];
  let undoing: ChangingRequest | undefined;
  for (const earlier of requestsWithCalls(context).toReversed()) {
    const { request } = earlier;
    const made = effectiveCalls(earlier, context);
    // "Remind me tomorrow: bring it back" is an order of its own.
    const isReversal = [applied.at(-1), undoing].some(
      (one) => one !== undefined && reverses(made, one, context),
    );
    if (isUndo(context, request) && (made.length === 0 || isReversal)) {
      // Nothing was undone: the person said no.
      if (made.length === 0) continue;
      const restored = undoing !== undefined && ASKS_TO_REDO.test(request) ? undone.pop() : undefined;
      const taken = restored === undefined ? applied.pop() : undefined;
      if (restored !== undefined) applied.push(restored);
      if (taken !== undefined) undone.push(taken);
      undoing = taken === undefined ? undefined : { request, made };
    } else if (made.length > 0) {
      applied.push({ request, made });
      undone = [];
      undoing = undefined;
    }
  }
  return { applied, undoing };
}

/** Whether these calls are such as undo the calls of another request. */
function reverses(
  made: readonly EarlierCall[],
  other: ChangingRequest,
  { grammar: { skills } }: InterpretationContext,
): boolean {
  const reversing = new Set(
    other.made.flatMap(({ skill: id, args, outputs = {} }) =>
      (skills.find((skill) => skill.id === id)?.reverse?.({ args, outputs }) ?? []).map(({ skill }) => skill),
    ),
  );
  return made.every(({ skill }) => reversing.has(skill));
}

function effectiveCalls({ calls }: EarlierRequest, { grammar }: InterpretationContext): EarlierCall[] {
  return calls.filter(({ skill: id, outputs }) => {
    const skill = grammar.skills.find((candidate) => candidate.id === id);
    // A skill without phrases, such as a question to the person, only steers the run.
    return skill !== undefined && !skill.reads && skill.phrases.length > 0 && outputs !== undefined;
  });
}

/** The maximum number of words of a part of a message that only leads up to "undo that": "hmm no", "oh wait". */
const MAX_WORDS_BEFORE = 3;

/** True for an order to undo, also after an exclamation: "hmm no, put it back". */
function isUndo(context: InterpretationContext, request: string): boolean {
  if (ordersUndo(context, request)) return true;
  const parts = request.split(/[,.;:!?–—]+/u).filter((part) => part.trim() !== "");
  const others = parts.filter((part) => !ordersUndo(context, part));
  return (
    others.length < parts.length &&
    others.every((part) => part.trim().split(/\s+/u).length <= MAX_WORDS_BEFORE)
  );
}

function ordersUndo(context: InterpretationContext, request: string): boolean {
  const tokens = tokenize(request);
  const { at } = afterFiller(tokens, 0, tokens.length);
  return conversationTopic({ ...context, request, tokens }, at, tokens.length) === "undo";
}

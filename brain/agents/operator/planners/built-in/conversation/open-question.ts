import { oneOf } from "@metahuman/core/text/patterns";
import { isDeepStrictEqual } from "node:util";
import type { QuestionKind, ScratchpadEntry } from "@metahuman/core/contract/run";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { FUNCTION_WORDS } from "@metahuman/core/language/tokens/words";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { answerIn, ASK_SKILL } from "../follow.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { ask, stepOf, withKind } from "../next-step.ts";
import { outsideAbilities } from "../outside-abilities.ts";
import { isNoName } from "../facts/unnamed-person.ts";
import { REPLACE_OPTIONS, sentences, THOUGHTS } from "../phrasing.ts";
import type { Question } from "../resolve.ts";
import { stripFiller } from "./short-orders.ts";
import { endWithNothing } from "./ask-person.ts";
import { ASKS, ASKS_IF, ASKS_TO } from "../word-lists.ts";

// Asks the person what a reference means that nothing before explains ("delete it" as a first message), and leaves an open question
// when the message after it is not an answer but a request of its own.

/**
 * Asks what a reference means, and reads the request with the answer in its place. An answer that is a
 * request of its own is read alone. Undefined for words that are more than a reference.
 */
export async function decideMeaning(words: string, state: PlanState): Promise<PlannerDecision | undefined> {
  const place = REFERENCE.test(words) ? state.request.lastIndexOf(words) : -1;
  if (place < 0) return undefined;
  const question: Question = { question: sentences.whatIs(words), kind: "meaning", options: [] };
  const answer = answerIn(state.scratchpad)(question)?.trim();
  if (answer === undefined) return ask(question, THOUGHTS.unnamed);
  const reply = answer.replace(/^i\s+meant?,?\s+(?=\S)/iu, "");
  const { request } = state;
  if (optionFromReply(reply, []) === "none") return endWithNothing();
  const complete = `${request.slice(0, place)}${reply}${request.slice(place + words.length)}`;
  for (const fullRequest of [complete, reply]) {
    const reading = await interpretRequest({ ...state, request: fullRequest });
    if (reading.kind === "plan") return stepOf(reading.calls, state, reading);
  }
  return undefined;
}

/** "Delete the old one": an order about something that no word names. */
export const ONE_OF_WHAT =
  /^\W*(?:(?:please|pls)\s+)?(?:delete|remove|move|rename|read|open|show|edit|copy|mark|update|finish|erase)\s(?:[^,;.!?]*\s)?(?<words>(?:the|that|this) (?:\p{L}+ )?one)[\s.!]*$/iu;

const REFERENCE_WORDS = oneOf(
  "it|its|this|that|them|these|those",
  String.raw`(?:the|this|that|these|those) (?:\p{L}+ )?(?:file|folder|task|note|list|document|memory|one|schedule|reminder)s?`,
);
/** Words that only refer to something: "it", "the file", "that one". */
const REFERENCE = new RegExp(String.raw`^${REFERENCE_WORDS}$`, "iu");

/**
 * Leaves a question whose answer is a message of its own: one that the grammar understands as a request, also behind
 * "no", or a statement that corrects the one to be replaced. If any words can be the answer, such as a title, every message is
 * one. Undefined if the last question was answered, and if none was asked.
 */
export function leaveQuestion(state: PlanState): LeftQuestion | undefined {
  const at = state.scratchpad.findLastIndex(
    (entry) => entry.action?.tool === ASK_SKILL && typeof entry.observation?.outputs?.["answer"] === "string",
  );
  const entry = state.scratchpad[at];
  const answer = entry?.observation?.outputs?.["answer"];
  if (entry === undefined || typeof answer !== "string") return undefined;
  const kind = readReplyKind(answer, questionOf(entry, state.skills), state);
  if (kind === undefined) return leaveQuestion({ ...state, scratchpad: state.scratchpad.slice(0, at) });
  const askedRequest = findAskedRequest(state, at);
  if (kind !== "request" && kind !== "correction") return { kind, request: askedRequest.request };
  const earlier = async (): Promise<readonly EarlierRequest[]> => [
    askedRequest,
    ...((await state.earlier?.()) ?? []),
  ];
  return {
    kind,
    request: askedRequest.request,
    next: { ...state, request: answer, scratchpad: state.scratchpad.slice(at + 1), earlier },
  };
}

/** The question of a step. Runs of versions before `asks` have no kind; it is told by the words of the question. */
function questionOf({ action, asks }: ScratchpadEntry, skills: readonly Skill[]): Question {
  const { question: asked, options: choices } = action?.args ?? {};
  const options = Array.isArray(choices) ? choices.filter((option) => typeof option === "string") : [];
  const question = { question: String(asked), options };
  const kind = asks ?? OLD_QUESTIONS.find(([, form]) => form.test(question.question))?.[0];
  if (kind !== undefined) return { ...question, kind };
  return isDeepStrictEqual(options, REPLACE_OPTIONS)
    ? { ...question, kind: "replacement" }
    : withKind(question, skills);
}

const OLD_QUESTIONS: readonly (readonly [QuestionKind, RegExp])[] = [
  ["meaning", /^What do you mean by “/u],
  ["person", /^Who is “/u],
  ["words", /^What should you be reminded of\?$/u],
];

/** A question that was left, and the request that had led to it. */
export type LeftQuestion =
  /** `next`: what the person asks instead, with the steps that were made for it. */
  | { kind: "request" | "correction"; request: string; next: PlanState }
  /** The message cannot be done: it is in another language, or it is not a name. */
  | { kind: "foreign" | "unclear"; request: string };

/** The kind of a reply that is not an answer; undefined for an answer. */
function readReplyKind(
  reply: string,
  { kind, options }: Question,
  { skills, requestedAt, timeZone }: PlanState,
): LeftQuestion["kind"] | undefined {
  if (kind === "meaning") {
    const { text } = stripFiller(reply);
    if (isOrderToReference(text) || ASKS_OR_ORDERS.test(text) || /\?\s*$/u.test(reply)) return "request";
    if (STATES.test(text)) return "unclear";
  }
  const isShort = reply.trim().split(/\s+/u).length < MIN_REQUEST;
  if (isShort || optionFromReply(reply, options) !== undefined || kind === "words") return undefined;
  if (options.length === 0 && ENDS_WITH_QUESTION.test(reply)) return "request";
  const read = (request: string): Interpretation =>
    interpretAlone({ request, skills, requestedAt, timeZone });
  const reading = read(reply);
  if (reading.kind === "plan") return "request";
  if (outsideAbilities(reply, skills, { requestedAt, timeZone }) !== undefined) return "request";
  if (reading.kind === "not-understood" && reading.foreign === true) return "foreign";
  const behindNo = DECLINES.exec(reply.trim())?.groups?.["rest"];
  const rest = behindNo === undefined ? undefined : read(behindNo);
  if (rest?.kind === "plan") return "request";
  const isCorrection = rest?.kind === "not-understood" && rest.statement !== undefined;
  if (isCorrection && kind === "replacement") return "correction";
  return kind === "person" && isNoName(reply) ? "unclear" : undefined;
}

/** True for an order about something that it does not name, either, so that it answers no question: "ok email it to her". */
function isOrderToReference(reply: string): boolean {
  const { verb = "" } = TO_REFERRED.exec(reply)?.groups ?? {};
  return verb !== "" && !FUNCTION_WORDS.has(verb.toLowerCase());
}

const TO_REFERRED = /^(?<verb>\p{L}[\p{L}-]*)\s+(?:it|that|this|them|those|these)(?=\s|[.!?]*$)/iu;

/** A question or an order of its own, which names nothing: "how much are the tickets", "remove the last line", "undo the last change". */
const ORDER_VERB = [
  "add|put|remove|delete|take|show|read|open|list|make|create|change|set|move|copy|rename|mark|remind",
  "remember|save|tell|give|find|count",
].join("|");
const ASKS_OR_ORDERS = new RegExp(
  [
    String.raw`^(?:${ASKS})(?:['’]?s)?\s+(?!(?:i|we|you|he|she|they)\b)`,
    String.raw`^(?:${ASKS_IF}|${ASKS_TO}|may|might|shall)\s+\p{L}`,
    String.raw`^undo\b`,
    String.raw`^(?:${ORDER_VERB})\s+(?:the|an?|my|our|me|us|all|both|in|\d|["“]|\S+\.\p{L}{2,4}\b)`,
  ].join("|"),
  "iu",
);
/** A statement or other words that name nothing either: "im so broke tho", "and back to work". */
const STATES = new RegExp(
  [
    String.raw`^(?:and|but|not|no|maybe|perhaps|same|it)\s`,
    String.raw`^(?:i|we|you|he|she|they)(?:['’]\p{L}+)?\s+(?!mean)\S`,
    String.raw`^(?:im|ive|ill|youre|hes|shes|theyre|weve|another\s+one)\s`,
    String.raw`^(?:it['’]?s|it\s+is|that['’]?s|that\s+is|there['’]?s|there\s+is)\s+(?!(?:the|my|our|in|["“\d]|\S+\.\p{L}{2,4}\b))`,
    String.raw`^(?:\p{L}[\p{L}'’-]*\s+){1,5}?(?:is|are|was|were|has|have|had|will|isn['’]?t|aren['’]?t|can['’]?t|won['’]?t|needs?|makes|got|went)\s`,
  ].join("|"),
  "iu",
);

/** "The limit is 23 kg. How much is left?" */
const ENDS_WITH_QUESTION = new RegExp(
  String.raw`(?:^|[.,;!:]\s+)(?:and\s+|so\s+|but\s+)?(?:${ASKS})\b[^?]*\?\s*$`,
  "iu",
);

/** "No, her number is 12": what follows a refusal. */
const DECLINES = /^(?:no|nope|neither|none(?:\s+of\s+(?:them|these))?)[,.!;:]?\s+(?<rest>\S.*)$/iu;

/** The request before the question at a place of the scratchpad, with its calls. */
function findAskedRequest(state: PlanState, at: number): EarlierRequest {
  const before = { ...state, scratchpad: state.scratchpad.slice(0, at) };
  const leftQuestion = leaveQuestion(before);
  const { request, scratchpad } =
    leftQuestion?.kind === "request" || leftQuestion?.kind === "correction" ? leftQuestion.next : before;
  const calls = scratchpad.flatMap(({ action, observation }) =>
    action === undefined || observation === undefined
      ? []
      : [
          {
            skill: action.tool,
            args: action.args,
            outputs: observation.success ? observation.outputs : undefined,
          },
        ],
  );
  return { request, calls };
}

/** Messages with fewer words are answers: "delete it", "the milk". */
const MIN_REQUEST = 3;

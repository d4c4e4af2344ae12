import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { answerIn, ASK_SKILL } from "./follow.ts";
import { interpretAlone, interpretRequest } from "./interpret-request.ts";
import { ask, stepOf } from "./next-step.ts";
import { isNoName } from "./person-meant.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";
import type { Question } from "./resolve.ts";

// Questions to the person: what words mean that refer to nothing, and messages that do not answer an open question.

/**
 * Asks what words mean that refer to nothing, and reads the request with the answer in their place. An answer that is a
 * request of its own is read alone. Undefined for words that are more than a reference.
 */
export async function askedFor(words: string, state: PlanState): Promise<PlannerDecision | undefined> {
  const place = REFERENCE.test(words) ? state.request.lastIndexOf(words) : -1;
  if (place < 0) return undefined;
  const question: Question = { question: sentences.whatIs(words), options: [] };
  const reply = answerIn(state.scratchpad)(question)?.trim();
  if (reply === undefined) return ask(question, THOUGHTS.unnamed);
  const { request } = state;
  if (optionFromReply(reply, []) === "none")
    return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
  const complete = `${request.slice(0, place)}${reply}${request.slice(place + words.length)}`;
  for (const asked of [complete, reply]) {
    const reading = await interpretRequest({ ...state, request: asked });
    if (reading.kind === "plan") return stepOf(reading.calls, state, reading.repeats, reading.remarks);
  }
  return undefined;
}

/** "Delete the old one": an order about something that no word names. */
export const ONE_OF_WHAT =
  /^\W*(?:(?:please|pls)\s+)?(?:delete|remove|move|rename|read|open|show|edit|copy|mark|update|finish|erase)\s(?:[^,;.!?]*\s)?(?<words>(?:the|that|this) (?:\p{L}+ )?one)[\s.!]*$/iu;

/** Words that only refer to something: "it", "the file", "that one". */
const REFERENCE =
  /^(?:it|its|this|that|them|these|those|(?:the|this|that|these|those) (?:\p{L}+ )?(?:file|folder|task|note|list|document|memory|one|schedule|reminder)s?)$/iu;

/**
 * Ends the run if the message after an open question does not answer it: the grammar understands all of it as a
 * request, or it is in another language. If any words can be the answer, such as a title, every message is one.
 */
export function leaveQuestion(state: PlanState): PlannerDecision | undefined {
  const { scratchpad, skills, request, requestedAt, timeZone } = state;
  const { action, observation } = scratchpad.at(-1) ?? {};
  const answer = observation?.outputs?.["answer"];
  if (
    action?.tool !== ASK_SKILL ||
    typeof answer !== "string" ||
    answer.trim().split(/\s+/u).length < MIN_REQUEST
  )
    return undefined;
  const { question, options } = action.args;
  const choices = Array.isArray(options) ? options.filter((option) => typeof option === "string") : [];
  if (optionFromReply(answer, choices) !== undefined || asksForWords(question, skills)) return undefined;
  const reading = interpretAlone({ request: answer, skills, requestedAt, timeZone });
  const isForeign = reading.kind === "not-understood" && reading.foreign === true;
  const isRequest = reading.kind === "plan" || isNoName(question, answer);
  if (!isForeign && !isRequest) return undefined;
  return {
    kind: "answer",
    thought: THOUGHTS.leftOpen,
    style: "default",
    text: isForeign ? sentences.leftForeign(request) : sentences.leftOpen(request, answer),
    suggestions: isForeign ? [] : [answer],
    outcome: "stuck",
  };
}

/** Messages with fewer words are answers: "delete it", "the milk". */
const MIN_REQUEST = 3;

const WORDS: ReadonlySet<string | undefined> = new Set(["text", "wording", "title", "query"]);

/** True for a question about an argument that accepts any words. */
function asksForWords(question: unknown, skills: readonly Skill[]): boolean {
  return skills.some(({ phrases, slots }) =>
    phrases.some((phrase) =>
      Object.entries((typeof phrase === "string" ? undefined : phrase.asks) ?? {}).some(([name, asked]) => {
        const slot = (typeof phrase === "string" ? undefined : phrase.slots?.[name]) ?? slots[name];
        return asked === question && WORDS.has(typeof slot === "string" ? slot : slot?.type);
      }),
    ),
  );
}

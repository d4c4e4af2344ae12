import {
  contentStems,
  contentWords,
  FUNCTION_WORDS,
  stem,
  stemSet,
} from "@metahuman/core/language/tokens/words";
import { checkItems, withoutListMark } from "@metahuman/core/text/list-marks";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone } from "../interpret-request.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import type { Resolution } from "../conversation/resolution.ts";
import { pathStems, type SubjectOf } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { countSharedWords } from "./matching-lines.ts";

// Reads a question about the current text. "How many are left?" becomes "how many items are open in out/list.md"; "who comes on
// Tuesday?" becomes "what does out/rota.md say about tuesday", if one line has the word.

type TextSubject = SubjectOf<"text">;

const MAX_QUESTION_WORDS = 4;

const LEFT_WORDS = [
  String.raw`left(?:\s+to\s+(?:do|get|buy|pack|bring))?|open|missing|lacks?|lacking|remains?|remaining`,
  String.raw`outstanding|to\s+(?:do|get|buy|pack|bring|go(?:\s+in)?)|undone|unticked|unchecked|needed`,
].join("|");
/** "What's left", "how many are still open", "what is missing". */
const LEFT = new RegExp(
  String.raw`^(?:(?:and|so|ok|okay)\s+)?(?:what(?:['’]?s|\s+is|\s+are|\s+do\s+(?:i|we)(?:\s+still)?\s+need)?|how\s+many(?:\s+are)?)(?:\s+(?:still|now|items|things|is|are))*\s*(?<state>${LEFT_WORDS})?(?:\s+(?:on|in)\s+(?:it|there|the\s+list))?(?:\s+(?:now|then|still))?$`,
  "iu",
);
/** True for "what's left?" and "how many are still open?", which also ask for tasks. */
export const isAskingWhatIsLeft = (request: string): boolean =>
  request.length <= MAX_ORDER && LEFT.exec(stripFiller(request).text)?.groups?.["state"] !== undefined;
const ASKS = /^(?:(?:and|so)\s+)?(?:who|what|which|when|where|how\s+much)(?:['’]?s)?\b(?<rest>.*)$/iu;

/** Words that occur in questions about a whole text. */
const OF_TEXT = stemSet(
  "many thing item entry line point name list note letter file text paper whole lot everything far now left still need got get have stand be put place save keep write store bring take buy upon there here inside know tell show read see hear print back aloud out whats hows total altogether together count number",
);
const COUNTS = /\bhow\s+many\b|\bnumber\s+of\b/iu;
const SHOWS = /^(?:what(?:['’]?s)?|which|who(?:['’]?s|se)?|read|show|see|tell|let)\b/iu;
const PLACES =
  /(?:^(?:and\s+)?(?:the\s+)?(?<line>first|second|third|last)\s+(?:line|item|entry|one|name)|\b(?<place>first|second|third|last))$/iu;

/** A question about the text as a whole: how many items it has, what is in it, who is last. Undefined for any other. */
export function readTextQuestion(
  request: string,
  text: TextSubject,
  state: PlanState,
): Resolution | undefined {
  const question = stripFiller(request).text;
  if (request.length > MAX_ORDER || request.includes("\n") || text.age > 0) return undefined;
  const { line, place = line } = PLACES.exec(question.toLowerCase())?.groups ?? {};
  const named = new Set(pathStems(text.path));
  const content = plainWords(question).filter((word) => !FUNCTION_WORDS.has(word) && word !== place);
  const others = content.filter((word) => !OF_TEXT.has(stem(word)) && !named.has(stem(word)));
  if (COUNTS.test(question)) {
    // "How many kids now?": "kids" may be what the items are.
    const isCount =
      others.length === 0 ||
      (others.length === 1 &&
        new RegExp(String.raw`\bhow\s+many\s+${others[0] ?? ""}\b`, "iu").test(question));
    return text.isList && isCount
      ? { kind: "request", request: `how many items are in ${text.path}` }
      : undefined;
  }
  if (others.length === 0 && line !== undefined && /\?\s*$/u.test(request))
    return requestIfUnderstood(`show the ${line} line of ${text.path}`, state);
  if (others.length > 0 || !SHOWS.test(question) || (content.length === 0 && place === undefined))
    return undefined;
  if (place !== undefined && text.isList && /^(?:who|what|which)/iu.test(question))
    return requestIfUnderstood(`show the ${place} line of ${text.path}`, state);
  return /^(?:what|read|show|see|tell|let)/iu.test(question) && content.length > 0
    ? { kind: "request", request: `show ${text.path}` }
    : undefined;
}

const requestIfUnderstood = (request: string, state: PlanState): Resolution | undefined =>
  interpretAlone({ ...state, request }).kind === "plan" ? { kind: "request", request } : undefined;

/**
 * A question about the lines of the newest text: what is left on a checklist, or the line that a word of the question names: "who
 * comes on Tuesday?". Undefined if no line or several may answer it.
 */
export function readLineQuestion(
  request: string,
  text: TextSubject,
  state: PlanState,
): Resolution | undefined {
  const question = stripFiller(request).text;
  if (request.length > MAX_ORDER || text.age > 1) return undefined;
  if (isAskingWhatIsLeft(request) && text.isList) {
    const isCount = /^(?:\S+\s+)?how\s+many/iu.test(question);
    const hasBoxes = checkItems(text.lines).length > 0;
    const order = hasBoxes
      ? `${isCount ? "how many" : "which"} items are open in ${text.path}`
      : isCount
        ? `how many items are in ${text.path}`
        : `show ${text.path}`;
    return { kind: "request", request: order };
  }
  const { rest } = ASKS.exec(question)?.groups ?? {};
  const named = rest === undefined ? [] : contentWords(rest);
  if (named.length === 0 || named.length > MAX_QUESTION_WORDS) return undefined;
  const scored = text.lines
    .map((line) => ({ line, score: countSharedWords(named.join(" "), line) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const [best, second] = scored;
  if (best === undefined || best.score === second?.score) return undefined;
  const word = named.find((namedWord) => contentStems(withoutListMark(best.line)).includes(stem(namedWord)));
  const only =
    word !== undefined && text.lines.filter((line) => countSharedWords(word, line) > 0).length === 1;
  return only ? requestIfUnderstood(`what does ${text.path} say about ${word}`, state) : undefined;
}

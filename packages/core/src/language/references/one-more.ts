import { oneOf } from "../../text/patterns.ts";
import { dateSpans } from "../dates/dates.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { PlannedCall } from "../grammar/plan.ts";
import { tokenize } from "../tokens/tokens.ts";
import { requestsWithCalls } from "./antecedent.ts";
import type { EarlierRequest } from "./earlier-calls.ts";
import type { PlannedRequest } from "./planned.ts";

/** "And friday too", "same for friday", "what about friday": the last request for something else. */
const SAME = String.raw`(?<same>(?:(?:and|please|do|now)\s+)*(?:the\s+)?same(?:\s+thing)?(?:\s+again)?|ditto|likewise)`;
const ALSO = String.raw`(?<also>(?:and\s+)?also|(?:(?:oh|and)[,\s]+)*(?:another\s+one|one\s+more)(?=\s+for\s)|(?:and\s+)?another\s+one)`;
const BEGINS_ONE_MORE = oneOf(
  String.raw`${SAME}(?:\s+(?:for|on|with))?`,
  String.raw`${ALSO}(?:\s+(?:for|on))?`,
  String.raw`(?:and\s+|so\s+)?(?:what|how)\s+about`,
  String.raw`(?:(?:oh|and)[,\s]+)*one\s+for`,
  String.raw`and(?:\s+(?:for|on))?`,
);
const ONE_MORE = new RegExp(
  String.raw`^${BEGINS_ONE_MORE}\s+(?<words>\S.*?)(?<too>,?\s+(?:too|as\s+well|also))?[\s.!?]*$`,
  "iu",
);
/** Words that name a value and ask for nothing. */
const NAMED = /^[\p{L}\p{N}'’-]+(?:\s[\p{L}\p{N}'’-]+)?$/u;
const POINTS_BACK = /\b(?:it|that|this|them|these|those|one|ones|other|same|me|us|you|him)\b/iu;
const VERB_WITH_OBJECT_WORDS = oneOf(
  "call|phone|ring|email|e-mail|text|message|write to|answer|visit|meet|invite|thank|ask|pay|buy|get",
  "order|fetch|collect|pick up|book|renew|cancel|wash|clean|feed|water|repair|fix|return|read|prepare",
);
/** A verb of everyday tasks whose object follows it. */
const VERB_WITH_OBJECT = new RegExp(String.raw`^${VERB_WITH_OBJECT_WORDS}\s+(?=\S)`, "iu");
const PREPOSITION = /^(?:on|at|by|for|until|till|to)\s+/iu;

/**
 * Interprets a request that names only another day, or another value, for the last request: that request again with the
 * new words in place of the old ones. A request that changed something is repeated only if the person says that there is
 * one more ("too", "same for"). Undefined if it is not certain which words of the last request are replaced.
 */
export function interpretOneMore(context: InterpretationContext): PlannedRequest | undefined {
  const more = moreIn(context.request);
  const [last, ...older] = context.earlier;
  if (more === undefined || last === undefined || last !== requestsWithCalls(context)[0]) return undefined;
  const asked = completeRequest(context, last, older);
  const before = asked === undefined ? undefined : context.read(asked, older);
  if (asked === undefined || before?.kind !== "plan" || (!before.readOnly && !more.isMore)) return undefined;
  for (const request of withSameJoint(context.request, asked, before.readOnly)) {
    const again = context.read(request, older);
    if (again.kind === "plan" && again.readOnly && skillsOf(again.calls) === skillsOf(before.calls))
      return again;
  }
  for (const request of replacements(context, { asked, calls: before.calls }, more)) {
    const again = context.read(request, older);
    if (again.kind === "plan" && skillsOf(again.calls) === skillsOf(before.calls)) return again;
  }
  return undefined;
}

interface More {
  words: string;
  /** True if the person asks for an additional one: "too", "same for". */
  isMore: boolean;
}

const WITH_JOINT =
  /^(?:and|so|what about|how about)\s+(?<joint>of|times|plus|minus|divided by|over|in|from|to|for|by|between)\s+(?<value>\S.*?)[\s?.!]*$/iu;

/** "And of 200?" after "15 % of 80": the question before, with what follows the same word replaced; none for a change. */
function withSameJoint(request: string, asked: string, readOnly: boolean): string[] {
  const { joint, value } = WITH_JOINT.exec(request)?.groups ?? {};
  if (joint === undefined || value === undefined || !readOnly) return [];
  const [only, ...others] = [
    ...asked.matchAll(new RegExp(String.raw`(?<=\s${joint}\s)\S.*?[\s?.!]*$`, "giu")),
  ];
  return only === undefined || others.length > 0 ? [] : [`${asked.slice(0, only.index)}${value}`];
}

/** The value in a request that names only another value; undefined for any other request. */
function moreIn(request: string): More | undefined {
  const { same, also, words, too } = ONE_MORE.exec(request)?.groups ?? {};
  if (words === undefined) return undefined;
  const isMore = same !== undefined || also !== undefined || too !== undefined;
  return { words: words.replace(PREPOSITION, ""), isMore };
}

/** True for "and friday too", which repeats the request before it for something else. */
export const isOneMore = (request: string): boolean => moreIn(request)?.isMore === true;

/** The complete request for "and friday too"; a request of its own unchanged. */
function completeRequest(
  context: InterpretationContext,
  { request }: EarlierRequest,
  [before, ...older]: readonly EarlierRequest[],
): string | undefined {
  const more = moreIn(request);
  if (more === undefined) return request;
  const asked = before && completeRequest(context, before, older);
  const plan = asked === undefined ? undefined : context.read(asked, older);
  if (asked === undefined || plan?.kind !== "plan") return undefined;
  return replacements(context, { asked, calls: plan.calls }, more).find((one) => {
    const again = context.read(one, older);
    return again.kind === "plan" && skillsOf(again.calls) === skillsOf(plan.calls);
  });
}

/** The ways to put the new words in place of the old ones in a request, the most likely first. */
function replacements(
  context: InterpretationContext,
  { asked, calls }: { asked: string; calls: readonly PlannedCall[] },
  { words, isMore }: More,
): string[] {
  const place =
    placeOfDate(context, asked, words) ??
    (isMore ? placeOfQuotation(asked, words) : undefined) ??
    (isMore ? placeOfText(calls, asked, words) : undefined) ??
    placeOfView(calls, asked, words);
  if (place === undefined) return withOther(calls, asked, words);
  const preposition = PREPOSITION.exec(asked.slice(place.start, place.end))?.[0] ?? "";
  return [`${asked.slice(0, place.start)}${preposition}${words}${asked.slice(place.end)}`];
}

/** The value that a question about a part of a result passes to its view: “Olli” in “the sum of amount for Olli”. */
const otherIn = (calls: readonly PlannedCall[]): { value?: string } | undefined => {
  const [view, ...others] = calls.flatMap((call) => (call.view?.other === undefined ? [] : [call.view]));
  if (view?.other === undefined || others.length > 0) return undefined;
  const value = view.values[view.other];
  return value === undefined ? {} : { value: value.replace(/[\s.,;:!?]+$/u, "") };
};

/** The name of whom the other words tell something: “Gerda” in “Gerda paid”. Another name takes its place. */
const NAME_AT_BEGINNING = /^\p{Lu}[\p{L}.-]*(?: \p{Lu}[\p{L}.-]*)*(?= \p{Ll})/u;

function placeOfView(calls: readonly PlannedCall[], request: string, words: string): Place | undefined {
  const given = otherIn(calls)?.value;
  const value = given && (NAME_AT_BEGINNING.exec(given)?.[0] ?? given);
  if (value === undefined || value === "" || !NAMED.test(words) || POINTS_BACK.test(words)) return undefined;
  const index = request.indexOf(value);
  if (index < 0 || request.includes(value, index + 1)) return undefined;
  return { start: index, end: index + value.length };
}

/** The request with “for Petra” added, where its view takes such a value and has none. */
function withOther(calls: readonly PlannedCall[], request: string, words: string): string[] {
  const other = otherIn(calls);
  if (other === undefined || other.value !== undefined || !NAMED.test(words) || POINTS_BACK.test(words))
    return [];
  return [`${request.replace(/[\s.,;:!?]+$/u, "")} for ${words}`];
}

const skillsOf = (calls: readonly PlannedCall[]): string => calls.map(({ skill }) => skill).join();

interface Place {
  start: number;
  end: number;
}

/** The place of the only day or time of a request, if the words are a day or time as well. */
function placeOfDate({ clock }: InterpretationContext, request: string, words: string): Place | undefined {
  const wordTokens = tokenize(words);
  const isDate = dateSpans(words, wordTokens, clock).some(
    ({ from, to, question }) => question === undefined && from === 0 && to === wordTokens.length,
  );
  if (!isDate) return undefined;
  const tokens = tokenize(request);
  const [only, ...others] = dateSpans(request, tokens, clock);
  const first = only && tokens[only.from];
  const end = only && tokens[only.to - 1];
  return first === undefined || end === undefined || others.length > 0
    ? undefined
    : { start: first.start, end: end.end };
}

const QUOTED = /^(?:"[^"]+"|“[^”]+”|'[^']+')$/u;

/** The place of the only quotation of a request, if the words are a quotation as well: "and "glue" too". */
function placeOfQuotation(request: string, words: string): Place | undefined {
  const quotations = QUOTED.test(words) ? tokenize(request).filter(({ kind }) => kind === "quoted") : [];
  const [only, ...others] = quotations;
  return only === undefined || others.length > 0 ? undefined : { start: only.start, end: only.end };
}

/** The place of the one value of a request that consists of its own words, such as an item that was added to a list. */
function placeOfText(calls: readonly PlannedCall[], request: string, words: string): Place | undefined {
  const [call, ...others] = calls.filter(({ freeText }) => freeText.length > 0);
  const [name, ...more] = call?.freeText ?? [];
  const value = name === undefined ? undefined : call?.args[name];
  if (others.length > 0 || more.length > 0 || value?.from !== "request") return undefined;
  const text = value.value;
  if (typeof text !== "string" || !NAMED.test(text) || !NAMED.test(words) || POINTS_BACK.test(words))
    return undefined;
  // "Call bob" and "anna": the object is replaced. Other words of a sentence are not values of the same kind.
  const object = text.replace(VERB_WITH_OBJECT, "");
  if (object.split(" ").length !== words.split(" ").length || (object === text && !/^\S+$/u.test(text)))
    return undefined;
  const index = request.indexOf(text);
  if (index < 0 || request.includes(text, index + 1)) return undefined;
  const end = index + text.length;
  return { start: end - object.length, end };
}

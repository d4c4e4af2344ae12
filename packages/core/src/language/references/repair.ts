import { oneOf } from "../../text/patterns.ts";
import { withoutTrailing } from "../../text/words.ts";
import type { DateSpan } from "../dates/clock.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { Interpretation } from "../grammar/plan.ts";
import { leadingWords } from "../grammar/small-talk.ts";
import { textBetween } from "../slots/slot-reader.ts";
import { trailingFiller } from "../tokens/filler-phrases.ts";
import type { Token } from "../tokens/tokens.ts";
import { withPathFor } from "../tokens/reorder.ts";
import { ARTICLES, FUNCTION_WORDS } from "../tokens/words.ts";

/**
 * Self-repairs inside one request: "delete all done tasks, I mean all open tasks". The words after the editing term
 * replace a part of the words before it. Which part follows from the words alone, as in Levelt, "Monitoring and
 * self-repair in speech" (1983): a repair repeats a word of the replaced part, or is of the same kind.
 */

const phrases = (...list: readonly string[]): readonly (readonly string[])[] =>
  list.map((words) => words.split(" "));

/** Editing terms that always withdraw earlier words. */
const WITHDRAWING = phrases(
  "i mean",
  "i meant",
  "i meant to say",
  "i meant to write",
  "scratch that",
  "strike that",
  "or rather",
  "no rather",
  "no wait",
  "wait no",
  "no sorry",
  "sorry no",
  "sorry i mean",
  "sorry i meant",
  "correction",
  "make that",
);
/** Words that withdraw something only after a pause: "say sorry to Bob" is not a correction. */
const AFTER_PAUSE = phrases(
  "sorry",
  "no",
  "nope",
  "oops",
  "whoops",
  "ups",
  "rather",
  "actually",
  "my mistake",
);
const PAUSE = /^(?:[,.;!?…–—-]|\.{2,})$/u;
const HESITATION = /^(?:oh|uh|um|er|well|ah|hm+|wait|no|sorry|and|but|or)$/u;
/** A longer request is a text. */
const MAX_TOKENS = 60;

interface Repair {
  /** The index after what is repaired, and the index of the first word of the repair. */
  end: number;
  start: number;
  isCertain: boolean;
}

/** The last self-repair of a request. */
function lastRepair(tokens: readonly Token[]): Repair | undefined {
  for (let index = tokens.length - 2; index > 0; index--) {
    const isAfterPause = tokens[index - 1]?.kind === "mark" && PAUSE.test(tokens[index - 1]?.text ?? "");
    const certain = leadingWords(tokens, index, tokens.length, WITHDRAWING);
    const possible = isAfterPause ? leadingWords(tokens, index, tokens.length, AFTER_PAUSE) : 0;
    if (certain === 0 && possible === 0) continue;
    let start = index + Math.max(certain, possible);
    while (tokens[start]?.kind === "mark") start++;
    let end = index;
    while (isBetween(tokens[end - 1])) end--;
    return end > 0 && start < tokens.length ? { end, start, isCertain: certain > 0 } : undefined;
  }
  return undefined;
}

const isBetween = (token: Token | undefined): boolean =>
  token !== undefined &&
  ((token.kind === "mark" && PAUSE.test(token.text)) ||
    (token.kind === "word" && HESITATION.test(token.text)));

const isName = (request: string, token: Token): boolean =>
  token.kind === "word" && /^\p{Lu}/u.test(request.slice(token.start, token.end));

/** The only token from the second on that fits, if there is exactly one. */
function onlyOne(tokens: readonly Token[], fits: (token: Token) => boolean): number | undefined {
  const places = tokens.flatMap((token, index) => (index > 0 && fits(token) ? [index] : []));
  return places.length === 1 ? places[0] : undefined;
}

/** The last token if it is of this kind and no list ends with it: in "a.md and b.md, I mean c.md", both may be wrong. */
function lastSingle(tokens: readonly Token[], kind: Token["kind"]): number | undefined {
  const isListed = /^(?:and|or|&|,)$/u.test(tokens.at(-2)?.text ?? "");
  return tokens.at(-1)?.kind === kind && !isListed ? tokens.length - 1 : undefined;
}

/** The part of a date that another one replaces: of "tomorrow at 9", "at 10" is the time, and "friday" the day. */
function replacedDate(
  tokens: readonly Token[],
  date: DateSpan,
  repair: DateSpan,
  replacesPreposition: boolean,
): readonly [number, number] | undefined {
  const to = Math.min(date.to, tokens.length);
  const from = replacesPreposition ? date.from : date.from - 1;
  const hasTime = date.value.includes("T");
  const isSameKind =
    hasTime === repair.value.includes("T") && (date.time === undefined) === (repair.time === undefined);
  if (isSameKind) return [from, to];
  const index = tokens.findIndex(({ text }, index) => index >= date.from && index < to && text === "at");
  if (index < 0 || date.time !== undefined)
    return hasTime || repair.time !== undefined ? undefined : [from, to];
  return repair.time === undefined ? [from, index] : [index, to];
}

/** The tokens of `tokens` that `repair` replaces: from the first number to before the second. */
function replacedTokens(
  { request, dates }: InterpretationContext,
  tokens: readonly Token[],
  repair: readonly Token[],
  start: number,
): readonly [number, number] | undefined {
  const [first] = repair;
  const last = repair.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const at = (place: number | undefined): readonly [number, number] | undefined =>
    place === undefined ? undefined : [place, place + 1];
  if (repair.length === 1) {
    if (first.kind === "path" || first.kind === "quoted")
      return at(onlyOne(tokens, ({ kind }) => kind === first.kind) ?? lastSingle(tokens, first.kind));
    if (/^\d+$/u.test(first.text)) return at(onlyOne(tokens, ({ text }) => /^\d+$/u.test(text)));
  }
  // A date may end with the comma before the editing term.
  const day = dates().filter((span) => span.to <= tokens.length + 1);
  const repairing = dates().find(
    (span) => span.from <= start + 1 && span.from >= start && span.to === start + repair.length,
  );
  if (repairing !== undefined) {
    const [one, another] = day;
    return one === undefined || another !== undefined
      ? undefined
      : replacedDate(tokens, one, repairing, repairing.from === start);
  }
  // The repair repeats a word and replaces what followed it: "delete all done tasks, I mean all open tasks".
  const again = tokens.findLastIndex((token, index) => index > 0 && token.text === first.text);
  if (again > 0 && (repair.length > 1 || !FUNCTION_WORDS.has(first.text))) {
    const ending = tokens.findLastIndex((token, index) => index > again && token.text === last.text);
    return [again, ending < 0 ? tokens.length : ending + 1];
  }
  // It ends as what it replaces ends: "delete the done tasks, I mean the open tasks".
  const from = tokens.length - repair.length;
  const isArticle = (token: Token | undefined): boolean => ARTICLES.has(token?.text ?? "");
  if (
    repair.length > 1 &&
    from > 0 &&
    tokens.at(-1)?.text === last.text &&
    isArticle(first) === isArticle(tokens[from])
  )
    return [from, tokens.length];
  if (repair.length === 1 && isName(request, first))
    return at(onlyOne(tokens, (token) => isName(request, token)));
  return undefined;
}

const NO_VERB_WORDS = oneOf(
  "all|every|each|any|both|only|just|the|a|an|my|our|this|that|these|those|for|to|on|at|in|by|with|from",
  "until|about|as",
);
/** Words with which no order begins. */
const NO_VERB = new RegExp(String.raw`^${NO_VERB_WORDS}$`, "u");

/**
 * Interprets a request in which the person corrects earlier words. Undefined for any other request; `undetermined` if
 * it is unclear which words are corrected.
 */
export function readRepaired(context: InterpretationContext): Interpretation | "undetermined" | undefined {
  const { request, tokens, read } = context;
  if (tokens.length > MAX_TOKENS) return undefined;
  const found = lastRepair(tokens);
  if (found === undefined) return undefined;
  const { end, start, isCertain } = found;
  const before = read(textBetween(request, tokens, 0, end));
  if (before.kind !== "plan" && before.kind !== "ambiguous") return undefined;
  let to = tokens.length;
  for (let index = start + 1; index < to; index++)
    if (trailingFiller(tokens, index, to) !== undefined) to = index;
  const words = withoutTrailing(textBetween(request, tokens, start, to), /[\s.,;!]/u);
  const original = tokens.slice(0, end);
  // "…, no wait, keep it" withdraws the order without another one.
  if (read(words).kind === "refrain") return undefined;
  const place = replacedTokens(context, original, tokens.slice(start, to), start);
  if (place !== undefined) {
    const head = textBetween(request, tokens, 0, place[0]);
    const rest = textBetween(request, tokens, place[1], end);
    const repaired = read([head, words, rest].filter((part) => part !== "").join(" "));
    if (repaired.kind === "plan" && skillsOf(repaired) === skillsOf(before)) return repaired;
  }
  const first = tokens[start];
  const isOne = before.kind === "plan" && new Set(before.calls.map(({ clause }) => clause)).size === 1;
  if (first?.kind === "word" && !NO_VERB.test(first.text) && isOne) {
    const alone = read(withPathFor(words, textBetween(request, tokens, 0, end)));
    // A possible object of "show" is a noun, not an order.
    const isThing = alone.kind === "plan" && alone.readOnly && read(`show ${words}`).kind === "plan";
    if (alone.kind === "plan" && !isThing) return alone;
  }
  return isCertain ? "undetermined" : undefined;
}

const skillsOf = (plan: Interpretation): string =>
  plan.kind === "plan" ? plan.calls.map(({ skill }) => skill).join() : "";

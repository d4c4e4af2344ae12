import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { checkItems, withoutListMark } from "@metahuman/core/text/list-marks";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { type Continued, withoutFiller } from "./short-orders.ts";
import type { SubjectOf } from "./subjects.ts";
import { doneWith, edit, wordPattern } from "./text-orders.ts";

// Corrections, orders and questions about the lines of the text or list that the conversation is about, read by what its lines say.

type Text = SubjectOf<"text">;

const MAX_LENGTH = 200;
/** What limits an order, asks, or belongs to something else than a line. */
const GUARDED =
  /\b(?:do\s+not|don['’]?t|if|unless|until|when|once|before|after|never|remind|reminder|tasks?|schedule|folder|should\s+i|shall\s+i)\b|\?\s*$|\.(?:md|txt|csv)\b/iu;

/** "The pastor comes Saturday, not Friday", "it was laramie not cheyenne": the new words, then the wrong ones. */
const NEW_NOT_OLD =
  /^(?<now>[^?]{2,100}?)[,;]?\s+(?:and\s+|but\s+)?not\s+(?:the\s+|a\s+|on\s+|at\s+)?(?<old>[^,;.?!]{1,40})$/iu;
/** "She does not like vanilla, it should be chocolate": the wrong words, then the new ones. */
const OLD_THEN_NEW =
  /^(?<old>[^?]{2,100}?)\s*[,;.]\s*(?:but\s+|so\s+)?(?:it|that|this|he|she|they)(?:['’]s|\s+(?:is|should|must|ought\s+to|has\s+to)(?:\s+be)?|\s+will\s+(?:be|play|bring|have))\s+(?:the\s+|an?\s+)?(?<now>[^,;.?!]{1,60})$/iu;
const DENIES = /\b(?:not|never|no|instead\s+of)\b|n['’]?t\b/iu;

/**
 * The correction of words in a line: "bed 4, not bed 2", "he is not playing the Minuet, it should be the Musette". Undefined unless
 * the wrong words are in a line of the text.
 */
export function correctionOfLine(request: string, text: Text, state: PlanState): Continued | undefined {
  if (request.length > MAX_LENGTH || request.includes("\n")) return undefined;
  const asked = withoutFiller(request).text.replace(/^(?:scratch|strike|forget)\s+that[,;:]?\s+/iu, "");
  const denied = NEW_NOT_OLD.exec(asked)?.groups;
  if (denied?.["now"] !== undefined && denied["old"] !== undefined) {
    const old = denied["old"].trim();
    const words = denied["now"].trim().split(/\s+/u);
    // "45 mm, not 40" corrects the number.
    const number = /^[€$£]?\d[\d.,]*$/u.test(old)
      ? words.findLast((word) => /^[€$£]?\d/u.test(word))
      : undefined;
    const now = number ?? words.slice(-old.split(/\s+/u).length).join(" ");
    return changed(text, { old, now, sentence: denied["now"] }, state);
  }
  const { old, now } = OLD_THEN_NEW.exec(asked)?.groups ?? {};
  if (old === undefined || now === undefined || !DENIES.test(old)) return undefined;
  const words = old.trim().split(/\s+/u);
  // The longest end of the clause that a line has: "like vanilla" is on no line, "vanilla" is.
  const wrong = words
    .map((_, index) => words.slice(index).join(" "))
    .find((end) => text.lines.some((line) => wordPattern(end).test(line)));
  return wrong === undefined
    ? undefined
    : changed(text, { old: wrong, now: now.trim(), sentence: old }, state);
}

/** Replaces words in the one line that has them; of several, in the one that the rest of the sentence names, or in the newest. */
function changed(
  { path, lines, age, isChanged }: Text,
  { old, now, sentence }: { old: string; now: string; sentence: string },
  state: PlanState,
): Continued | undefined {
  const pattern = wordPattern(old);
  const having = lines.filter((line) => pattern.test(line));
  const named = having.filter((line) => mentions(sentence.replace(old, " "), line) > 0);
  const [newest] = lines;
  const isNewest = age === 0 && isChanged && newest !== undefined && having.includes(newest);
  const line =
    having.length === 1 ? having[0] : named.length === 1 ? named[0] : isNewest ? newest : undefined;
  const find = line === undefined ? undefined : pattern.exec(line)?.[0];
  if (line === undefined || find === undefined || now === "" || now.toLowerCase() === old.toLowerCase())
    return undefined;
  return edit(path, { action: "replace", line, find, text: now }, state);
}

/** What is wanted of a line. */
type Aim = "remove" | "check" | "uncheck";

/** Orders by the words they begin with. */
const AIMS: readonly (readonly [Aim, RegExp])[] = [
  ["uncheck", /^(?:uncheck|untick|unmark|clear)\b/iu],
  ["check", /^(?:check|tick|mark)\b/iu],
  [
    "remove",
    /^(?:remove|delete|drop|take|cross|strike|scratch|erase|cancel|kick|get\s+rid)\b(?!\s+(?:a|some)\s)/iu,
  ],
];
const REASON = /^(?:(?:we|i|he|she|they|it|there|because)(?:['’]\p{L}+)?)\s/iu;
/** The rest of an order that names no line: "off the list", "them off", "her out, please". */
const ONLY_REFERS =
  /^(?:[\s,]*\b(?:it|that|this|them|['’]?em|those|these|him|her|both|off|out|away|from|on|of|as|is|are|the|my|our|list|programme|program|menu|sheet|file|note|done|one|please|again|too|also|for|me|now)\b)*[\s,]*$/iu;
const CLAUSES =
  /\s*[,;.!]+\s+|\s+(?=(?:we|i|he|she|they|there|because)(?:['’]\p{L}+)?\s)|\s+(?:and\s+then|so|and|but)\s+|\s+(?=(?:check|tick|cross|take|uncheck|untick|remove)\s+(?:it|that|this|them|['’]?em|him|her)\b)/iu;

/**
 * An order for lines that a statement beside it names: "Carol has a cold, take her out", "lights and mirrors are good, check them
 * off". Undefined if the statement names no line, and for what limits, asks or adds.
 */
function orderOfLines(request: string, text: Text, state: PlanState): Continued | undefined {
  if (request.length > MAX_LENGTH || request.includes("\n") || GUARDED.test(request)) return undefined;
  const clauses = request
    .trim()
    .replace(/[\s.!]+$/u, "")
    .split(CLAUSES)
    .map((clause) => withoutFiller(clause).text)
    .filter((clause) => clause !== "");
  const orders = clauses.flatMap((clause) => {
    const aim = AIMS.find(([, words]) => words.test(clause));
    const rest = aim === undefined ? "" : clause.replace(aim[1], "");
    const refers = aim !== undefined && ONLY_REFERS.test(rest);
    // "Scratch the fuses, we have loads": what is said beside the order is a reason, and no further order.
    const names =
      aim !== undefined &&
      !refers &&
      areNamed(rest, text.lines) &&
      linesNamed(rest, text.lines).length === 1 &&
      clauses.every((other) => other === clause || REASON.test(other));
    return aim !== undefined && (refers || names) ? [{ aim: aim[0], clause, names }] : [];
  });
  const [order, ...others] = orders;
  if (order === undefined || others.length > 0 || clauses.length < 2) return undefined;
  const stated = order.names ? order.clause : clauses.filter((clause) => clause !== order.clause).join(", ");
  const named = linesNamed(stated, text.lines);
  if (named.length === 0 || named.length > MAX_NAMED) return undefined;
  const boxes = checkItems(text.lines);
  const aim =
    order.aim === "remove" && /^(?:cross|tick)/iu.test(order.clause) && boxes.length > 0
      ? "check"
      : order.aim;
  const calls = named.flatMap((line) => {
    const item = checkItems([line])[0]?.text ?? withoutListMark(line);
    const continued = edit(text.path, { action: aim, item }, state);
    return continued !== undefined && "calls" in continued ? continued.calls : [];
  });
  return calls.length === 0 ? undefined : { calls };
}

const MAX_NAMED = 5;

const BOUGHT = String.raw`(?:got|bought|found|fetched|packed|ordered|picked\s+up|sorted|have)`;
const PERSON = String.raw`(?:i|we)(?:['’]ve|\s+have)?\s+(?:already\s+|just\s+)*`;
/** "The oil filter arrived", "I got the nappies already", "the nappies I got": what is no longer to be had. */
const HAD: readonly RegExp[] = [
  /^(?<what>.+?)(?:['’]s|\s+(?:has|have|is|are))?(?:\s+(?:just|already|finally|now))*\s+(?:arrived|came|come|here|packed|bought|delivered|fetched|sorted|turned\s+up|in\s+the\s+(?:bag|car|trolley|basket|fridge|van|case))(?:\s+(?:already|now|today))*$/iu,
  new RegExp(
    String.raw`^(?:${PERSON})?${BOUGHT}\s+(?<what>.+?)(?:\s+(?:already|now|today|at\s+home))*$`,
    "iu",
  ),
  new RegExp(String.raw`^(?<what>.+?)\s+${PERSON}${BOUGHT}(?:\s+(?:already|now|today))*$`, "iu"),
];

/** Ticks or takes off the items of a list that a statement says are there: "the oil filter arrived". Undefined for any other message. */
function itemsHad(request: string, text: Text, state: PlanState): Continued | undefined {
  if (request.length > MAX_LENGTH || !text.isList || GUARDED.test(request)) return undefined;
  const asked = withoutFiller(request).text;
  const what = HAD.map((pattern) => pattern.exec(asked)?.groups?.["what"]).find(
    (words) => words !== undefined,
  );
  if (what === undefined || !areNamed(what, text.lines)) return undefined;
  const named = linesNamed(what, text.lines);
  if (named.length === 0 || named.length > MAX_NAMED) return undefined;
  const calls = named.flatMap((line) => {
    const continued = doneWith(line, text.path, state);
    return continued !== undefined && "calls" in continued ? continued.calls : [];
  });
  return calls.length === 0 ? undefined : { calls };
}

/** True if every word for a thing is in one of the lines. */
function areNamed(words: string, lines: readonly string[]): boolean {
  const known = new Set(lines.flatMap(contentStems));
  const asked = contentWordsOf(words);
  return (
    asked.length > 0 &&
    asked.every((word) => known.has(stem(word)) || [...known].some((one) => isTypo(word, one)))
  );
}

/** "And the goblet", after another line was ticked or taken off: the same for a line that there is. Undefined for any other message. */
function sameForLine(
  request: string,
  text: Text,
  last: Readonly<Record<string, unknown>> | undefined,
  state: PlanState,
): Continued | undefined {
  const { text: asked, isJoined } = withoutFiller(request);
  const action = last?.["path"] === text.path ? last["action"] : undefined;
  if (!isJoined || request.length > MAX_LENGTH || GUARDED.test(request) || !areNamed(asked, text.lines))
    return undefined;
  if (action !== "check" && action !== "uncheck" && action !== "remove") return undefined;
  const [line, ...others] = linesNamed(asked, text.lines);
  if (line === undefined || others.length > 0) return undefined;
  return edit(text.path, { action, item: checkItems([line])[0]?.text ?? withoutListMark(line) }, state);
}

/** "Put Carol back in": a line that was on the list before. */
const PUTS_BACK =
  /^(?:put|add|bring|get|take)\s+(?<what>[^,;.?!]{2,60}?)\s+back(?:\s+(?:in|on|again|on\s+(?:it|there)|(?:in|on|to|into|onto)\s+the\s+\p{L}+))?$/iu;

/** Adds a line that the conversation knows from before: "she is coming after all, put Carol back in". Undefined for any other order. */
function lineBack(request: string, { path, lines }: Text, state: PlanState): Continued | undefined {
  if (request.length > MAX_LENGTH || !state.skills.some(({ id }) => id === "fs_append")) return undefined;
  const clause =
    request
      .trim()
      .split(/[.!;]\s+|,\s+(?=put|add|bring)/iu)
      .at(-1) ?? "";
  const what = PUTS_BACK.exec(withoutFiller(clause).text)?.groups?.["what"];
  const [line, ...others] = what === undefined ? [] : lines.filter((one) => mentions(what, one) > 0);
  if (line === undefined || others.length > 0) return undefined;
  const args = { path, text: withoutListMark(line), asItem: true };
  return { calls: [callOf("fs_append", fromRequest(args), state.request)] };
}

/** The lines whose words a sentence has, without those that only share a word with a line that fits better. */
export function linesNamed(sentence: string, lines: readonly string[]): string[] {
  // The conversation knows an item with and without its tick.
  const items = new Map(lines.toReversed().map((line) => [withoutListMark(line).toLowerCase(), line]));
  const scored = [...items.values()]
    .map((line) => ({ line, score: mentions(sentence, line) }))
    .filter(({ score }) => score > 0);
  const wholly = scored.filter(({ line, score }) => score === contentStems(line).length);
  if (wholly.length > 0) return wholly.map(({ line }) => line);
  return scored.length === 1 ? scored.map(({ line }) => line) : [];
}

/** How many content words of a line a sentence has, typing errors included. */
function mentions(sentence: string, line: string): number {
  const words = contentWordsOf(sentence);
  return contentStems(line).filter((one) => words.some((word) => stem(word) === one || isTypo(word, one)))
    .length;
}

const contentWordsOf = (text: string): string[] =>
  plainWords(text.replaceAll(/['’]s\b/gu, "")).filter((word) => !FUNCTION_WORDS.has(word));
const contentStems = (line: string): string[] => [
  ...new Set(contentWordsOf(withoutListMark(line)).map(stem)),
];

/** An order or a statement about the lines of the text at hand, or the last order once more. */
export async function ofTextAtHand(state: PlanState, text: Text): Promise<Continued | undefined> {
  const { request } = state;
  if (PUTS_OLD_BACK.test(request)) return { request: "undo that" };
  const [last] = (await state.earlier?.()) ?? [];
  return (
    lineBack(request, text, state) ??
    orderOfLines(request, text, state) ??
    itemsHad(request, text, state) ??
    sameForLine(request, text, last?.calls.at(-1)?.args, state)
  );
}

/** "Put the old name back" */
const PUTS_OLD_BACK =
  /^\W*(?:(?:no|ah|oh|ok|okay|sorry|wait|please|actually)[\s,]+)*(?:put|bring|get|give|use|restore|go\s+back\s+to|change\s+(?:it\s+)?back\s+to|keep)\s+(?:me\s+)?(?:the|its|his|her|my)\s+(?:old|earlier|previous|former|original|first)\s+(?:\p{L}+\s*){1,2}(?:\s*back)?(?:\s+please)?[\s.!]*$/iu;

/** "What's left", "how many are still open", "what is missing". */
const LEFT =
  /^(?:(?:and|so|ok|okay)\s+)?(?:what(?:['’]?s|\s+is|\s+are|\s+do\s+(?:i|we)(?:\s+still)?\s+need)?|how\s+many(?:\s+are)?)(?:\s+(?:still|now|items|things|is|are))*\s*(?<state>left|open|missing|lacks?|lacking|remains?|remaining|outstanding|to\s+(?:do|get|buy)|undone|unticked|unchecked|needed)?(?:\s+(?:on|in)\s+(?:it|the\s+list))?(?:\s+(?:now|then|still))?$/iu;
/** True for "what's left?" and "how many are still open?", which also ask for tasks. */
export const asksWhatIsLeft = (request: string): boolean =>
  request.length <= MAX_LENGTH && LEFT.exec(withoutFiller(request).text)?.groups?.["state"] !== undefined;
const ASKS = /^(?:(?:and|so)\s+)?(?:who|what|which|when|where|how\s+much)(?:['’]?s)?\b(?<rest>.*)$/iu;

/**
 * A question about the lines of the newest text: what is left on a checklist, or the line that a word of the question names: "who
 * comes on Tuesday?". Undefined if no line or several may answer it.
 */
export function questionOfLines(request: string, text: Text, state: PlanState): Continued | undefined {
  const asked = withoutFiller(request).text;
  if (request.length > MAX_LENGTH || text.age > 1) return undefined;
  if (asksWhatIsLeft(request) && text.isList) {
    const isCount = /^(?:\S+\s+)?how\s+many/iu.test(asked);
    const hasBoxes = checkItems(text.lines).length > 0;
    const order = hasBoxes
      ? `${isCount ? "how many" : "which"} items are open in ${text.path}`
      : isCount
        ? `how many items are in ${text.path}`
        : `show ${text.path}`;
    return { request: order };
  }
  const { rest } = ASKS.exec(asked)?.groups ?? {};
  const words = rest === undefined ? [] : contentWordsOf(rest);
  if (words.length === 0 || words.length > MAX_QUESTION_WORDS) return undefined;
  const scored = text.lines
    .map((line) => ({ line, score: mentions(words.join(" "), line) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const [best, second] = scored;
  if (best === undefined || best.score === second?.score) return undefined;
  const word = words.find((one) => contentStems(best.line).includes(stem(one)));
  const only = word !== undefined && text.lines.filter((line) => mentions(word, line) > 0).length === 1;
  if (!only) return undefined;
  const question = `what does ${text.path} say about ${word}`;
  return interpretAlone({ ...state, request: question }).kind === "plan" ? { request: question } : undefined;
}

const MAX_QUESTION_WORDS = 4;

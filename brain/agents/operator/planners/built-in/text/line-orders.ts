import { oneOf } from "@metahuman/core/text/patterns";
import { lastOrderWasNotCarriedOut } from "@metahuman/core/language/references/antecedent";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { checkItems, withoutListMark } from "@metahuman/core/text/list-marks";
import { contentStems } from "@metahuman/core/language/tokens/words";
import type { PlanState } from "../../../planner.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import { callsFrom, hasSkill, type Resolution } from "../conversation/resolution.ts";
import { pathStems, type SubjectOf } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { readLineCorrection } from "./line-corrections.ts";
import {
  areWordsOfLines,
  countSharedWords,
  isAbout,
  splitLinesIntoItems,
  findNamedLines,
  MAX_ITEM_WORDS,
} from "./matching-lines.ts";
import {
  finishItem,
  editText,
  splitItems,
  NO_OBJECT,
  readPlacedLine,
  TO_TEXT,
  stripTextPlace,
} from "./text-edits.ts";
import { type LineAction, ORDER_FORMS, STATEMENT_FORMS } from "./line-order-forms.ts";
import { ASKS, SHALL_I, UNTIL } from "../word-lists.ts";

// Reads a message about the current text: the list, note or letter that the conversation was about last. "Remove the eggs and the
// milk" becomes two edits that remove these lines; "it's soap, not milk" becomes an edit that replaces words of one line. It tries, in
// this order: a correction of words (line-corrections.ts), a line at a certain place (text-edits.ts), "put the old one back", the last
// edit for another line, and the clauses of the message one by one. A clause orders something of the lines that it or a clause next to
// it names, adds lines, or only gives a reason. If a clause does none of this, nothing is changed.

type TextSubject = SubjectOf<"text">;

const MAX_NAMED = 8;
const MAX_ADDED = 20;
/** “I don't need the rope” takes it off, “don't take it off” forbids it. */
const FORBIDS = String.raw`(?<!\b(?:i|we|they|he|she)\s)(?:do\s+not|don['’]?t(?!\s+(?:need|want|forget)))`;
const OF_OTHERS = "remind|reminders?|tasks?|schedule|folder|row|column|table";
/** Prohibitions, conditions, questions, and words of orders for tasks, tables or files. An item may be for before or after something. */
const GUARDED = new RegExp(
  String.raw`\b(?:${FORBIDS}|if(?!\s+(?:you|u)\b)|${UNTIL}|till|never|${SHALL_I}|${OF_OTHERS})\b|\.(?:md|txt|csv)\b`,
  "iu",
);
const IS_ASKED = /^(?:can|could|would|will)\s+(?:you|u)\b/iu;

interface ClauseOrder {
  action: LineAction;
  /** The words for the lines; empty for a pronoun. */
  object: string;
  /** True for a statement that implies the order: "I got the milk". */
  isStated: boolean;
}

/** Words behind which an order goes on: "you can put the rope back". */
const BEFORE_ORDER = "(?:you|u|to|and|so|then|now|but|also|just|please|pls|must|should|can|will|i|we)";
const PLACED_THING = String.raw`(?:the\s+|my\s+)?[\p{L}'’-]+(?:\s[\p{L}'’-]+)?\s+(?:back|off|out|away)\b`;
const SEPARATOR = new RegExp(
  [
    // "Take it off my mum has one"
    String.raw`(?<=\s(?:off|out|away|back))\s+(?=(?:(?:my|the|our)\s+)?[\p{L}'’]+\s+(?:is|are|was|were|has|have|had|got|can['’]?t|doesn['’]?t|hates?|likes?|brought|brings?)\b)`,
    oneOf(
      String.raw`\s*[,;.!]+\s+|\s+[-–—]\s+|\s+(?:so|but|cos|cause|because)\s+`,
      String.raw`\s+(?=(?:check|tick|cross|take|put|uncheck|untick|remove|delete)\s+(?:it|that|this|them|['’]?em|those|him|her)\b)`,
      String.raw`\s+(?=(?:add|remove|delete)\s)`,
      String.raw`(?<!\b${BEFORE_ORDER})\s+(?=(?:put|take|bring)\s+${PLACED_THING})`,
      String.raw`,?\s+(?:and|n|&)\s+(?:then\s+)?`,
    ),
  ].join("|"),
  "giu",
);
const ONLY_REFERS_WORDS = oneOf(
  "it|that|this|them|['’]?em|those|these|him|his|her|their|its|they|he|she|both|name|names|off|out|away",
  "from|on|of|as|is|are|the|my|our|one|ones|again|too|also|now|in|down|there|not",
);
/** Only pronouns and function words: "it off". */
const ONLY_REFERS = new RegExp(String.raw`^(?:[\s,]*\b${ONLY_REFERS_WORDS}\b)*[\s,]*$`, "iu");

/** The part of a message between separators, and the words before it. */
interface Clause {
  text: string;
  order?: ClauseOrder;
  /** True after "and" or a comma: the clause may continue the order before it. */
  isJoined: boolean;
  /** A sentence of its own, and neither a part of the order before nor of the one after it. */
  isSentence: boolean;
}

/**
 * The calls of an order for the lines of a text: "remove the pump and the rags", "Carol has a cold, take her out", "the oil filter
 * arrived", "also 2 bottles of oil and a box of nipples". Undefined if a clause is neither an order nor a reason, and for
 * conditions and questions.
 */
function readLineOrder(
  request: string,
  text: TextSubject,
  state: PlanState,
  isNotMade: boolean,
): readonly PlannedCall[] | undefined {
  if (request.length > MAX_ORDER || request.includes("\n") || GUARDED.test(request)) return undefined;
  const isAsked = IS_ASKED.test(stripFiller(request).text) || IS_ASKED.test(request.trim());
  if (/\?\s*$/u.test(request) && !isAsked) return undefined;
  const clauses = splitClauses(request, text);
  // "Not Monday, he can't make it" is a correction; it removes no line.
  if (clauses.some(({ text: part }) => /^not\b/iu.test(part))) return undefined;
  const orderClauses = clauses.filter(({ order }) => order !== undefined && !order.isStated);
  const statedClauses = clauses.filter(({ order }) => order?.isStated === true);
  // A statement next to an order only gives the reason.
  const orders = orderClauses.length > 0 ? orderClauses : statedClauses;
  if (orders.length === 0) return undefined;
  const calls: PlannedCall[] = [];
  for (const clause of orders) {
    const clauseCalls = readClauseCalls(clause, { clauses, orders, text, state, isNotMade });
    if (clauseCalls === undefined) return undefined;
    calls.push(...clauseCalls);
  }
  return calls.length === 0 || calls.length > MAX_NAMED + MAX_ADDED ? undefined : calls;
}

/** "And butter", "oh, also the tape", "the bunting too". */
const JOINED =
  /^\W*(?:(?:o+h+|a+h+|ok|okay|right|yes|yeah|sorry|well|please|now|so|then|but)[,\s]+)*(?:and|also|plus|n)\b|\b(?:too|as\s+well|also)[\s.!]*$/iu;

function splitClauses(request: string, text: TextSubject): Clause[] {
  const whole = stripFiller(request);
  const parts = whole.text.split(SEPARATOR).map((part) => stripFiller(stripTextPlace(part, text.path)));
  const separators = [...whole.text.matchAll(SEPARATOR)].map(([mark]) => mark);
  return parts.flatMap(({ text: part, isJoined }, index): Clause[] => {
    if (part === "") return [];
    const isFirst = index === 0;
    const order = readClauseOrder(part, isJoined || (isFirst && JOINED.test(request)));
    const isContinued = /,|and|\bn\b|&/iu.test(separators[index - 1] ?? "");
    const isSentence = [separators[index - 1], separators[index]].every(
      (mark) => mark === undefined || /[.!]/u.test(mark),
    );
    return [{ text: part, ...(order && { order }), isJoined: !isFirst && isContinued, isSentence }];
  });
}

function readClauseOrder(clause: string, isJoined: boolean): ClauseOrder | undefined {
  for (const [place, [action, form]] of [...ORDER_FORMS, ...STATEMENT_FORMS].entries()) {
    const match = form.exec(clause);
    if (match === null) continue;
    const object = (match.groups?.["object"] ?? "").trim();
    // "We have no rags", "we need to talk", "I forgot my umbrella at work".
    if (NO_OBJECT.test(object) || (FORGOT.test(clause) && /\s(?:at|in|on)\s/iu.test(object)))
      return undefined;
    const isStated = place >= ORDER_FORMS.length;
    return { action, isStated, object: ONLY_REFERS.test(object) ? "" : object };
  }
  // "And butter", "the bunting too".
  return isJoined && !IS_NO_ITEM.test(clause) && !REASON.test(clause)
    ? { action: "add", isStated: false, object: clause }
    : undefined;
}

const FORGOT = /\bforgot\b/iu;
/** A question, an order to show something, or a denial. */
const IS_NO_ITEM = new RegExp(
  String.raw`^(?:${ASKS}|is|are|was|were|do|does|did|tell|show|list|read|not|no)(?:['’]?s)?\b`,
  "iu",
);
/** A clause with a subject and a verb. */
const REASON = new RegExp(
  [
    String.raw`^(?:(?:nearly|almost)\s+forgot|(?:god|heaven)\s+forbid\b|(?:i|we|he|she|they|it|there|that|this)(?:['’]?(?:s|m|re|ve|ll|d))?\s|`,
    String.raw`(?:(?:the|my|our|his|her|their)\s+)?(?:[\p{L}'’]+\s+){1,3}?(?:is|are|was|were|has|have|had|got|does|did|can|will|`,
    String.raw`said|says|rang|called|came|brings?|brought|needs?|wants?|likes?|loves?|knows?|thinks?|says|hates?|hopes?|took|takes|moved|left)\b|`,
    String.raw`[\p{L}'’]+['’]s\s)`,
  ].join(""),
  "iu",
);

interface ClauseContext {
  clauses: readonly Clause[];
  orders: readonly Clause[];
  text: TextSubject;
  state: PlanState;
  /** The last request should have made something, and could not. */
  isNotMade: boolean;
}

/** The calls of one clause; undefined if what it is about is not known. */
function readClauseCalls(clause: Clause, context: ClauseContext): readonly PlannedCall[] | undefined {
  const { order } = clause;
  const { text, state } = context;
  if (order === undefined) return undefined;
  if (order.action === "sort") return callsFrom(editText(text.path, { action: "sort" }, state));
  if (order.action === "add") return readAdditions(clause, order, context);
  const named = findMeantLines(clause, order, context) ?? readUnshownLine(clause, order, context);
  if (named === undefined || named.length === 0 || named.length > MAX_NAMED) return undefined;
  // "Tom is not coming" says nothing about "cake for Tom".
  if (order.isStated && !named.every((line) => isAbout(order.object, line))) return undefined;
  const calls = named.flatMap((line) => callsFrom(editItem(order, line, context)) ?? []);
  return calls.length === named.length ? calls : undefined;
}

function editItem(
  { action, isStated }: ClauseOrder,
  line: string,
  { text: { path, isList }, state }: ClauseContext,
): Resolution | undefined {
  const [box] = checkItems([line]);
  const item = box?.text ?? withoutListMark(line);
  if (action === "uncheck") return editText(path, { action: "uncheck", item }, state);
  if (action === "remove" && (isList || !isStated)) return editText(path, { action: "remove", item }, state);
  return isList || box !== undefined ? finishItem(line, path, state) : undefined;
}

/** Finds the lines that an order is for: named by its words and the clauses that continue it, or by the clauses next to it. */
function findMeantLines(
  clause: Clause,
  { object }: ClauseOrder,
  context: ClauseContext,
): readonly string[] | undefined {
  const { clauses, orders, text } = context;
  const at = clauses.indexOf(clause);
  if (object === "") {
    // A pronoun refers to the clauses before it, else to those after it.
    const named = (others: readonly Clause[]): readonly string[] => [
      ...new Set(
        others
          .filter((other) => !orders.includes(other))
          .flatMap((other) => findNamedLines(other.order?.object ?? other.text, text.lines)),
      ),
    ];
    const linesBefore = named(clauses.slice(0, at));
    return linesBefore.length > 0 ? linesBefore : named(clauses.slice(at));
  }
  const ownLines = findExplainedLines(object, text.lines);
  if (ownLines === undefined) return undefined;
  const joinedLines = findJoinedClauses(clauses, at).flatMap((next) => {
    const named = areWordsOfLines(next.text, text.lines) ? findNamedLines(next.text, text.lines) : [];
    return named.length > 0 ? [named] : [];
  });
  const rest = clauses.filter(
    (other) => other !== clause && !orders.includes(other) && !areWordsOfLines(other.text, text.lines),
  );
  if (!rest.every((other) => isReason(other))) return undefined;
  return [...new Set([...ownLines, ...joinedLines.flat()])];
}

/** "Take the eggs off": an item to remove may be in the current list, although the conversation has not shown all of it. */
function readUnshownLine(
  clause: Clause,
  { action, isStated, object }: ClauseOrder,
  { clauses, text }: ClauseContext,
): readonly string[] | undefined {
  const isAlone = clauses.every((other) => other === clause || isReason(other));
  if (action !== "remove" || isStated || !isAlone || !text.isList || text.age > 0) return undefined;
  const item = object.replace(
    /^(?:the|that)\s+(?:(?:line|item|entry|row)\s+(?:(?:that\s+says|saying|with)\s+)?)?/iu,
    "",
  );
  // "Delete the backup" means the current text, if it is called so.
  const nameOfText = new Set(pathStems(text.path));
  const isText = contentStems(item).every((word) => nameOfText.has(word));
  const isItem = !isText && item.split(/\s+/u).length <= MAX_ITEM_WORDS && !REFERS.test(item);
  return isItem && !ELSEWHERE.test(item) ? [item] : undefined;
}

const REFERS_WORDS = oneOf(
  "it|that|this|them|those|these|him|her|my|everything|all|both|to|into|in|on|as|from|list|note|letter",
  "file|folder|task|reminder",
);
/** Words that refer to something else than a line. */
const REFERS = new RegExp(String.raw`\b${REFERS_WORDS}\b`, "iu");

/** The clauses after an order that continue it: joined, and no orders. */
function findJoinedClauses(clauses: readonly Clause[], at: number): readonly Clause[] {
  const rest = clauses.slice(at + 1);
  const end = rest.findIndex(({ order, isJoined }) => order !== undefined || !isJoined);
  return end < 0 ? rest : rest.slice(0, end);
}

const isReason = ({ text, order, isSentence }: Clause): boolean =>
  order === undefined ? isSentence || REASON.test(text) || RETURNS.test(text) : order.isStated;

/** "Back to the list" */
const RETURNS = /^back(?:\s+to\s+(?:it|(?:the|my|our)\s+(?:\p{L}+\s+){0,2}\p{L}+))?$/iu;

/** Finds the lines that words name, if each word is in a line or belongs to a reason after the name of the line. */
function findExplainedLines(object: string, lines: readonly string[]): readonly string[] | undefined {
  const named = findNamedLines(object, lines);
  if (named.length === 0) return undefined;
  if (areWordsOfLines(object, lines)) return named;
  const [only, ...others] = named;
  if (only === undefined || others.length > 0) return undefined;
  // "The rootbeer brodie is bringing some": what follows the item is a clause of its own.
  const words = object.split(/\s+/u);
  const last = words.findLastIndex((word) => countSharedWords(word, only) > 0);
  const itemWords = words.slice(0, last + 1).join(" ");
  return areWordsOfLines(itemWords, lines) && REASON.test(words.slice(last + 1).join(" "))
    ? named
    : undefined;
}

/** Other places and things, to which no item of a list belongs; "write me an intro" asks for a new text. */
const ELSEWHERE = new RegExp(
  [
    String.raw`["“]|\b(?:at|on|to)\s+(?:the\s+)?(?:top|beginning|start)\b|\bfirst$|\bin\s+(?:\p{L}+\s+)*order$`,
    String.raw`^(?:me|us)\s|\b(?:note|file|copy|reminder)\b|\?|:(?!\d)`,
  ].join("|"),
  "iu",
);
/** "And on the list please also cotton pads" */
const LIST_BEFORE =
  /^(?:on|to|in)\s+(?:the|my|our|this|that)\s+list[,:]?\s+(?:(?:please|also|there|goes?)\s+)*(?=\S)/iu;
/** Clauses that add nothing by themselves. */
const NO_ITEM =
  /^(?:(?:that|then|it|and|all|nothing|everything|both|these|those|(?:the\s+)?(?:other|first|second|third|last|next|previous|same|rest)(?:\s+(?:ones?|two|file|list|note|letter))?)$|back\s+to\b)/iu;

/** "Put the saddle and the bell on": the last word belongs to the order. */
const PUT_ON = /^\W*(?:\p{L}+\s+){0,3}(?:put|stick|pop|chuck|throw)\b/iu;

/** New lines of a list, from the words of an order and of the clauses that go on with it. */
function readAdditions(
  clause: Clause,
  { object }: ClauseOrder,
  context: ClauseContext,
): readonly PlannedCall[] | undefined {
  const { clauses, orders, text, state } = context;
  // After a request that failed, "it" refers to nothing older.
  const isFor = TO_TEXT.test(state.request) || (text.isList && text.age === 0);
  if (!isFor || context.isNotMade || !hasSkill(state, "fs_append")) return undefined;
  const at = clauses.indexOf(clause);
  // "And sweet peas, the wife likes those": a reason adds nothing.
  const joinedClauses = findJoinedClauses(clauses, at).filter((next) => !isReason(next));
  const others = clauses.filter(
    (other) => other !== clause && !orders.includes(other) && !joinedClauses.includes(other),
  );
  // "We got a new one, Ofa, put her on": the name precedes the order. "Luis put that down" addresses Luis.
  const antecedents =
    object === "" && /[,;.!:]/u.test(state.request)
      ? others.filter((other) => other.order === undefined && !isReason(other))
      : [];
  // "I forgot the torch, please add" says the same twice.
  if (object === "" && antecedents.length + joinedClauses.length === 0)
    return orders.some((other) => other !== clause && other.order?.action === "add") ? [] : undefined;
  if (!others.every((other) => antecedents.includes(other) || isReason(other))) return undefined;
  const texts = [
    ...antecedents.slice(-1).map((other) => other.text),
    ...(object === "" ? [] : [object]),
    ...joinedClauses.map((other) =>
      other.text.replace(
        /^(.+\S)\s+on(?:\s+(?:too|as\s+well|also))?[\s.!]*$/iu,
        PUT_ON.test(clause.text) ? "$1" : "$&",
      ),
    ),
  ];
  if (
    texts.some((itemText) => ELSEWHERE.test(itemText) || REASON.test(itemText) || IS_NO_ITEM.test(itemText))
  )
    return undefined;
  const returning = /\bback\b/iu.test(state.request) ? findNamedLines(object, text.lines) : [];
  // "Room 30 locked out again": the last word belongs to what happened.
  const suffix = /\sagain[\s.!]*$/iu.test(state.request) && object.split(/\s+/u).length > 2 ? " again" : "";
  const items = (returning.length > 0 ? returning.map(withoutListMark) : texts.flatMap(splitItems))
    .map((item, index, all) => (index === all.length - 1 ? `${item}${suffix}` : item))
    .map((item) =>
      item
        .replace(LIST_BEFORE, "")
        .replace(/^(?:the|some)\s+/iu, "")
        .replaceAll(/^["“'‘]|["”'’]$/gu, ""),
    )
    .filter((item) => item !== "" && !NO_ITEM.test(item));
  if (items.length === 0 || items.length > MAX_ADDED) return undefined;
  const args = { path: text.path, text: items.join("\n"), asItem: true };
  return [callOf("fs_append", fromRequest(args), state.request)];
}

/** "And the goblet", after another line was ticked or removed: the same edit for the line that is named. */
function readRepeatedEdit(
  request: string,
  text: TextSubject,
  last: Readonly<Record<string, unknown>> | undefined,
  state: PlanState,
): Resolution | undefined {
  const { text: itemWords, isJoined } = stripFiller(request);
  const action = last?.["path"] === text.path ? last["action"] : undefined;
  if (
    !isJoined ||
    request.length > MAX_ORDER ||
    GUARDED.test(request) ||
    !areWordsOfLines(itemWords, text.lines)
  )
    return undefined;
  if (action !== "check" && action !== "uncheck" && action !== "remove") return undefined;
  const [line, ...others] = findNamedLines(itemWords, text.lines);
  if (line === undefined || others.length > 0) return undefined;
  return editText(text.path, { action, item: checkItems([line])[0]?.text ?? withoutListMark(line) }, state);
}

/** A change of a line of the current text, which the message names; undefined for any other message. */
export const readLineChange = (state: PlanState, text: TextSubject): Resolution | undefined =>
  readLineCorrection(state.request.trim(), text, state) ?? readPlacedLine(state.request, text, state);

/** What a message that changes no line means for the current text; undefined if it is about something else. */
export async function readTextMessage(state: PlanState, text: TextSubject): Promise<Resolution | undefined> {
  const { request } = state;
  if (PUTS_OLD_BACK.test(request)) return { kind: "request", request: "undo that" };
  const earlier = (await state.earlier?.()) ?? [];
  const [last] = earlier;
  const same = readRepeatedEdit(request, text, last?.calls.at(-1)?.args, state);
  if (same !== undefined) return same;
  const items = { ...text, lines: splitLinesIntoItems(text.lines) };
  const calls = readLineOrder(request, items, state, lastOrderWasNotCarriedOut(earlier));
  return calls && { kind: "calls", calls };
}

/** "Put the old name back" */
const PUTS_OLD_BACK = new RegExp(
  [
    String.raw`^\W*(?:(?:no|ah|oh|ok|okay|sorry|wait|please|actually|better)[\s,]+)*`,
    String.raw`(?:(?:put|bring|get|give|use|restore|go\s+back\s+to|change\s+(?:it\s+)?back\s+to|keep)\s+(?:me\s+)?(?:the|its|his|her|my)\s+)?`,
    String.raw`(?:old|earlier|previous|former|original|first)\s+(?:name|text|version|title|one|\p{L}+(?=\s*back))`,
    String.raw`(?:\s*back)?(?:\s+please)?[\s.!]*$`,
  ].join(""),
  "iu",
);

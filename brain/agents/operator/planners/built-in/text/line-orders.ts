import { lastWasNotMade } from "@metahuman/core/language/references/antecedent";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { checkItems, withoutListMark } from "@metahuman/core/text/list-marks";
import type { PlanState } from "../../../planner.ts";
import { changeOfWords } from "./line-changes.ts";
import {
  areNamed,
  contentWordsIn,
  isAbout,
  itemsOfLines,
  linesNamed,
  MAX_ITEM_WORDS,
} from "./lines-named.ts";
import { type Continued, withoutFiller } from "../conversation/short-orders.ts";
import { nameStems, type SubjectOf } from "../conversation/subjects.ts";
import { doneWith, edit, itemsIn, NO_OBJECT, placedLine, TO_TEXT, withoutPlaceOf } from "./text-orders.ts";

// Orders about the lines of the text or list that the conversation is about. A message is read in clauses: each orders something of
// lines that it or a clause next to it names, adds lines, or only gives a reason.

type Text = SubjectOf<"text">;

const MAX_LENGTH = 200;
const MAX_NAMED = 8;
const MAX_ADDED = 20;
/** What limits an order, asks, or belongs to something else than a line. */
const GUARDED =
  /\b(?:(?<!\b(?:i|we|they|he|she)\s)(?:do\s+not|don['’]?t(?!\s+(?:need|want|forget)))|if(?!\s+(?:you|u)\b)|unless|until|till|when|once|never|remind|reminders?|tasks?|schedule|folder|row|column|table|should\s+i|shall\s+i)\b|\.(?:md|txt|csv)\b/iu;
const IS_ASKED = /^(?:can|could|would|will)\s+(?:you|u)\b/iu;

/** What is wanted of lines. */
type Aim = "add" | "remove" | "check" | "uncheck" | "sort";

interface ClauseOrder {
  aim: Aim;
  /** The words for the lines; empty if only a pronoun stands for them. */
  object: string;
  /** It is said, and not ordered, that something is so: "I got the milk". */
  isStated: boolean;
}

const MODAL = String.raw`(?:can|should|may|must|could|has\s+to|have\s+to|needs?\s+to|is\s+to|are\s+to)(?:\s+(?:now|also|just))?`;
const PERSON = String.raw`(?:(?:i|we)(?:['’]?ve|\s+have)?|(?:my|our|his|her)\s+\p{L}+(?:['’]s|\s+has)?)\s+(?:already\s+|just\s+)*`;
const BOUGHT = String.raw`(?:got|bought|found|fetched|packed|ordered|picked\s+up|sorted|sold|have)`;
const ALREADY = String.raw`(?:\s+(?:already|now|today|at\s+home|on\s+board|here|left))*`;
const NOT_NEEDED = String.raw`(?:(?:i|we|you)\s+)?(?:do\s+not|don['’]?t|no\s+longer|won['’]?t|needn['’]?t)\s+(?:actually\s+|really\s+)?(?:need|want|have)(?:\s+to\s+(?:get|buy|bring|take|have))?`;

/** The forms of an order for lines; the first that fits is meant. */
const FORMS: readonly (readonly [aim: Aim, isStated: boolean, form: RegExp])[] = [
  [
    "sort",
    false,
    /^(?:(?:sort|put|make|order|arrange|list)\s+(?:it|them|that|this|the\s+list|everything)?\s*)?(?:(?:in(?:to)?\s+|by\s+)?(?:the\s+)?alphabet(?:ic(?:al(?:ly)?)?)?(?:\s+order)?|(?:from\s+)?a\s*(?:-|–|to)\s*z)(?:\s+order)?$/iu,
  ],
  ["uncheck", false, /^(?:uncheck|untick|unmark)\s*(?<object>.*)$/iu],
  [
    "add",
    false,
    /^(?:put|add|bring|get|take|write)\s+(?<object>[^,;.?!]{1,60}?)\s+back(?:\s+(?:in|on|down|again))*$/iu,
  ],
  ["add", false, /^(?:put|add|bring)\s+back\s+(?<object>\S.*)$/iu],
  // What a clause next to it names.
  [
    "add",
    false,
    /^(?:add|put|write|include)(?:\s+(?:it|that|them|her|him|this|those))?(?:\s+(?:on|in|down|there))*$/iu,
  ],
  [
    "check",
    false,
    /^(?:check|tick|cross|mark)(?:\s+off)?\s*(?<object>.*?)(?:\s+(?:off|as\s+(?:done|got|bought|finished)|done))?$/iu,
  ],
  [
    "remove",
    false,
    /^(?:remove|delete|drop|lose|strike|scratch|erase|cancel|kick|bin|ditch|skip|omit|cut|nix|scrap|(?:get|got)\s+rid\s+of|forget(?:\s+about)?|never\s*mind(?:\s+about)?|nvm|leave\s+out|take\s+(?:off|out|away))(?!\s+(?:an?|some)\s)\s*(?<object>.*?)(?:\s+(?:off|out|away))?$/iu,
  ],
  ["remove", false, /^(?:take|pull|leave|knock|strike)\s+(?!an?\s)(?<object>.*?)\s*\b(?:off|out|away)$/iu],
  [
    "remove",
    false,
    new RegExp(
      String.raw`^(?<object>\S.*?)\s+(?:${MODAL}\s+(?:come\s+(?:off|out)|go(?:\s+(?:off|out|away))?|be\s+(?:removed|deleted|taken\s+(?:off|out)|dropped|crossed\s+(?:off|out)|struck))|(?:comes?|goes)\s+off|(?:is|are)\s+off)$`,
      "iu",
    ),
  ],
  [
    "remove",
    false,
    new RegExp(
      String.raw`^${NOT_NEEDED}\s+(?<object>\S.*?)(?:\s+(?:any\s*more|any\s+longer|after\s+all|now|too))*$`,
      "iu",
    ),
  ],
  [
    "remove",
    false,
    /^(?:no\s+need\s+(?:for|of)|no\s+more|(?:i|we)\s+need\s+no(?:\s+more)?)\s+(?<object>\S.*)$/iu,
  ],
  ["remove", false, /^(?<object>\S.*?)\s+(?:is|are)\s+(?:not|no\s+longer)\s+needed$/iu],
  [
    "add",
    false,
    new RegExp(
      String.raw`^(?<object>\S.*?)\s+(?:${MODAL}\s+(?:go\s+(?:on|in|down)|be\s+(?:added|on\s+it|there))|is\s+(?:coming|joining)|are\s+(?:coming|joining))$`,
      "iu",
    ),
  ],
  [
    "add",
    false,
    /^(?:add|put|append|write|note|insert|include|pop|stick|chuck|throw|jot|enter|get|buy|bring|pack)\b(?:\s+(?:down|in|on|there|also|too|still|even))*\s+(?<object>\S.*?)(?:\s+(?:on|in|down|there))?$/iu,
  ],
  [
    "add",
    false,
    /^(?:i|we)?\s*(?:almost\s+|nearly\s+)?(?:forgot|don['’]?t\s+forget|do\s+not\s+forget)(?:\s+about)?\s*(?<object>.*)$/iu,
  ],
  [
    "add",
    false,
    /^(?:i|we)(?:['’]?ll)?\s+(?:also\s+|still\s+)*(?:need|want)\s+(?:to\s+(?:get|buy|bring|pack)\s+)?(?<object>\S.*)$/iu,
  ],
  ["add", false, /^(?:another|one\s+more|plus|and\s+also)\s+(?!one\s)(?<object>\S.*)$/iu],
  [
    "remove",
    true,
    /^(?<object>\S.*?)(?:\s+(?:has|have))?\s+(?:just\s+)?(?:dropped\s+out|cancelled|canceled|(?:can['’]?t|cannot|can\s+not|won['’]?t|is\s+not|isn['’]?t|will\s+not)\s+(?:be\s+)?(?:come|coming|make\s+it|there|join(?:ing)?|going))$/iu,
  ],
  [
    "remove",
    true,
    /^(?<object>\S.*?)\s+(?:is|are|was|were|got|has\s+been|have\s+been)\s+(?:cancelled|canceled|called\s+off|out)$/iu,
  ],
  [
    "check",
    true,
    /^(?<object>\S.+?)(?:['’]s|\s+(?:has|have|is|are))?(?:\s+(?:just|already|finally|now))*\s+(?:arrived|came|come|here|packed|bought|delivered|fetched|sorted|turned\s+up|done|finished|in\s+the\s+(?:bag|car|trolley|basket|fridge|van|case))(?:\s+(?:already|now|today))*$/iu,
  ],
  ["check", true, new RegExp(String.raw`^(?:${PERSON})?${BOUGHT}\s+(?<object>\S.*?)${ALREADY}$`, "iu")],
  ["check", true, new RegExp(String.raw`^(?<object>\S.*?)\s+${PERSON}${BOUGHT}${ALREADY}$`, "iu")],
];

const SEPARATOR =
  /(?<=\s(?:off|out|away|back))\s+(?=(?:(?:my|the|our)\s+)?[\p{L}'’]+\s+(?:is|are|was|were|has|have|had|got|can['’]?t|doesn['’]?t|hates?|likes?|brought|brings?)\b)|(?:\s*[,;.!]+\s+|\s+[-–—]\s+|\s+(?:so|but|cos|cause|because)\s+|\s+(?=(?:check|tick|cross|take|put|uncheck|untick|remove|delete)\s+(?:it|that|this|them|['’]?em|those|him|her)\b)|\s+(?=(?:add|remove|delete)\s)|(?<!\b(?:you|u|to|and|so|then|now|but|also|just|please|pls|must|should|can|will|i|we))\s+(?=(?:put|take|bring)\s+(?:the\s+|my\s+)?[\p{L}'’-]+(?:\s[\p{L}'’-]+)?\s+(?:back|off|out|away)\b)|,?\s+(?:and|n|&)\s+(?:then\s+)?)/giu;
/** A pronoun for lines, or nothing but words around one. */
const ONLY_REFERS =
  /^(?:[\s,]*\b(?:it|that|this|them|['’]?em|those|these|him|his|her|their|its|they|he|she|both|name|names|off|out|away|from|on|of|as|is|are|the|my|our|one|ones|again|too|also|now|in|down|there|not)\b)*[\s,]*$/iu;

/** The part of a message between separators, with what stands before it. */
interface Clause {
  text: string;
  order?: ClauseOrder;
  /** "And", or a comma: what may go on with the order before. */
  isJoined: boolean;
  /** A sentence of its own, and neither a part of the order before nor of the one after it. */
  isSentence: boolean;
}

/**
 * The calls of an order for the lines of a text: "take the pump and the rags off", "Carol has a cold, take her out", "the oil filter
 * arrived", "also 2 bottles of oil and a box of nipples". Undefined if a clause is neither an order nor a reason, and for what
 * limits or asks.
 */
function orderOfLines(
  request: string,
  text: Text,
  state: PlanState,
  isNotMade: boolean,
): readonly PlannedCall[] | undefined {
  if (request.length > MAX_LENGTH || request.includes("\n") || GUARDED.test(request)) return undefined;
  const isAsked = IS_ASKED.test(withoutFiller(request).text) || IS_ASKED.test(request.trim());
  if (/\?\s*$/u.test(request) && !isAsked) return undefined;
  const clauses = clausesOf(request, text);
  // "Not Monday, he can't make it" corrects something, and takes no line off.
  if (clauses.some(({ text: part }) => /^not\b/iu.test(part))) return undefined;
  const ordered = clauses.filter(({ order }) => order !== undefined && !order.isStated);
  const stated = clauses.filter(({ order }) => order?.isStated === true);
  // What is stated is a reason if something is ordered next to it.
  const orders = ordered.length > 0 ? ordered : stated;
  if (orders.length === 0) return undefined;
  const calls: PlannedCall[] = [];
  for (const clause of orders) {
    const further = callsOf(clause, { clauses, orders, text, state, isNotMade });
    if (further === undefined) return undefined;
    calls.push(...further);
  }
  return calls.length === 0 || calls.length > MAX_NAMED + MAX_ADDED ? undefined : calls;
}

/** "And butter", "oh, also the tape", "the bunting too". */
const JOINED =
  /^\W*(?:(?:o+h+|a+h+|ok|okay|right|yes|yeah|sorry|well|please|now|so|then|but)[,\s]+)*(?:and|also|plus|n)\b|\b(?:too|as\s+well|also)[\s.!]*$/iu;

function clausesOf(request: string, text: Text): Clause[] {
  const whole = withoutFiller(request);
  const parts = whole.text.split(SEPARATOR).map((part) => withoutFiller(withoutPlaceOf(part, text.path)));
  const separators = [...whole.text.matchAll(SEPARATOR)].map(([mark]) => mark);
  return parts.flatMap(({ text: part, isJoined }, index): Clause[] => {
    if (part === "") return [];
    const isFirst = index === 0;
    const order = orderIn(part, isJoined || (isFirst && JOINED.test(request)));
    const isContinued = /,|and|\bn\b|&/iu.test(separators[index - 1] ?? "");
    const isSentence = [separators[index - 1], separators[index]].every(
      (mark) => mark === undefined || /[.!]/u.test(mark),
    );
    return [{ text: part, ...(order && { order }), isJoined: !isFirst && isContinued, isSentence }];
  });
}

function orderIn(clause: string, isJoined: boolean): ClauseOrder | undefined {
  for (const [aim, isStated, form] of FORMS) {
    const found = form.exec(clause);
    if (found === null) continue;
    const object = (found.groups?.["object"] ?? "").trim();
    // "We have no rags", "we need to talk", "I forgot my umbrella at work".
    if (NO_OBJECT.test(object) || (FORGOT.test(clause) && /\s(?:at|in|on)\s/iu.test(object)))
      return undefined;
    return { aim, isStated, object: ONLY_REFERS.test(object) ? "" : object };
  }
  // "And butter", "the bunting too".
  return isJoined && !ASKS.test(clause) && !REASON.test(clause)
    ? { aim: "add", isStated: false, object: clause }
    : undefined;
}

const FORGOT = /\bforgot\b/iu;
const ASKS =
  /^(?:what|who|whose|how|when|where|why|which|is|are|was|were|do|does|did|tell|show|list|read|not|no)(?:['’]?s)?\b/iu;
/** A clause with a subject and a verb. */
const REASON =
  /^(?:(?:nearly|almost)\s+forgot|(?:god|heaven)\s+forbid\b|(?:i|we|he|she|they|it|there|that|this)(?:['’]?(?:s|m|re|ve|ll|d))?\s|(?:(?:the|my|our|his|her|their)\s+)?(?:[\p{L}'’]+\s+){1,3}?(?:is|are|was|were|has|have|had|got|does|did|can|will|said|says|rang|called|came|brings?|brought|needs?|wants?|likes?|loves?|knows?|thinks?|says|hates?|hopes?|took|takes|moved|left)\b|[\p{L}'’]+['’]s\s)/iu;

interface Known {
  clauses: readonly Clause[];
  orders: readonly Clause[];
  text: Text;
  state: PlanState;
  /** The last request should have made something, and could not. */
  isNotMade: boolean;
}

/** The calls of one clause; undefined if what it is about is not known. */
function callsOf(clause: Clause, known: Known): readonly PlannedCall[] | undefined {
  const { order } = clause;
  const { text, state } = known;
  if (order === undefined) return undefined;
  if (order.aim === "sort") return callsIn(edit(text.path, { action: "sort" }, state));
  if (order.aim === "add") return additions(clause, order, known);
  const named = linesMeant(clause, order, known) ?? lineNotShown(clause, order, known);
  if (named === undefined || named.length === 0 || named.length > MAX_NAMED) return undefined;
  // "Tom is not coming" says nothing about "cake for Tom".
  if (order.isStated && !named.every((line) => isAbout(order.object, line))) return undefined;
  const calls = named.flatMap((line) => callsIn(changeOfItem(order, line, known)) ?? []);
  return calls.length === named.length ? calls : undefined;
}

const callsIn = (continued: Continued | undefined): readonly PlannedCall[] | undefined =>
  continued !== undefined && "calls" in continued ? continued.calls : undefined;

function changeOfItem(
  { aim, isStated }: ClauseOrder,
  line: string,
  { text: { path, isList }, state }: Known,
): Continued | undefined {
  const [box] = checkItems([line]);
  const item = box?.text ?? withoutListMark(line);
  if (aim === "uncheck") return edit(path, { action: "uncheck", item }, state);
  if (aim === "remove" && !(isStated && !isList)) {
    const isCrossed = /\b(?:cross|tick)/iu.test(state.request) && box !== undefined;
    return edit(path, { action: isCrossed ? "check" : "remove", item }, state);
  }
  return isList || box !== undefined ? doneWith(line, path, state) : undefined;
}

/** The lines that an order means: those that its words name, with the clauses that go on with it, or those of the clauses next to it. */
function linesMeant(clause: Clause, { object }: ClauseOrder, known: Known): readonly string[] | undefined {
  const { clauses, orders, text } = known;
  const at = clauses.indexOf(clause);
  if (object === "") {
    // A pronoun means what the clauses next to it are about, those before it first.
    const named = (others: readonly Clause[]): readonly string[] => [
      ...new Set(
        others
          .filter((other) => !orders.includes(other))
          .flatMap((other) => linesNamed(other.order?.object ?? other.text, text.lines)),
      ),
    ];
    const before = named(clauses.slice(0, at));
    return before.length > 0 ? before : named(clauses.slice(at));
  }
  const own = linesNamedBy(object, text.lines);
  if (own === undefined) return undefined;
  const further = following(clauses, at).flatMap((next) => {
    const named = areNamed(next.text, text.lines) ? linesNamed(next.text, text.lines) : [];
    return named.length > 0 ? [named] : [];
  });
  const rest = clauses.filter(
    (other) => other !== clause && !orders.includes(other) && !areNamed(other.text, text.lines),
  );
  if (!rest.every((other) => isReason(other))) return undefined;
  return [...new Set([...own, ...further.flat()])];
}

/** "Take the eggs off": what is to go may be on the list at hand, although the conversation has not shown all of it. */
function lineNotShown(
  clause: Clause,
  { aim, isStated, object }: ClauseOrder,
  { clauses, text }: Known,
): readonly string[] | undefined {
  const isAlone = clauses.every((other) => other === clause || isReason(other));
  if (aim !== "remove" || isStated || !isAlone || !text.isList || text.age > 0) return undefined;
  const item = object.replace(
    /^(?:the|that)\s+(?:(?:line|item|entry|row)\s+(?:(?:that\s+says|saying|with)\s+)?)?/iu,
    "",
  );
  // "Delete the backup" means the text at hand, if that is what it is called.
  const called = new Set(nameStems(text.path.replaceAll(/[/._-]/gu, " ")));
  const isText = nameStems(item).every((word) => called.has(word));
  const isItem = !isText && item.split(/\s+/u).length <= MAX_ITEM_WORDS && !REFERS.test(item);
  return isItem && !ELSEWHERE.test(item) ? [item] : undefined;
}

/** Words that refer to something else than a line. */
const REFERS =
  /\b(?:it|that|this|them|those|these|him|her|my|everything|all|both|to|into|in|on|as|from|list|note|letter|file|folder|task|reminder)\b/iu;

/** The clauses behind an order that go on with it: neither orders nor reasons. */
function following(clauses: readonly Clause[], at: number): readonly Clause[] {
  const rest = clauses.slice(at + 1);
  const end = rest.findIndex(({ order, isJoined }) => order !== undefined || !isJoined);
  return end < 0 ? rest : rest.slice(0, end);
}

const isReason = ({ text, order, isSentence }: Clause): boolean =>
  order === undefined ? isSentence || REASON.test(text) || RETURNS.test(text) : order.isStated;

/** "Back to the list" */
const RETURNS = /^back(?:\s+to\s+(?:it|(?:the|my|our)\s+(?:\p{L}+\s+){0,2}\p{L}+))?$/iu;

/** The lines that words name, if every word is explained: by a line, or as a reason behind the line's words. */
function linesNamedBy(object: string, lines: readonly string[]): readonly string[] | undefined {
  const named = linesNamed(object, lines);
  if (named.length === 0) return undefined;
  if (areNamed(object, lines)) return named;
  const [only, ...others] = named;
  if (only === undefined || others.length > 0) return undefined;
  // "The rootbeer brodie is bringing some": what follows the item is a clause of its own.
  const words = object.split(/\s+/u);
  const last = words.findLastIndex((word) => contentWordsIn(word, only) > 0);
  const before = words.slice(0, last + 1).join(" ");
  return areNamed(before, lines) && REASON.test(words.slice(last + 1).join(" ")) ? named : undefined;
}

/** Other places and things, to which no item of a list belongs; "write me an intro" asks for a new text. */
const ELSEWHERE =
  /["“]|\b(?:at|on|to)\s+(?:the\s+)?(?:top|beginning|start)\b|\bfirst$|\bin\s+(?:\p{L}+\s+)*order$|^(?:me|us)\s|\b(?:note|file|copy|reminder)\b|\?|:(?!\d)/iu;
/** "And on the list please also cotton pads" */
const LIST_BEFORE =
  /^(?:on|to|in)\s+(?:the|my|our|this|that)\s+list[,:]?\s+(?:(?:please|also|there|goes?)\s+)*(?=\S)/iu;
/** Clauses that add nothing by themselves. */
const NO_ITEM =
  /^(?:(?:that|then|it|and|all|nothing|everything|both|these|those|(?:the\s+)?(?:other|first|second|third|last|next|previous|same|rest)(?:\s+(?:ones?|two|file|list|note|letter))?)$|back\s+to\b)/iu;

/** New lines of a list, from the words of an order and of the clauses that go on with it. */
function additions(
  clause: Clause,
  { object }: ClauseOrder,
  known: Known,
): readonly PlannedCall[] | undefined {
  const { clauses, orders, text, state } = known;
  // "It" is nothing older than what could not be made.
  const isFor = TO_TEXT.test(state.request) || (text.isList && text.age === 0);
  if (!isFor || known.isNotMade || !state.skills.some(({ id }) => id === "fs_append")) return undefined;
  const at = clauses.indexOf(clause);
  // "And sweet peas, the wife likes those": a reason adds nothing.
  const further = following(clauses, at).filter((next) => !isReason(next));
  const others = clauses.filter(
    (other) => other !== clause && !orders.includes(other) && !further.includes(other),
  );
  // "We got a new one, Ofa, put her on": the name stands before the order. "Luis put that down" is said to Luis.
  const antecedents =
    object === "" && /[,;.!:]/u.test(state.request)
      ? others.filter((other) => other.order === undefined && !isReason(other))
      : [];
  // "I forgot the torch, please add" says the same twice.
  if (object === "" && antecedents.length + further.length === 0)
    return orders.some((one) => one !== clause && one.order?.aim === "add") ? [] : undefined;
  if (!others.every((other) => antecedents.includes(other) || isReason(other))) return undefined;
  const texts = [
    ...antecedents.slice(-1).map((one) => one.text),
    ...(object === "" ? [] : [object]),
    ...further.map((one) => one.text),
  ];
  if (texts.some((one) => ELSEWHERE.test(one) || REASON.test(one) || ASKS.test(one))) return undefined;
  const returning = /\bback\b/iu.test(state.request) ? linesNamed(object, text.lines) : [];
  // "Room 30 locked out again": the last word belongs to what happened.
  const again = /\sagain[\s.!]*$/iu.test(state.request) && object.split(/\s+/u).length > 2 ? " again" : "";
  const items = (returning.length > 0 ? returning.map(withoutListMark) : texts.flatMap(itemsIn))
    .map((item, index, all) => (index === all.length - 1 ? `${item}${again}` : item))
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

/** A correction or an order about the lines of the text at hand, or the last order once more. */
export async function ofTextAtHand(state: PlanState, text: Text): Promise<Continued | undefined> {
  const { request } = state;
  const changed = changeOfWords(request.trim(), text, state) ?? placedLine(request, text, state);
  if (changed !== undefined) return changed;
  if (PUTS_OLD_BACK.test(request)) return { request: "undo that" };
  const earlier = (await state.earlier?.()) ?? [];
  const [last] = earlier;
  const same = sameForLine(request, text, last?.calls.at(-1)?.args, state);
  if (same !== undefined) return same;
  const items = { ...text, lines: itemsOfLines(text.lines) };
  const calls = orderOfLines(request, items, state, lastWasNotMade(earlier));
  return calls && { calls };
}

/** "Put the old name back" */
const PUTS_OLD_BACK =
  /^\W*(?:(?:no|ah|oh|ok|okay|sorry|wait|please|actually|better)[\s,]+)*(?:(?:put|bring|get|give|use|restore|go\s+back\s+to|change\s+(?:it\s+)?back\s+to|keep)\s+(?:me\s+)?(?:the|its|his|her|my)\s+)?(?:old|earlier|previous|former|original|first)\s+(?:name|text|version|title|one|\p{L}+(?=\s*back))(?:\s*back)?(?:\s+please)?[\s.!]*$/iu;

import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { checkItems, withoutListMark } from "@metahuman/core/text/list-marks";
import { stem } from "@metahuman/core/language/tokens/words";
import { escapeRegExp } from "@metahuman/core/text/words";
import type { PlanState } from "../../planner.ts";
import { type Continued, PRONOUN, type ShortOrder, withoutFiller } from "./short-orders.ts";
import { nameMeant, nameMentioned, nameStems, type SubjectOf } from "./subjects.ts";

type Text = SubjectOf<"text">;

/** Words for things in general: "how many things are on it". */
const ANY_THING = /^(?:things?|items?|entries|points?|lines?|people|persons?|names?|)$/iu;
/** Words for what a value is, by the form of the value. */
const VALUES: readonly (readonly [words: RegExp, form: RegExp])[] = [
  [/^(?:the\s+)?(?:day|date)$/iu, /\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]?(?:\d{2,4})?/gu],
  [/^(?:the\s+)?time$/iu, /\d{1,2}[:.]\d{2}(?:\s?[ap]m)?/giu],
  [/^(?:the\s+)?(?:number|amount|price|value|sum|figure)$/iu, /(?<![\d.,:-])\d[\d.,]*(?![\d.,:-])/gu],
];
/** Another order behind the new words. */
export const FURTHER_ORDER =
  /(?:[,;.]|\band|\bthen)\s+(?:please\s+|also\s+)*(?:add|put|take|remove|delete|drop|tick|check|cross|move|make|change|swap|replace|show|read|tell|say|what|how|sort|rename)\b/iu;
const MAX_ITEMS = 20;

/** What a short order changes or asks of a text whose lines the conversation knows; undefined if it means none of them. */
export function changeOfText(asked: ShortOrder, text: Text, state: PlanState): Continued | undefined {
  const { path, lines } = text;
  const order = withoutPlace(asked, path);
  if (order === undefined) return undefined;
  const { verb, what, value = "" } = order;
  if (FURTHER_ORDER.test(value)) return undefined;
  switch (verb) {
    case "count":
      return text.age === 0 && ANY_THING.test(what)
        ? { request: `how many items are in ${path}` }
        : undefined;
    case "add":
      return addition(order, text, state);
    case "remove": {
      const line = lineMeant(order, lines);
      const isBought = /^\W*(?:i(?:['’]ve|\s+have)?\s+)?(?:got|bought|found|picked)\b/iu.test(state.request);
      // A line that the conversation has not shown may be on the list all the same.
      const mayBeThere =
        order.isKnown !== true && text.age === 0 && text.isList && !isBought && !REFERS.test(what);
      if (line === undefined ? !mayBeThere || ELSEWHERE.test(what) : isBought && !text.isList)
        return undefined;
      // A ticked box says more than a line that is gone.
      if (line !== undefined && (isBought || TICKS.test(state.request)) && hasBox(line))
        return edit(path, { action: "check", item: itemOf(line) }, state);
      const item = line === undefined ? what.replace(/^(?:the|that)\s+/iu, "") : withoutListMark(line);
      return edit(path, { action: "remove", item }, state);
    }
    case "set": {
      const line = PRONOUN.test(what) ? undefined : lineMeant(order, lines);
      // What should be so in a letter is no order to change its words; an item of a list that should be another is.
      if (STATES.test(state.request) && !(text.isList && text.age === 0)) return undefined;
      // "The umbrella is old" only states something, "and the worktop to 3.4 m" gives it another amount.
      if (order.isBare === true && !/^[€$£]?\d/u.test(value)) return undefined;
      const change = line === undefined ? valueOfLast(what, value, lines) : changeOfLine(line, what, value);
      return change && edit(path, { action: "replace", ...change }, state);
    }
    case "replace": {
      const line = lines.find((one) => wordPattern(what).test(one));
      if (line === undefined) {
        const change = valueOfLast(what, value, lines);
        return change && edit(path, { action: "replace", ...change }, state);
      }
      return edit(
        path,
        { action: "replace", line, find: wordPattern(what).exec(line)?.[0], text: value },
        state,
      );
    }
    case "done": {
      // What is done is no longer on a list of things to do.
      const line = text.isList && !PRONOUN.test(what) ? lineMeant(order, lines) : undefined;
      return line === undefined ? undefined : doneWith(line, path, state);
    }
    case "show":
    case "where":
    case "when":
    case "undo":
    case "note":
    case "copy":
    case "move":
    case "rename":
      return undefined;
    default:
      return verb satisfies never;
  }
}

/** "150 in ms-okafor-letter", "Wednesday in the letter to Jess": where words are to be changed is no part of the new words. */
const PLACE =
  /\s+(?:in|on|into)\s+(?<place>(?:the\s+|my\s+|our\s+)?(?:[\p{L}\p{N}'’]+(?:[-_][\p{L}\p{N}]+)+|(?:[\p{L}\p{N}'’_-]+\s){0,3}(?:letter|note|list|file|memo|card)(?:\s+(?:to|for|of|about)\s+[\p{L}'’]+(?:\s[\p{L}'’]+)?)?))$/iu;

/** The order without the name of the text in its value; undefined if it names another text. */
function withoutPlace(order: ShortOrder, path: string): ShortOrder | undefined {
  if (order.verb === "add") return addedHere(order, path);
  if (order.value === undefined || (order.verb !== "set" && order.verb !== "replace")) return order;
  const value = withoutPlaceName(order.value, path);
  return value === undefined ? undefined : { ...order, value };
}

/** "150 in ms-okafor-letter" without its place; undefined if that is another text. */
export function withoutPlaceName(value: string, path: string): string | undefined {
  const found = PLACE.exec(value);
  const place = found?.groups?.["place"];
  if (found === null || place === undefined) return value;
  return isCalled(path, place) ? value.slice(0, found.index) : undefined;
}

const PLACE_NAME = String.raw`(?:it|that|there|this|here|(?:(?:the|my|our|that|this)\s+)?(?:[\p{L}\p{N}'’-]+\s+){0,3}(?:list|note|letter|menu|programme|program|log|sheet|file|text|end|bottom))`;
const PLACE_LAST = new RegExp(
  String.raw`\s+(?:to|on|in|into|onto|from|off|of|at|upon|under|below|out\s+of|off\s+of)\s+${PLACE_NAME}$`,
  "iu",
);

/** A clause without the place at its end, if that is the text at this path: "milk to the list". */
export function withoutPlaceOf(clause: string, path: string): string {
  const plain = withoutFiller(clause).text;
  const found = PLACE_LAST.exec(plain);
  if (found === null) return clause;
  const named = nameStems(found[0]).filter((word) => !PLACES.has(word));
  const has = new Set(nameStems(path.replaceAll(/[/._-]/gu, " ")));
  if (!named.every((word) => has.has(word))) return clause;
  // "Take it off the list" keeps its "off".
  const particle = /^\s+(?<particle>off|out)\b/iu.exec(found[0])?.groups?.["particle"];
  return `${plain.slice(0, found.index)}${particle === undefined ? "" : ` ${particle}`}`;
}

const PLACES = new Set(
  [
    "list",
    "note",
    "letter",
    "menu",
    "programme",
    "program",
    "log",
    "sheet",
    "file",
    "text",
    "end",
    "bottom",
    "top",
    "upon",
    "below",
  ].map(stem),
);

/** True if every word of a name is in a path: "wills letter" for will-petty-letter.txt. */
function isCalled(path: string, name: string): boolean {
  const words = nameStems(path.replaceAll(/[/._-]/gu, " "));
  return nameStems(name.replaceAll(/[/._-]/gu, " ")).every(
    (word) => words.includes(word) || words.includes(word.replace(/s$/u, "")),
  );
}

/** "“PS we are shut” to will-petty-letter": where a text is added is no part of it. */
function addedHere(order: ShortOrder, path: string): ShortOrder | undefined {
  const [, text, quoted] = /^(?:["“](.+)["”]|(.+))\s+(?:to|in|into|on|onto)\s+\S/isu.exec(order.what) ?? [];
  const found = PLACE.exec(order.what.replace(/\s+to\s+(?=(?:\S+\s){0,5}\S+$)/iu, " in "));
  const place = found?.groups?.["place"];
  if (place === undefined || (text ?? quoted) === undefined) return order;
  if (!isCalled(path, place)) return undefined;
  return { ...order, what: text ?? order.what.slice(0, found?.index), isLine: true };
}

const TICKS = /\b(?:tick|check|cross|mark)(?:ed)?\b/iu;
const hasBox = (line: string): boolean => checkItems([line]).length > 0;
const itemOf = (line: string): string => checkItems([line])[0]?.text ?? withoutListMark(line);

/** Ticks an item that has a box, and takes any other off the list. */
export const doneWith = (line: string, path: string, state: PlanState): Continued | undefined =>
  edit(path, { action: hasBox(line) ? "check" : "remove", item: itemOf(line) }, state);

/** The change of one text, if the skill for it may be called. */
export function edit(path: string, args: Record<string, unknown>, state: PlanState): Continued | undefined {
  return state.skills.some(({ id }) => id === "fs_edit")
    ? { calls: [callOf("fs_edit", fromRequest({ path, ...args }), state.request)] }
    : undefined;
}

/** Whole words in any letter case. */
export const wordPattern = (words: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])${escapeRegExp(words)}(?![\p{L}\p{N}])`, "iu");

/** The line that an order means, by its words or by a statement beside it. */
const lineMeant = ({ what, context }: ShortOrder, lines: readonly string[]): string | undefined =>
  PRONOUN.test(what)
    ? context && nameMentioned(context, lines)
    : nameMeant(what.replace(LINE_ABOUT, ""), lines);

/** "The line about bed 3" */
const LINE_ABOUT = /^(?:the|that)\s+(?:line|item|entry|point)\s+(?:about|with|of|for|on|that\s+says)\s+/iu;

/** Words that refer to something else than a line. */
const REFERS = /^$|\b(?:it|that|this|them|those|these|him|her|everything|all|both)\b/iu;

const STATES = /\s(?:should|shall|must|has\s+to|was\s+supposed\s+to|was\s+meant\s+to)\s/iu;

/** Other places and things, to which no item of a list belongs; "write me an intro" asks for a new text. */
const ELSEWHERE =
  /^(?:me|us)\s|\b(?:to|into|in|on|onto|as|from|task|reminder|file|folder|note)\b|\?|:(?!\d)/iu;

/** Words that begin no line: a denial, an amount of nothing, what somebody does, or to whom something goes. */
export const NO_OBJECT =
  /^(?:(?:no|none|not|never|any|nothing|enough|to|about)\b|(?:(?:some|a|a\s+bit\s+of|a\s+little)\s+)?(?:more\s+)?(?:time|help|sleep|rest|break|space|patience|luck|holiday)$)/iu;

/** New lines of a list; of another text only what is called a line. Nothing is added to a letter that was only read. */
function addition({ what, isLine, isBare }: ShortOrder, text: Text, state: PlanState): Continued | undefined {
  const isItem = text.isList && !ELSEWHERE.test(what) && (isBare !== true || text.isAddedTo);
  if (!isItem && isLine !== true) return undefined;
  // "Both letters" are things that there are, and no new line.
  if (isLine !== true && NO_OBJECT.test(what)) return undefined;
  if (isLine !== true && /^(?:both|all|these|those|everything)\b/iu.test(what)) return undefined;
  if (PRONOUN.test(what) || !state.skills.some(({ id }) => id === "fs_append")) return undefined;
  const items = isLine === true ? [what.replace(/^["“](.*)["”]$/u, "$1")] : itemsIn(what);
  if (items.length > MAX_ITEMS) return undefined;
  const args = { path: text.path, text: items.join("\n"), asItem: true };
  return { calls: [callOf("fs_append", fromRequest(args), state.request)] };
}

/** "Karin and Per" are two items, "salt and pepper grinder" is one: each must be one or two words, or commas separate them. */
export function itemsIn(words: string): string[] {
  const plain = words.replace(/^["“](.*)["”]$/u, "$1");
  const parts = plain.split(/\s*,\s*(?:and\s+)?|\s+and\s+/iu).filter((part) => part !== "");
  const isList = plain.includes(",") || parts.every((part) => part.split(" ").length <= 2);
  return isList ? parts : [plain];
}

/** The part of a line that a new value replaces: the amount behind its name, or the words that are named. */
export function changeOfLine(
  line: string,
  what: string,
  value: string,
): { line: string; find?: string; text: string } | undefined {
  const named = wordPattern(what.replace(/^(?:the|my)\s+/iu, "")).exec(line);
  if (named === null) return undefined;
  const rest = line.slice(named.index + named[0].length).trim();
  const isValue = /^[€$£]?\d/u.test(rest) && /^[€$£]?\d/u.test(value);
  // "Toner was 109": the number of the line, and not its name.
  if (!isValue && /^[€$£]?\d[\d.,]*$/u.test(value)) {
    const [only, ...others] = line.replace(named[0], "").match(/[€$£]?\d[\d.,]*\d|\d/gu) ?? [];
    return only === undefined || others.length > 0 ? undefined : { line, find: only, text: value };
  }
  if (isValue) {
    const number = /^[€$£]?\d[\d.,]*/u.exec(rest)?.[0] ?? rest;
    return { line, find: /\s/u.test(value) ? rest : number, text: value };
  }
  return { line, find: named[0], text: value };
}

/** "The day was wrong, it should be …": the one value of that kind in the newest line. */
function valueOfLast(
  what: string,
  value: string,
  [last]: readonly string[],
): { line: string; find: string; text: string } | undefined {
  const form = VALUES.find(([words, one]) => words.test(what) && value.match(one) !== null)?.[1];
  const [only, ...others] = form === undefined || last === undefined ? [] : (last.match(form) ?? []);
  return only === undefined || last === undefined || others.length > 0
    ? undefined
    : { line: last, find: only, text: value };
}

import { oneOf } from "@metahuman/core/text/patterns";
import { checkItems, listMarkLength, withoutListMark } from "@metahuman/core/text/list-marks";
import { contentStems, stem } from "@metahuman/core/language/tokens/words";
import { escapeRegExp } from "@metahuman/core/text/words";
import type { PlanState } from "../../../planner.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import { callsFrom, callSkill, type Resolution } from "../conversation/resolution.ts";
import { pathStems, type SubjectOf } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { areWordsOfLines, findNamedLines } from "./matching-lines.ts";

// Reads a line with a certain place in the current text, and has the edits that all readers of texts use. "Put the flour at the top"
// becomes an insertion before the first line; "add a line: Ana paid" becomes a line at the end.

type TextSubject = SubjectOf<"text">;

const FURTHER_ORDER_WORDS = oneOf(
  "add|put|take|remove|delete|drop|tick|check|cross|move|make|change|swap|replace|show|read|tell|say",
  "what|how|sort|rename",
);
/** Another order after the new words. */
export const FURTHER_ORDER = new RegExp(
  String.raw`(?:[,;.]|\band|\bthen)\s+(?:please\s+|also\s+)*${FURTHER_ORDER_WORDS}\b`,
  "iu",
);

/** What asks for a new line, whose words are dictated. */
const UNIT = String.raw`(?:(?:an?|another|one\s+more|the|this)\s+(?:new\s+|last\s+|further\s+)?(?:line|row|entry|item|sentence|bullet))`;
const PUTS = String.raw`(?:add|append|write|put|insert|note|type|pop|stick|jot\s+down)(?:\s+(?:in|down))?`;
const DICTATED: readonly RegExp[] = [
  // "Append “- VIS”", "insert “- HYB” after the line with KARD".
  new RegExp(
    String.raw`^(?:add|append|write|put|insert)\s+(?:${UNIT}\s+)?["“](?<words>[^"”\n]+)["”](?<place>.*)$`,
    "iu",
  ),
  // "Add: churn numbers", "add a line at the end: Ana paid".
  new RegExp(
    String.raw`^(?:(?:add|append)|${PUTS}\s+${UNIT}(?<place>[^:,;.]{0,60}?))\s*:\s+(?<words>\S.*)$`,
    "iu",
  ),
  // "Write also in the file: blouse colour maroon".
  /^(?:add|append|write|put|note)(?:\s+also)?\s+(?<place>(?:in|to|into|on|onto)\s+[^:,;.]{1,60}?)\s*:\s+(?<words>\S.*)$/iu,
  new RegExp(
    String.raw`^${PUTS}\s+${UNIT}(?<place>[^:,;.]{0,60}?)\s+(?:saying|that\s+says|which\s+says|reading|that\s+reads)\s+(?<words>\S.*)$`,
    "iu",
  ),
];
const ADJACENT = String.raw`(?:right\s+|just\s+|directly\s+|straight\s+)?(?<side>after|below|under|underneath|beneath|before|above)\s+(?<anchor>\S.*)`;
const ON_TOP = String.raw`(?:(?:right\s+)?(?:at|to|on|in)\s+(?:the\s+)?(?:very\s+)?(?:top|beginning|start|front)(?:\s+of\s+(?:it|the\s+\p{L}+))?|first)`;
const IS_ADJACENT = new RegExp(`^${ADJACENT}$`, "iu");
const IS_ON_TOP = new RegExp(`^${ON_TOP}$`, "iu");
/** "Put the flour at the top", "add espresso after the tea". */
const PLACED = new RegExp(
  String.raw`^(?<verb>add|put|insert|write|move|bring|stick|pop)\s+(?<words>[^,;.:"“]{1,60}?)\s+(?<place>${ON_TOP}|${ADJACENT})$`,
  "iu",
);

/**
 * A new line whose words are dictated, or a line of a list at a place among its others: "add a line: Ana paid", "put the flour at the
 * top", "insert “- HYB” after the line with KARD". Undefined for any other message, and if the line beside it is not known.
 */
export function readPlacedLine(request: string, text: TextSubject, state: PlanState): Resolution | undefined {
  const order = stripFiller(request).text;
  if (request.length > MAX_ORDER || request.includes("\n")) return undefined;
  for (const form of DICTATED) {
    const { words, place = "" } = form.exec(order)?.groups ?? {};
    if (words === undefined) continue;
    return isEndOfText(place.trim(), text.path)
      ? appendLine(words, text, state)
      : insertLine(words, place.trim(), text, state);
  }
  const { verb = "", words, place } = PLACED.exec(order)?.groups ?? {};
  if (words === undefined || place === undefined || !text.isList || text.age > 0) return undefined;
  if (!areWordsOfLines(words, text.lines)) {
    // "Put the kettle on first" is not an item.
    const isItem = !/^(?:move|bring)$/iu.test(verb) && !/^first$/iu.test(place) && !PARTICLE.test(words);
    return isItem ? insertLine(words, place, text, state) : undefined;
  }
  // A line that is there already moves.
  const [line, ...others] = findNamedLines(words, text.lines);
  if (line === undefined || others.length > 0) return undefined;
  const removal = callsFrom(editText(text.path, { action: "remove", item: itemTextOf(line) }, state));
  const lines = text.lines.filter((candidate) => candidate !== line);
  const insertion = callsFrom(insertLine(withoutListMark(line), place, { ...text, lines }, state));
  return removal && insertion && { kind: "calls", calls: [...removal, ...insertion] };
}

const PARTICLE = /\s(?:on|off|out|up|away|in|down|back)$/iu;

/** True for no place, a new line, and the text at this path or its end: "to ms-brandt-letter". */
function isEndOfText(place: string, path: string): boolean {
  if (/^(?:(?:on|as|in)\s+an?\s+(?:new|separate|last)\s+line|below|too|as\s+well)?$/iu.test(place))
    return true;
  const named = /^(?:to|in|into|on|onto|at)\s+(?:(?:the\s+)?end\s+of\s+)?(?<name>\S.*)$/iu.exec(place)
    ?.groups?.["name"];
  return (
    stripTextPlace(`x ${place}`, path).trim() === "x" || (named !== undefined && hasWordsInPath(path, named))
  );
}

/** "The line about bed 3" */
const LINE_ABOUT =
  /^(?:the|that)\s+(?:line|item|entry|point|one)\s+(?:about|with|of|for|on|that\s+says)\s+/iu;
/** A numbered item. No line is inserted between numbered items. */
const NUMBERED = /^\s*\d+[.)]\s/u;

/** A new line at the top, or next to the one line that the words of its place name. */
function insertLine(
  words: string,
  place: string,
  { path, lines }: TextSubject,
  state: PlanState,
): Resolution | undefined {
  const { side = "before", anchor } = IS_ADJACENT.exec(place)?.groups ?? {};
  if (anchor === undefined && !IS_ON_TOP.test(place)) return undefined;
  const anchorWords = anchor?.replace(LINE_ABOUT, "").replaceAll(/^["“]|["”]$/gu, "");
  const named =
    anchorWords === undefined || !areWordsOfLines(anchorWords, lines)
      ? []
      : findNamedLines(anchorWords, lines);
  const [next] = named;
  if ((anchor !== undefined && named.length !== 1) || lines.some((line) => NUMBERED.test(line)))
    return undefined;
  // Headings stay on top.
  const isHeading = (line: string): boolean => line.startsWith("#");
  const first = lines.some(isHeading) ? lines.findLast((line) => !isHeading(line)) : undefined;
  const similarLine = next ?? first ?? lines[0] ?? "";
  const mark =
    listMarkLength(words) > 0
      ? ""
      : similarLine.slice(0, listMarkLength(similarLine)).replace(/\[x\]/iu, "[ ]");
  const isBefore = /^(?:before|above)$/iu.test(side);
  const action = isBefore ? "insert_before" : "insert_after";
  return editText(path, { action, line: next ?? first ?? 1, text: `${mark}${words}` }, state);
}

/** A line at the end of a text, as dictated. */
const appendLine = (words: string, { path }: TextSubject, state: PlanState): Resolution | undefined =>
  callSkill("fs_append", [{ path, text: words, asItem: true }], state);

/** The name of the text after a new value: "150 in ms-okafor-letter", "Wednesday in the letter to Jess". */
const PLACE =
  /\s+(?:in|on|into)\s+(?<place>(?:the\s+|my\s+|our\s+)?(?:[\p{L}\p{N}'’]+(?:[-_][\p{L}\p{N}]+)+|(?:[\p{L}\p{N}'’_-]+\s){0,3}(?:letter|note|list|file|memo|card)(?:\s+(?:to|for|of|about)\s+[\p{L}'’]+(?:\s[\p{L}'’]+)?)?))$/iu;

/** "150 in ms-okafor-letter" without its place; undefined if that is another text. */
export function stripTextName(value: string, path: string): string | undefined {
  const match = PLACE.exec(value);
  const place = match?.groups?.["place"];
  if (match === null || place === undefined) return value;
  return hasWordsInPath(path, place) ? value.slice(0, match.index) : undefined;
}

const PLACE_NAME = String.raw`(?:it|that|there|this|here|(?:(?:the|my|our|that|this)\s+)?(?:[\p{L}\p{N}'’-]+\s+){0,3}(?:list|note|letter|menu|programme|program|log|sheet|file|text|end|bottom))`;
const PLACE_LAST = new RegExp(
  String.raw`\s+(?:to|on|in|into|onto|from|off|of|at|upon|under|below|out\s+of|off\s+of)\s+${PLACE_NAME}$`,
  "iu",
);

/** The last words after "to" or the like: "to packing". */
const NAME_LAST =
  /\s+(?:to|on|in|into|onto|from|off)\s+(?:(?:the|my|our)\s+)?(?<name>[\p{L}\p{N}'’-]+(?:\s+[\p{L}\p{N}'’-]+)?)$/iu;

/** A clause without the place at its end, if that is the text at this path: "milk to the list", "stove to packing" for packing-list.txt. */
export function stripTextPlace(clause: string, path: string): string {
  const plain = stripFiller(clause).text;
  const match = PLACE_LAST.exec(plain) ?? NAME_LAST.exec(plain);
  if (match === null) return clause;
  const named = contentStems(match[0]).filter((word) => !PLACES.has(word));
  const pathWords = new Set(pathStems(path));
  if (!named.every((word) => pathWords.has(word))) return clause;
  if (match.groups?.["name"] !== undefined && !isWholeName(match.groups["name"], path)) return clause;
  // "Take it off the list" keeps its "off".
  const particle = /^\s+(?<particle>off|out)\b/iu.exec(match[0])?.groups?.["particle"];
  return `${plain.slice(0, match.index)}${particle === undefined ? "" : ` ${particle}`}`;
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

/** True if words are the name of a text, but for "list" or "note" in it: "packing" for packing-list.txt. */
function isWholeName(name: string, path: string): boolean {
  const [words, own] = [name, path.replace(/^.*\//u, "").replace(/\.\w+$/u, "")].map((one) =>
    pathStems(one).filter((word) => !PLACES.has(word)),
  );
  return words !== undefined && words.length > 0 && words.join(" ") === own?.join(" ");
}

/** True if every word of a name is in a path: "wills letter" for will-petty-letter.txt. */
function hasWordsInPath(path: string, name: string): boolean {
  const words = pathStems(path);
  return pathStems(name).every((word) => words.includes(word) || words.includes(word.replace(/s$/u, "")));
}

const hasCheckbox = (line: string): boolean => checkItems([line]).length > 0;
const itemTextOf = (line: string): string => checkItems([line])[0]?.text ?? withoutListMark(line);

/** Ticks an item that has a box, and takes any other off the list. */
export const finishItem = (line: string, path: string, state: PlanState): Resolution | undefined =>
  editText(path, { action: hasCheckbox(line) ? "check" : "remove", item: itemTextOf(line) }, state);

/** The change of one text, if the skill for it may be called. */
export const editText = (
  path: string,
  args: Record<string, unknown>,
  state: PlanState,
): Resolution | undefined => callSkill("fs_edit", [{ path, ...args }], state);

/** Whole words in any letter case. */
export const wordPattern = (words: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])${escapeRegExp(words)}(?![\p{L}\p{N}])`, "iu");

const NO_OBJECT_WORDS = oneOf(
  "no|none|not|never|hardly|scarcely|barely|any|anything|everything|whatever|what|nothing|enough|to",
  "about",
);
/** Words that no item of a list begins with: "no rags", "to talk", "nothing", "time". */
export const NO_OBJECT = new RegExp(
  String.raw`^(?:${NO_OBJECT_WORDS}\b|(?:(?:some|a|a\s+bit\s+of|a\s+little)\s+)?(?:more\s+)?(?:time|help|sleep|rest|break|space|patience|luck|holiday)$)`,
  "iu",
);

/** "Karin and Per" are two items, "salt and pepper grinder" is one: each must be one or two words, or commas separate them. */
export function splitItems(words: string): string[] {
  const plain = words.replace(/^["“](.*)["”]$/u, "$1");
  const parts = plain.split(/\s*,\s*(?:and\s+)?|\s+and\s+/iu).filter((part) => part !== "");
  const isList = plain.includes(",") || parts.every((part) => part.split(" ").length <= 2);
  return isList ? parts : [plain];
}

/** Finds the part of a line that a new value replaces: the amount after the name, or the name itself. */
export function findValueInLine(
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

/** "Add gas 180 to the file": a line is added to a text that is not a list only if the person asks for that. */
export const TO_TEXT = /\s(?:to|in|into)\s+(?:the|that|this)\s+(?:file|note|text|log)[\s.!]*$/iu;

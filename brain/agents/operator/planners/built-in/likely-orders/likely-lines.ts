import { oneOf } from "@metahuman/core/text/patterns";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { withoutListMark } from "@metahuman/core/text/list-marks";
import type { Table } from "@metahuman/skills/fs-read/tables";
import { rowLabel } from "@metahuman/skills/table-edit/row-words";
import type { PlanState } from "../../../planner.ts";
import { findReplacementWords } from "../text/line-corrections.ts";
import { countSharedWords, isNamedWhole, findNamedLines } from "../text/matching-lines.ts";
import type { SubjectOf } from "../conversation/subjects.ts";
import { fitsColumn, indexTable } from "../table/words.ts";
import { findValueInLine } from "../text/text-edits.ts";
import { contentStems, contentWords } from "@metahuman/core/language/tokens/words";
import { deniesOr } from "../word-lists.ts";

// Orders for the lines of a text and the rows of a table, read by the lines, rows and columns that a message names.

/** An order as it was read. */
export interface LikelyOrder {
  /** In plain words: “remove "milk" from out/list.txt”. */
  says: string;
  calls: readonly PlannedCall[];
  /**
   * "explicit" if the form of the message is that of the order, "whole" if the message names all that the order is about, "part" if it
   * names a part of it.
   */
  evidence: "explicit" | "whole" | "part";
}

/** The old and the new value around a word such as "to", without the words after the new value. */
const NEW_VALUE =
  /^(?<what>.*\S)\s+(?:to|into|with|is\s+now|are\s+now|should\s+be|is|are|be|=|->|→)\s+(?:now\s+|only\s+|actually\s+|just\s+)*(?<value>\S.*?)(?:\s*[,;.!]\s.*|\s+(?:please|pls|now|instead|thanks|because|cause|cos|as\s+(?:he|she|they|it|we|i)\b.*))?[\s.!?]*$/iu;

export function readNewValue(request: string): { what: string; value: string } | undefined {
  const { what, value } = NEW_VALUE.exec(request)?.groups ?? {};
  const written = value?.replace(/\s+(?:now|please|pls)$/iu, "") ?? "";
  return what === undefined || written === "" ? undefined : { what, value: written };
}

/** True if the skill of a call is installed: an order that nothing can carry out is not offered. */
export const isInstalled = ({ skill }: Pick<PlannedCall, "skill">, { skills }: PlanState): boolean =>
  skills.some(({ id }) => id === skill);

const evidenceOf = (isWhole: boolean): LikelyOrder["evidence"] => (isWhole ? "whole" : "part");
const quoted = (text: string): string => `"${text}"`;

/** An order of this kind for the lines of a text; without a kind, only one that the form of the message says. */
export function guessTextOrder(
  kind: "add" | "change" | "remove" | undefined,
  { path, lines, isList }: SubjectOf<"text">,
  state: PlanState,
): LikelyOrder | undefined {
  const edit = (args: Record<string, unknown>): PlannedCall =>
    callOf("fs_edit", fromRequest({ path, ...args }), state.request);
  if (!isInstalled({ skill: "fs_edit" }, state) || !isInstalled({ skill: "fs_append" }, state))
    return undefined;
  const denied = readDenial(state.request, lines);
  if (denied !== undefined) {
    const { line, find, text } = denied;
    return {
      says: `replace ${quoted(find)} with ${quoted(text)} in ${path}`,
      calls: [edit({ line, find, text })],
      evidence: "explicit",
    };
  }
  if (kind === "remove") {
    const named = addPartlyNamed(findNamedLines(state.request, lines), lines, state.request);
    const items = named.map(withoutListMark);
    if (named.length === 0 || named.length > MAX_LINES) return undefined;
    const isBox = named.every((line) => /^[-*+]\s+\[[ x]\]/iu.test(line));
    const names = items.map(quoted).join(" and ");
    const action = isBox && TICKS.test(state.request) ? "check" : "remove";
    return {
      says: action === "check" ? `tick ${names} in ${path}` : `remove ${names} from ${path}`,
      calls: items.map((item) => edit({ action, item: item.replace(/^\[[ x]\]\s+/iu, "") })),
      evidence: evidenceOf(named.every((line) => isNamedWhole(state.request, line))),
    };
  }
  if (kind === "change") {
    const { what, value } = readNewValue(state.request) ?? {};
    if (what === undefined || value === undefined) return undefined;
    const [line, ...others] = findNamedLines(what, lines);
    if (line === undefined || others.length > 0) return undefined;
    const change = findChange(withoutListMark(line), what, value);
    if (change === undefined) return undefined;
    return {
      says: `replace ${quoted(change.find)} with ${quoted(value)} in the line ${quoted(line)} of ${path}`,
      calls: [edit({ line, find: change.find, text: value })],
      evidence: evidenceOf(change.isWhole),
    };
  }
  const written = WRITTEN_BEHIND.exec(state.request)?.groups?.["item"];
  const item = written ?? (kind === undefined ? undefined : readItem(state.request));
  if (item === undefined || NO_ITEM.test(item)) return undefined;
  if (written === undefined && (!isList || findNamedLines(item, lines).length > 0)) return undefined;
  return {
    says: `add ${quoted(item)} to ${path}`,
    calls: [callOf("fs_append", fromRequest({ path, text: item, asItem: true }), state.request)],
    evidence: written !== undefined ? "explicit" : evidenceOf(ON_LIST.test(state.request)),
  };
}

/** "The chains and the pads": the named lines, and each other line that has a word of the message which none of them has. */
function addPartlyNamed(
  named: readonly string[],
  lines: readonly string[],
  message: string,
): readonly string[] {
  if (named.length === 0) return named;
  const known = new Set(named.flatMap(contentStems));
  const rest = new Set(contentStems(message).filter((stem) => !known.has(stem)));
  const others = lines.filter(
    (line) => !named.includes(line) && contentStems(line).some((stem) => rest.has(stem)),
  );
  return [...named, ...others];
}

const WRITTEN_BEHIND_WORDS = oneOf(
  "this|it|also|too|one|a|another|more|line|below|under|underneath|beneath|there|at|the|end|bottom|in",
  "to|on|that|file|list|note",
);
/** "Add under it: fee for the organist 150", "below that put osmosis = …" */
const WRITTEN_BEHIND = new RegExp(
  String.raw`^(?:(?:and|also|then|please|pls|now|ok|okay|next)\s+)*(?:(?:(?:add|put|write|note|enter|append)\s+)(?:${WRITTEN_BEHIND_WORDS}\s*)*:|(?:below|under|underneath|beneath)\s+(?:it|that|this)\s+(?:add|put|write|note))\s+(?<item>\S.*?)\s*$`,
  "iu",
);
const NO_ITEM_WORDS = oneOf(
  "delete|remove|rename|move|copy|show|read|change|replace|undo|cancel|remind|put|back|don['’]?t",
);
/** An item is neither an order nor a file. */
const NO_ITEM = new RegExp(String.raw`\b${NO_ITEM_WORDS}\b|\.(?:md|txt|csv|json)\b`, "iu");

/** "Sorry, right hind not left", "not main source, I meant most common" */
const NOT_THIS = [
  /^(?:(?:sorry|no|oops|wait|oh|ah|hm+|my\s+mistake|i\s+mean|i\s+meant|it['’]?s|its|that['’]?s|should\s+be)[\s,]+)*(?<value>[^,.;?]{1,40}?)[\s,]+(?:and\s+)?not\s+(?<old>[^,.;?]{1,40}?)(?:\s+(?:sorry|please|pls))?[\s.!]*$/iu,
  /^(?:(?:sorry|no|oops|wait|oh|ah|hm+)[\s,]+)*not\s+(?<old>[^,.;?]{1,40}?)[\s,]+(?:but|i\s+mean|i\s+meant|it['’]?s|its|it\s+is|it\s+should\s+be|should\s+be)\s+(?<value>[^,.;?]{1,40}?)(?:\s+(?:sorry|please|pls))?[\s.!]*$/iu,
];

/** True for a message that says where its line goes, or what it should say instead. */
export const isExplicitOrder = (message: string): boolean =>
  WRITTEN_BEHIND.test(message) || NOT_THIS.some((form) => form.test(message));

/** The words of one line that a message denies, and those in their place, without the words that both have. */
function readDenial(
  message: string,
  lines: readonly string[],
): { line: string; find: string; text: string } | undefined {
  const groups = NOT_THIS.map((form) => form.exec(message)?.groups).find((found) => found !== undefined);
  const [old = "", value = ""] = [groups?.["old"], groups?.["value"]].map((one) => one?.trim());
  if (old === "" || value === "") return undefined;
  const having = lines.flatMap((line) => {
    const find = longestPart(old, line);
    return find?.toLowerCase() === old.toLowerCase() ? [{ line, find }] : [];
  });
  const [only, ...others] = having;
  if (only === undefined || others.length > 0) return undefined;
  const { line, find } = only;
  const text = findReplacementWords(value, find, line);
  return text === undefined ? undefined : { line, find, text };
}

const MAX_LINES = 3;
const TICKS = /\b(?:check|tick|done|finished|complete|completed|sorted|mark)\b/iu;

/** The part of a line that a new value replaces; `isWhole` if the message names it. */
function findChange(
  line: string,
  what: string,
  value: string,
): { find: string; isWhole: boolean } | undefined {
  const named = longestPart(what, line);
  if (named === undefined) return undefined;
  // "Block 6 half to block 6 finished": the new words repeat a part of the old ones.
  const isRepeated = contentWords(named).some((word) => contentWords(value).includes(word));
  if (named.toLowerCase() === line.toLowerCase() || isRepeated) return { find: named, isWhole: true };
  const change = findValueInLine(line, named, value);
  if (change?.find === undefined) return undefined;
  return { find: change.find, isWhole: change.find !== named };
}

/** The longest run of words of a message that a line has, too; it has at least one content word. */
function longestPart(message: string, line: string): string | undefined {
  const words = message.split(/\s+/u).map((word) => word.replace(/^["“(]+|["”),.:;!?]+$/gu, ""));
  for (let length = words.length; length > 0; length -= 1)
    for (let from = 0; from + length <= words.length; from += 1) {
      const part = words.slice(from, from + length).join(" ");
      const at = ` ${line.toLowerCase()} `.indexOf(` ${part.toLowerCase()}`);
      const next = line.slice(at + part.length).charAt(0);
      if (at >= 0 && contentWords(part).length > 0 && !/[\p{L}\p{N}]/u.test(next))
        return line.slice(at, at + part.length);
    }
  return undefined;
}

const BEFORE_ITEM_WORDS = oneOf(
  String.raw`(?:to|on|in)\s+(?:the|my|our|this|that)\s+list|oh|ok|okay|and|also|then|so|please|pls`,
  "can|could|would|will|you|u|we|i|need|needs|to|want|forgot|must|have|add|put|write|note|get|buy|include",
  "chuck|throw|stick|pop|bung|down|on|in|there|it|too|as|well|another|thing",
);
/** The words before and after the item that is added. */
const BEFORE_ITEM = new RegExp(String.raw`^(?:[^:]*:\s+|(?:${BEFORE_ITEM_WORDS}\s+|[,;]\s*)+)`, "iu");
const BEHIND_ITEM_WORDS = oneOf(
  String.raw`(?:to|on|onto|in|into)\s+(?:the|my|our|this|that)\s+(?:list|file|note)|on\s+(?:it|there)|too|also`,
  String.raw`as\s+well|please|pls|thanks|thank\s+you|then`,
);
const BEHIND_ITEM = new RegExp(String.raw`\s+${BEHIND_ITEM_WORDS}(?=$|\s|[.!?])`, "giu");

function readItem(request: string): string | undefined {
  const item = request
    .replace(BEFORE_ITEM, "")
    .replaceAll(BEHIND_ITEM, "")
    .replace(/\s*[,;]\s.*$/u, "")
    .replace(/[\s.!?]+$/u, "")
    .trim();
  const isThing = contentWords(item).length > 0 && item.split(/\s+/u).length <= MAX_ITEM_WORDS;
  return isThing && !/\?/u.test(request) ? item : undefined;
}

const MAX_ITEM_WORDS = 8;
const ON_LIST = /\b(?:to|on|in)\s+(?:the|my|our|this|that)\s+list\b/iu;

/** An order of this kind for the rows and cells of a table. */
export function guessTableOrder(
  kind: "add" | "change" | "remove",
  table: Table,
  path: string,
  state: PlanState,
): LikelyOrder | undefined {
  const edit = (args: Record<string, unknown>): PlannedCall =>
    callOf("table_edit", fromRequest({ path, ...args }), state.request);
  if (!isInstalled({ skill: "table_edit" }, state)) return undefined;
  const { request } = state;
  if (kind === "add") {
    const values = readRow(request, table);
    if (values === undefined) return undefined;
    const cells = table.columns.map((column, index): [string, string] => [column, values[index] ?? ""]);
    return {
      says: `add the row ${values.join(", ")} to ${path}`,
      calls: [edit({ action: "add", values: Object.fromEntries(cells) })],
      evidence: evidenceOf(
        values.every((value, index) => fitsColumn(value, kindsOf(table, path)[index] ?? "text")),
      ),
    };
  }
  if (kind === "remove") {
    const [row, ...others] = findNamedRows(request, table);
    if (row === undefined || others.length > 0) return undefined;
    const label = rowLabel(table, row);
    return {
      says: `remove the row ${quoted(label)} from ${path}`,
      calls: [edit({ action: "remove", row: label })],
      evidence: "whole",
    };
  }
  const change = readCells(request, table, path);
  // "Ines, Oslo, 30" is not a change of the only row with Oslo.
  const isOrdered = CHANGES.test(request);
  if (change === undefined || (request.includes(",") && !isOrdered)) return undefined;
  const { rows, column, value, isNamed } = change;
  const labels = rows.map((row) => rowLabel(table, row));
  return {
    says: `set ${column} of ${labels.map(quoted).join(" and ")} to ${quoted(value)} in ${path}`,
    calls: labels.map((row) => edit({ action: "set", row, column, value })),
    evidence: SHOULD_BE.test(request)
      ? "explicit"
      : evidenceOf(isOrdered && (isNamed || ORDERS_CHANGE.test(request))),
  };
}

const CHANGES_WORDS = oneOf(
  String.raw`change[ds]?|correct(?:ed)?|update[ds]?|set|fix(?:ed)?|make|mark|moved|rescheduled|should\s+be|is|are`,
  "now|to|tick|put",
);
/** Words of a change of what is there; "add 99" may be meant as one more. */
const CHANGES = new RegExp(String.raw`^(?!.*\badd\b).*\b${CHANGES_WORDS}\b`, "iu");

/** "The 8 should be 7" */
const SHOULD_BE = /^\W*the\s+\d[\d.,:]*\s+should\s+be\s+\d/iu;
/** A change that is ordered, and not only said. */
const ORDERS_CHANGE = /\b(?:change|correct|update|set|fix|mark|put|tick)\b/iu;

/** The cells that a message changes: the column and the rows that it names, or the one cell with the value that it replaces. */
function readCells(
  request: string,
  table: Table,
  path: string,
): { rows: number[]; column: string; value: string; isNamed: boolean } | undefined {
  const { columns } = table;
  const rows = findNamedRows(request, table);
  const inRows = new Set(rows.flatMap((row) => table.rows[row] ?? []).map((cell) => cell.toLowerCase()));
  const figures = (request.match(FIGURES) ?? []).filter((one) => !inRows.has(one.toLowerCase()));
  const [figure, ...others] = figures;
  if (rows.length === 0) {
    // "The 8 should be 7"
    const [now, ...more] = others;
    const cells = table.rows.flatMap((row, at) =>
      row.flatMap((cell, column) => (cell === figure ? [{ at, column: columns[column] ?? "" }] : [])),
    );
    const [only, ...further] = cells;
    if (only === undefined || now === undefined || further.length + more.length > 0) return undefined;
    const kind = kindsOf(table, path)[columns.indexOf(only.column)] ?? "text";
    // "Extend 120 to 2026-12-05" names the row by its number, and sets its day.
    const [column, ...fitting] =
      kind === "key" || !fitsColumn(now, kind) ? columnsFor(now, table, path) : [only.column];
    return column === undefined || fitting.length > 0
      ? undefined
      : { rows: [only.at], column, value: now, isNamed: true };
  }
  const stated = readNewValue(request)?.value;
  const named = columns.filter((column) => countSharedWords(request, column) > 0 && column !== stated);
  const kinds = kindsOf(table, path);
  const marks = columns.filter((column, index) => kinds[index] === "mark" && named.includes(column));
  const isDone =
    marks.length === 1 && figure === undefined && !(stated !== undefined && fitsColumn(stated, "mark"));
  const value = figure !== undefined && others.length === 0 ? figure : isDone ? "yes" : stated;
  if (value === undefined || value.split(/\s+/u).length > MAX_CELL_WORDS || NEGATED.test(request))
    return undefined;
  const fitting = isDone
    ? marks
    : named.filter((column) => fitsColumn(value, kinds[columns.indexOf(column)] ?? "text"));
  const [column, ...more] = fitting.length > 0 ? fitting : columnsFor(value, table, path);
  // Several rows only get a mark.
  if (column === undefined || more.length > 0 || (rows.length > 1 && !isDone)) return undefined;
  return { rows, column, value, isNamed: fitting.length > 0 || figure !== undefined };
}

const NEGATED = deniesOr("no");
/** Numbers, times and days in digits. */
const FIGURES = /(?<![\p{L}\d.,:-])\d[\d.,:-]*\d(?![\p{L}\d])|(?<![\p{L}\d.,:-])\d(?![\p{L}\d])/gu;

const kindsOf = (table: Table, path: string) => indexTable(table, path).kinds;

/** The columns that only a value of their form fits: a day, a number. */
const columnsFor = (value: string, table: Table, path: string): string[] =>
  table.columns.filter((_, index) => {
    const kind = kindsOf(table, path)[index] ?? "text";
    return kind !== "text" && kind !== "empty" && kind !== "key" && fitsColumn(value, kind);
  });

/**
 * The values of a row in a message, as many as the table has columns: separated by commas, or a name and then only figures.
 */
function readRow(request: string, { columns }: Table): string[] | undefined {
  const plain = request.replace(/[\s.!]+$/u, "");
  const [first = "", ...rest] = plain.split(/\s*,\s*/u);
  const beginning = (first.includes(":") ? first.slice(first.lastIndexOf(":") + 1).trim() : first)
    .replace(BEFORE_ITEM, "")
    .replace(/^(?:(?:the|a|an|new|row|line|entry|for)\s+)+/iu, "");
  const separated = [beginning, ...rest];
  const figures = /^(?<name>\p{L}[\p{L} '’-]*?)\s+(?<figures>\d[\d.]*(?:\s+\d[\d.]*)*)$/u.exec(
    beginning,
  )?.groups;
  const spaced = [figures?.["name"] ?? "", ...(figures?.["figures"] ?? "").split(/\s+/u)];
  const values = rest.length === 0 ? spaced : separated;
  const isRow =
    columns.length > 1 &&
    values.length === columns.length &&
    values.every((value) => value !== "" && value.split(/\s+/u).length <= MAX_CELL_WORDS);
  return isRow ? values : undefined;
}

const MAX_CELL_WORDS = 4;

/** The rows of which a message has a cell with letters wholly, or its first word: "Tunde" for "Tunde Bakare". */
function findNamedRows(message: string, { rows }: Table): number[] {
  const wordsOf = (text: string): string[] =>
    text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu) ?? [];
  const words = new Set(wordsOf(message));
  const isNamed = (cell: string): boolean => {
    const own = wordsOf(cell);
    return /\p{L}/u.test(cell) && cell.length > 1 && own.every((word) => words.has(word));
  };
  const isFirstWordNamed = (cell: string): boolean => {
    const [first = ""] = wordsOf(cell);
    return /^\p{Lu}/u.test(cell) && first.length > 2 && words.has(first);
  };
  // A cell that several rows share tells them not apart: "open", "high".
  const counts = new Map<string, number>();
  for (const cell of rows.flat()) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const namedBy = (test: (cell: string) => boolean): number[] =>
    [...rows.keys()].filter((row) => rows[row]?.some((cell) => counts.get(cell) === 1 && test(cell)));
  const whole = namedBy(isNamed);
  return whole.length > 0 ? whole : namedBy(isFirstWordNamed);
}

import { formatCount, asText } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { isListItem } from "@metahuman/core/text/list-marks";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { codeBlock, escapeInline } from "../markdown.ts";
import { parseExactJson } from "../support/exact-json.ts";
import { checklistViews } from "./checklist.ts";
import { answerFromCell, cellsAbout, tableViews, cannotAnswer } from "./table-views.ts";
import { tryReadTable } from "./tables.ts";
import { textField } from "../outputs.ts";
import { repeatedLines } from "../fs-edit/order-lines.ts";
import { isMarkdown } from "../support/markdown-table.ts";
import { plainWords } from "@metahuman/core/text/words";

/** The maximum number of lines that answer one question. */
const MAX_LINES = 5;
const HEADING = /^\s*#{1,6}\s/u;

const isWhole = (outputs: Record<string, unknown>): boolean =>
  outputs.truncated !== true && outputs.from === undefined;

const linesOf = (outputs: Record<string, unknown>): string[] => {
  const content = textField(outputs, "content").replace(/\r?\n$/u, "");
  return content === "" ? [] : content.split(/\r?\n/u);
};

const quotedLine = (line: string | undefined): string | undefined =>
  line === undefined ? undefined : `> ${escapeInline(line)}`;

const counting =
  (noun: string, amountIn: (outputs: Record<string, unknown>) => number): View =>
  (outputs) =>
    isWhole(outputs)
      ? `${escapeInline(textField(outputs, "path"))} has ${formatCount(amountIn(outputs), noun)}.`
      : undefined;

/** Stems of the content words; "fontSize" is "font" and "size". */
const stemsIn = (text: string): Set<string> =>
  new Set(
    plainWords(text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll("_", " "))
      .filter((word) => !FUNCTION_WORDS.has(word))
      .map(stem),
  );

/** The deepest level of a JSON text in which values are looked for. */
const MAX_DEPTH = 50;

/** The values in a JSON text whose places hold all words of a question: `server.port: 3000`. */
function valuesIn(content: string, asked: ReadonlySet<string>): string[] {
  const document = parseExactJson(content);
  const found: { place: string; value: unknown }[] = [];
  const walk = (value: unknown, place: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    const names = stemsIn(place);
    if (place !== "" && [...asked].every((word) => names.has(word))) found.push({ place, value });
    else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value))
        walk(inner, place === "" ? name : `${place}.${name}`, depth + 1);
  };
  walk(document, "", 0);
  return found.map(({ place, value }) => `${place}: ${asText(value)}`);
}

/** The lines with the most words of the question, or the section of a heading with them; none if no line has any. */
function linesAbout(lines: readonly string[], asked: ReadonlySet<string>): string[] {
  const shared = lines.map((line) => {
    const stems = stemsIn(line);
    return [...asked].filter((word) => stems.has(word)).length;
  });
  const most = Math.max(0, ...shared);
  if (most === 0) return [];
  const all = lines.flatMap((_, index) => (shared[index] === most ? [index] : []));
  const texts = all.filter((index) => !HEADING.test(lines[index] ?? ""));
  return (texts.length > 0 ? texts : all)
    .flatMap((index) => [index, ...linesOfSection(lines, index)])
    .slice(0, MAX_LINES)
    .map((index) => lines[index] ?? "");
}

/** The indexes of the non-blank lines of the section under a heading; none if the line is not a heading. */
function linesOfSection(lines: readonly string[], index: number): number[] {
  if (!HEADING.test(lines[index] ?? "")) return [];
  const end = lines.findIndex((line, at) => at > index && HEADING.test(line));
  return [...lines.keys()]
    .slice(index + 1, end < 0 ? lines.length : end)
    .filter((at) => lines[at]?.trim() !== "");
}

/** The lines that contain the words as they are written, in any letter case. */
const linesWith = (outputs: Record<string, unknown>, words: string): string[] =>
  linesOf(outputs).filter((line) => line.toLowerCase().includes(words.toLowerCase()));

/** True for a whole sentence: "that the deposit is due", "we agreed on it". */
const isStatement = (words: string): boolean =>
  /^(?:that|whether|if)\s/iu.test(words) ||
  /\s(?:is|are|was|were|has|have|had|can|must|will|should|does|did)(?:n[’']t)?\s/iu.test(words);

/** The maximum length of a line that is an item of a plain list, in characters. */
const MAX_ITEM_LENGTH = 60;

/** Words for the lines of a list in general. */
const ANY_ITEM: ReadonlySet<string> = new Set(
  "item thing entry point bullet row record line".split(" ").map(stem),
);

/**
 * How many keys, lines with the words, or items of a list a text has: "how many errors are in server.log" counts the lines with
 * that word. Undefined for a part of a file, and if nothing says what is counted.
 */
function countedIn(outputs: Record<string, unknown>, what: string): string | undefined {
  if (!isWhole(outputs)) return undefined;
  const path = escapeInline(textField(outputs, "path"));
  const document = path.endsWith(".json") ? parseExactJson(textField(outputs, "content")) : undefined;
  if (isRecord(document))
    return `${path} has ${formatCount(Object.keys(document).length, "key")} at its top.`;
  const lines = linesOf(outputs).filter((line) => !HEADING.test(line));
  const asked = [...stemsIn(what)].filter((word) => !ANY_ITEM.has(word));
  const found =
    asked.length === 0 ? [] : lines.filter((line) => asked.every((word) => stemsIn(line).has(word)));
  const items = lines.filter(isListItem);
  if (items.length > 0 && (found.length === 0 || found.length === items.length))
    return `${path} has ${formatCount(items.length, "item")}.`;
  // Each line of a plain list is an item: "eggs", "flour".
  if (asked.length === 0) {
    const filled = lines.filter((line) => line.trim() !== "");
    const noun = filled.every((line) => line.length <= MAX_ITEM_LENGTH) ? "item" : "line";
    return `${path} has ${formatCount(filled.length, noun)}.`;
  }
  if (found.length === 0) return `No line of ${path} contains “${escapeInline(what)}”.`;
  const quoted = found.length > MAX_LINES ? [] : found.map(quotedLine);
  const contain = found.length === 1 ? "contains" : "contain";
  const counted = `${formatCount(found.length, "line")} of ${path} ${contain} “${escapeInline(what)}”`;
  return [`${counted}${quoted.length > 0 ? ":" : "."}`, ...quoted].join("\n\n");
}

/** Answers to questions about a part of a file. */
export const views: Readonly<Record<string, View>> = {
  ...tableViews,
  ...checklistViews,
  "last-line": (outputs) => (isWhole(outputs) ? quotedLine(linesOf(outputs).at(-1)) : undefined),
  "first-line": (outputs) => quotedLine(linesOf(outputs)[0]),
  line: (outputs, { place }) => {
    const lines = linesOf(outputs);
    const line = quotedLine(lines[Number(place) - 1]);
    if (line !== undefined || !isWhole(outputs)) return line;
    return `${escapeInline(textField(outputs, "path"))} has only ${formatCount(lines.length, "line")}.`;
  },
  ...Object.fromEntries(
    (["last", "first"] as const).map((end): [string, View] => [
      `${end}-lines`,
      (outputs, { place }) => {
        const lines = linesOf(outputs);
        const count = Number(place);
        if ((end === "last" && !isWhole(outputs)) || !(count > 0)) return undefined;
        return lines.length === 0
          ? `${escapeInline(textField(outputs, "path"))} is empty.`
          : codeBlock((end === "last" ? lines.slice(-count) : lines.slice(0, count)).join("\n"));
      },
    ]),
  ),
  "lines-with": (outputs, { word = "" }) => {
    const found = linesWith(outputs, word);
    const path = escapeInline(textField(outputs, "path"));
    return found.length === 0
      ? `No line of ${path} contains “${escapeInline(word)}”.`
      : codeBlock(found.join("\n"));
  },
  "count-lines": (outputs, { word = "" }) => {
    if (!isWhole(outputs)) return undefined;
    const { length } = linesWith(outputs, word);
    const lines = formatCount(length, "line");
    return `${lines} of ${escapeInline(textField(outputs, "path"))} ${length === 1 ? "contains" : "contain"} “${escapeInline(word)}”.`;
  },
  lines: counting("line", (outputs) => linesOf(outputs).length),
  words: counting("word", (outputs) => (textField(outputs, "content").match(/\S+/gu) ?? []).length),
  characters: counting("character", (outputs) => [...textField(outputs, "content")].length),
  empty: (outputs) => {
    const path = escapeInline(textField(outputs, "path"));
    const filled = linesOf(outputs).filter((line) => line.trim() !== "");
    if (filled.length === 0) return isWhole(outputs) ? `Yes, ${path} is empty.` : undefined;
    return isWhole(outputs)
      ? `No, ${path} has ${formatCount(filled.length, "line")}.`
      : `No, ${path} is not empty.`;
  },
  repeated: (outputs) => {
    if (!isWhole(outputs)) return undefined;
    const path = escapeInline(textField(outputs, "path"));
    const found = [...repeatedLines(linesOf(outputs)).values()];
    const lines = found.map(({ text, at }) => `- ${escapeInline(text)} (${formatCount(at.length, "time")})`);
    return lines.length === 0 ? `No line is twice in ${path}.` : lines.join("\n");
  },
  size: (outputs) =>
    typeof outputs.bytes === "number"
      ? `${escapeInline(textField(outputs, "path"))} has ${formatCount(outputs.bytes, "byte")}.`
      : undefined,
  entries: (outputs, values, region) =>
    tableViews["entries"]?.(outputs, values, region) ?? countedIn(outputs, values["what"] ?? ""),
  mentions: (outputs, { word = "" }) => {
    const asked = stemsIn(word);
    const found = linesOf(outputs).filter((line) => {
      const stems = stemsIn(line);
      return asked.size === 0
        ? line.toLowerCase().includes(word.toLowerCase())
        : [...asked].every((one) => stems.has(one));
    });
    const path = escapeInline(textField(outputs, "path"));
    const quotes = found.slice(0, MAX_LINES).map(quotedLine);
    // Lines with the same words may say the opposite of a statement, so a person reads them.
    if (found.length > 0 && isStatement(word)) return [`${path} says about this:`, ...quotes].join("\n\n");
    if (found.length > 0) return [`Yes, ${path} mentions “${escapeInline(word)}”:`, ...quotes].join("\n\n");
    return isWhole(outputs) ? `No, ${path} does not mention “${escapeInline(word)}”.` : undefined;
  },
  ...Object.fromEntries(
    ["rows-where", "count-where"].map((name): [string, View] => [
      name,
      (outputs, values, region) =>
        isMarkdown(textField(outputs, "path")) && tryReadTable(outputs) === undefined
          ? answerAbout(outputs, values["about"] ?? "")
          : tableViews[name]?.(outputs, values, region),
    ]),
  ),
  cell: (outputs, { about = "" }) => answerFromCell(outputs, about) ?? answerAbout(outputs, about),
  about: (outputs, { about = "" }) => answerAbout(outputs, about),
};

/** True for the line of a table that names its columns. */
function isHeader(outputs: Record<string, unknown>, line: string): boolean {
  const columns = tryReadTable(outputs)?.columns;
  return columns !== undefined && columns.every((name) => line.includes(name)) && columns.length > 1;
}

/** The values, cells or lines of a file that have the words of a question; undefined if none has. */
function answerAbout(outputs: Record<string, unknown>, about: string): ReturnType<View> {
  const asked = stemsIn(about);
  const content = textField(outputs, "content");
  const values = valuesIn(content, asked);
  if (values.length > 0) return values.slice(0, MAX_LINES).map(escapeInline).join("\n");
  const cells = cellsAbout(outputs, about);
  if (cells !== undefined) return cells;
  // The names of the columns say nothing about the rows.
  const lines = linesAbout(linesOf(outputs), asked).filter((line) => !isHeader(outputs, line));
  return lines.length > 0 ? lines.map(quotedLine).join("\n\n") : cannotAnswer(outputs, about);
}

import { ARTICLES, FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { escapeRegExp, plainWords } from "@metahuman/core/text/words";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { rowsWhere } from "@metahuman/skills/fs-read/table-conditions";
import { amountIn, columnNamed, type Table, UnanswerableError } from "@metahuman/skills/fs-read/tables";
import { rowLabel, rowsNamed } from "@metahuman/skills/table-edit/row-words";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import type { Continued } from "./short-orders.ts";
import type { SubjectOf } from "./subjects.ts";
import { isSame } from "./table-orders.ts";

// Questions about the table of the conversation: another value, a figure, the rows of a condition.

type TableSubject = SubjectOf<"table">;

/** "And bass?", "what about the others?": the question before with another value. */
const OTHER_VALUE =
  /^(?:so\s+)?(?:and\s+|what\s+about\s+|how\s+about\s+)(?:for\s+|in\s+)?(?:the\s+)?(?<which>[\p{L}\p{N}][\p{L}\p{N} .'’-]{0,40}?)(?:\s+(?:then|now|please))?[\s?.!]*$/iu;
/** Not about what is the person's own, which memory may know. */
const ASKS =
  /^\W*(?:(?:and|so|but)\s+)?(?:who|which|what|whose|how|is|are|does|do|show|list|only)\b(?!.*\b(?:my|our|me)\b)/isu;
const FIGURE_WORD =
  /\b(?<figure>total|sum|avg|average|mean|max(?:imum)?|min(?:imum)?|highest|lowest|largest|smallest|biggest|most(?:\s+expensive)?|least(?:\s+expensive)?|cheapest|dearest|altogether|in total|all together|together|in all)\b/iu;
const FIGURES: Readonly<Record<string, string>> = {
  avg: "average",
  mean: "average",
  average: "average",
  highest: "highest",
  max: "highest",
  maximum: "highest",
  min: "lowest",
  minimum: "lowest",
  most: "highest",
  largest: "highest",
  biggest: "highest",
  "most expensive": "highest",
  dearest: "highest",
  lowest: "lowest",
  least: "lowest",
  smallest: "lowest",
  cheapest: "lowest",
  "least expensive": "lowest",
};
/** Only a figure: "and now the most expensive?", "the new sum, please". */
const ONLY_FIGURE = new RegExp(
  String.raw`^(?:(?:and|so|now|then)\s+)*(?:(?:what|which|who|how\s+much)(?:['’]?s)?\s+)?(?:(?:is|was)\s+)?(?:(?:one|it|that)\s+(?:is|was)\s+)?(?:now\s+)?(?:(?:the|my)\s+)?(?:new\s+)?(?:${FIGURE_WORD.source.replaceAll(String.raw`\b`, "")})(?:\s+(?:one|row|entry|amount|of\s+(?:them|these|those|all)))?(?:,?\s+(?:now|then|please))*[\s?.!]*$`,
  "iu",
);
/** True for a request that asks only for a figure: "what's the biggest one?". */
export const isOnlyFigure = (request: string): boolean => ONLY_FIGURE.test(request);
const WHO_ARE_THEY =
  /^\W*(?:(?:and|so)\s+)?(?:who|which|what)\s+(?:are|is)\s+(?:they|those|these|it|that)[\s?.!]*$/iu;
const HOW_MANY = /^\W*(?:and\s+|so\s+)?how many\s/iu;

/** "So who is left?" after a question: the same question again, or what is not done. */
const LEFT =
  /^\W*(?:(?:and|so|now|then)\s+)*(?:(?:who|what|which)(?:['’]?s|\s+is|\s+are|\s+ones?\s+are)?\s+(?:(?:still|now)\s+)?(?:left|missing|remaining|outstanding|open|that)|(?:and\s+)?now)(?:\s+(?:now|then|over))?[\s?.!]*$/iu;
/** "How much did I spend", "how much rent do I get": the sum of the amounts. */
const HOW_MUCH =
  /^\W*(?:(?:and|so)\s+)?how\s+much\b.*\b(?:spen[dt]|pa(?:y|id)|get|got|earn(?:ed)?|ma(?:k|d)e|owe|cost|need|is\s+(?:it|that)|are\s+(?:they|those))\b(?!\s+(?:to|for|by|with|on|in)\s)/iu;
/** A figure of something that the table may call otherwise, but of no other kind of thing. */
const OTHER_NAME =
  /^(?:(?:what(?:['’]?s|\s+is)|and|so|the)\s+)*(?:total|sum|average|highest|lowest|max(?:imum)?|min(?:imum)?)\s+(?!.*\b(?:tasks?|files?|folders?|notes?|reminders?|memories|lists?|schedules?)\b)\p{L}+$/iu;

const isOf = ({ calls }: EarlierRequest, path: string): boolean =>
  calls.some(({ skill, outputs }) => skill === "fs_read" && outputs?.["path"] === path);

const withPath = (request: string, path: string): string => {
  const asked = request.trim().replace(/[\s?.!]+$/u, "");
  return asked.includes(path.slice(path.lastIndexOf("/") + 1)) ? asked : `${asked} in ${path}`;
};

/** Words that ask, before those that choose rows. */
const WHICH_ROWS = /^\W*(?:(?:and|so|but|now)\s+)*(?:who|which|what)(?:['’]?s)?\s+(?<condition>\S.*)$/iu;
/** The words of a text that are in the cells of a table, and how many of the others mean something else. */
function wordsInCells({ columns, rows }: Table, text: string): { naming: string[]; others: number } {
  const cells = new Set(rows.flatMap((row) => row.flatMap((cell) => plainWords(cell))));
  const known = new Set(columns.flatMap((name) => plainWords(name)).map(stem));
  const words = plainWords(text.replaceAll(/['’]s\b/gu, ""));
  const naming = words.filter((word) => cells.has(word) && !ARTICLES.has(word));
  const others = words.filter(
    (word) => !cells.has(word) && !known.has(stem(word)) && !FUNCTION_WORDS.has(word),
  );
  return { naming, others: others.length };
}

/** A question that chooses rows of a table by a condition, or names one of them, in full; undefined for any other. */
function rowsChosen(asked: string, { table, path }: TableSubject): string | undefined {
  const condition = WHICH_ROWS.exec(asked)?.groups?.["condition"];
  if (condition === undefined || /\b(?:my|our|task|tasks|file|files)\b/iu.test(condition)) return undefined;
  try {
    const rows = rowsWhere(table, path, condition);
    if (rows.length > 0 && rows.length < table.rows.length) return `which rows of ${path} are ${condition}`;
  } catch (error) {
    if (!(error instanceof UnanswerableError)) throw error;
  }
  // "Who lives in 1B", "what does Jones pay now": one word may be a verb that the table does not know.
  const { naming, others: unknown } = wordsInCells(table, condition);
  const [row, ...others] = naming.length === 0 || unknown > 1 ? [] : rowsNamed(table, naming.join(" "));
  return row === undefined || others.length > 0
    ? undefined
    : `which rows of ${path} have ${rowLabel(table, row)}`;
}

/** A question about the last table in full; undefined if it is about no part of it. */
export async function askOfTable(state: PlanState, subject: TableSubject): Promise<Continued | undefined> {
  const { table, path } = subject;
  const asked = state.request.trim().replace(/[\s?.!]+$/u, "");
  const earlier = (await state.earlier?.()) ?? [];
  const which = OTHER_VALUE.exec(state.request.trim())?.groups?.["which"];
  if (which !== undefined) {
    const before = earlier.find(({ request }) => OTHER_VALUE.exec(request.trim()) === null);
    const other = before && withOtherValue(before.request, table, which);
    if (other !== undefined) return { request: other };
  }
  const [last] = earlier;
  if (last && WHO_ARE_THEY.test(asked) && HOW_MANY.test(last.request)) {
    const full = last.request.replace(HOW_MANY, "which ").replace(/[\s?.!]+$/u, "");
    const isNamed = full.includes(path.slice(path.lastIndexOf("/") + 1));
    return { request: isNamed ? full : `${full} in ${path}` };
  }
  const again = LEFT.test(asked)
    ? earlier.find((request) => ASKS.test(request.request) && isOf(request, path))
    : undefined;
  if (again !== undefined && !LEFT.test(again.request)) return { request: withPath(again.request, path) };
  const figure =
    FIGURE_WORD.exec(asked)?.groups?.["figure"]?.toLowerCase() ?? (HOW_MUCH.test(asked) ? "sum" : undefined);
  const chosen = figure === undefined ? rowsChosen(asked, subject) : undefined;
  if (chosen !== undefined) return { request: chosen };
  if (figure === undefined && !ASKS.test(asked)) return undefined;
  const words = asked.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  const columns = words.flatMap((word) => columnNamed(table, word) ?? []);
  // "Which cow has most on Monday" and "the most expensive item" ask for a figure of the numbers.
  const numeric = [...table.columns.keys()].filter((index) => isNumeric(table, index));
  // "Total payroll?": the table has only one kind of number, whatever the person calls it.
  const isCalledOtherwise = OTHER_NAME.test(asked) && subject.age === 0;
  const onlyNumeric =
    numeric.length === 1 && (columns.length > 0 || isCalledOtherwise || HOW_MUCH.test(asked))
      ? numeric[0]
      : undefined;
  const column =
    (figure === undefined ? undefined : (columns.find((index) => numeric.includes(index)) ?? onlyNumeric)) ??
    columns[0];
  const isOnly = ONLY_FIGURE.test(asked);
  if (column === undefined && !isOnly) return undefined;
  const current = subject.column === undefined ? undefined : table.columns.indexOf(subject.column);
  const isFigured = figure === undefined || (current !== undefined && numeric.includes(current));
  const named = column !== undefined ? table.columns[column] : isFigured ? subject.column : undefined;
  const requests =
    figure === undefined
      ? [`${asked} in ${path}`]
      : [
          `what is the ${FIGURES[figure] ?? "sum"} of ${named ?? "amount"} in ${path}`,
          `what is the ${FIGURES[figure] ?? "sum"} in ${path}`,
          `what is the ${FIGURES[figure] ?? "sum"} of ${path}`,
        ];
  const request = requests.slice(named === undefined ? 1 : 0).find((full) => {
    const reading = interpretAlone({ ...state, request: full });
    return reading.kind === "plan" && reading.readOnly;
  });
  return request === undefined ? undefined : { request };
}

const isNumeric = ({ rows }: Table, column: number): boolean =>
  rows.length > 0 &&
  rows.every((row) => (row[column] ?? "") === "" || amountIn(row[column] ?? "") !== undefined);

/** A request about one value of a column, about another value of that column. */
function withOtherValue(request: string, { columns, rows }: Table, which: string): string | undefined {
  const cellsOf = (index: number): string[] => rows.map((row) => row[index]?.trim() ?? "");
  const named = (words: string): RegExp =>
    new RegExp(String.raw`(?<![\p{L}\p{N}])${escapeRegExp(words)}(?![\p{L}\p{N}])`, "iu");
  // "And tuesday?" after a question about the column of Monday.
  const other = columns.find((name) => isSame(name, which));
  const before =
    other === undefined ? undefined : columns.find((name) => name !== other && named(name).test(request));
  if (before !== undefined) return request.replace(named(before), which);
  for (const index of columns.keys()) {
    const cells = cellsOf(index);
    if (!cells.some((cell) => isSame(cell, which))) continue;
    for (const cell of cells)
      if (cell !== "" && named(cell).test(request)) return request.replace(named(cell), which);
  }
  return undefined;
}

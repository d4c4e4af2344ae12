import { oneOf } from "@metahuman/core/text/patterns";
import type { TableCondition, TableQuery } from "@metahuman/skills/fs-read/table-query";
import { plainWords } from "@metahuman/core/text/words";
import { columnOfPeople } from "@metahuman/skills/fs-read/tables";
import { stripFiller } from "../conversation/short-orders.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { TableQuestion } from "./table-question.ts";
import {
  COUNT_COLUMN,
  isUndoneWord,
  findSpans,
  type SpanOf,
  type TableIndex,
  findUndoneColumn,
} from "./words.ts";
import { columnsOfKind } from "./table-text.ts";
import { anyOf, ASKS_FOR, ASKS_IF, SEVERAL } from "../word-lists.ts";

// Reads a question about a table as a query. "How much has Pekka paid?" becomes the sum of "amount" of his rows that are paid; "and
// Olli?" becomes the query before, with other rows. Each word chooses rows, names a figure or a column, or says nothing.

const QUESTION = new RegExp(
  String.raw`^(?:${ASKS_FOR}|${ASKS_IF}|can\s+you\s+tell|tell(?:\s+me)?|show|list|give\s+me|count)(?:['’]?s)?\b`,
  "iu",
);
const ELSEWHERE_WORDS = oneOf(
  "my|task|tasks|reminders?|remind|folder|folders|schedules?|memory|remember|why|should|would|could",
  String.raw`tomorrow|weather|if|unless|or|it\s+mean`,
);
/** Words of questions about something else: tasks, files, reasons, the future. */
const ELSEWHERE = new RegExp(String.raw`\b${ELSEWHERE_WORDS}\b`, "iu");
const PRONOUN = anyOf(SEVERAL);
const EVERYONE = /\b(?:everyone|everybody|all\s+of\s+(?:them|us|you)|they\s+all|we\s+all|all)\b/iu;

const ELLIPTIC_WORDS = oneOf(
  "who|whose|what|which|how|is|are|was|were|has|have|did|does|do|where|when|now|show|tell|list|total",
  "everyone|everybody",
);
/** "And for Olli?", "what about Ines?" */
const ELLIPTIC = new RegExp(
  String.raw`^\W*(?:and|so|what\s+about|how\s+about)\s+(?:for\s+|in\s+|on\s+|from\s+)?(?:the\s+)?(?!${ELLIPTIC_WORDS}\b)[^,;]{1,40}$`,
  "iu",
);
const WHICH_ALL = /\b(?:which|who|what)\s+all\b/iu;
const TOGETHER = /\b(?:altogether|all\s+together|in\s+total|in\s+all)\b/iu;
/** "Who are they?" after rows were counted, "which bed is that?" after the highest value. */
const WHO_ARE_THEY =
  /^(?:(?:and|so)\s+)?(?:who|which|what)\s+(?:\p{L}+\s+)?(?:are|is|was|were)\s+(?:they|those|these|it|that|them)[\s?.!]*$/iu;

/** The query of a question, and how much of it the question itself says. */
export interface QueryReading {
  query: TableQuery;
  /** A word chooses rows, names a column or a figure; otherwise the question only continues an earlier one. */
  isSelfContained: boolean;
  /** A figure of no particular rows, which may be those that were just shown. */
  isFigureAlone?: boolean;
}

/**
 * What a question asks of a table. `before` are the earlier questions of the conversation, newest first: "them", "and Pekka" and
 * "who's left?" continue them. Undefined if a word means nothing in the table, or if nothing certain is asked.
 */
export function readQuery(
  request: string,
  index: TableIndex,
  { today, before }: { today: string; before: readonly string[] },
): QueryReading | undefined {
  const earlier = { index, today, before };
  if (request.length > MAX_ORDER || request.includes("\n")) return undefined;
  const { text } = stripFiller(request);
  if (NEW_ROW.test(text)) return undefined;
  // "Altogether" at the end asks for a sum.
  const isTotal = TOGETHER.test(request) && !TOGETHER.test(text);
  const questionText = (isTotal ? `${text} altogether` : text)
    .replace(/\ball\s+together\b/iu, "altogether")
    .replace(/(?:\b(?:in|of|from|for)\s+)?\S+(?:\.|\s+dot\s+)(?:csv|tsv|md)\b/giu, " ")
    // "Those two" are those that were shown.
    .replace(/\b(those|these|them|the)\s+(?:two|three|four|five|six|[2-6])\b/giu, "$1")
    .replace(/\s+/gu, " ")
    .replace(/^[\s,]+/u, "");
  // "My average grade in grades.csv" is about the table that it names.
  const isNamed = /\.(?:csv|tsv|md)\b/iu.test(request);
  if (questionText === "" || ELSEWHERE.test(isNamed ? questionText.replace(/\bmy\b/iu, " ") : questionText))
    return undefined;
  const tableWords = findSpans(questionText, index, today);
  const question = new QueryQuestion(questionText, tableWords, index);
  if (question.unknown.length > 0) {
    if (question.isCountOfUnknown) return { query: { where: [], figure: "count" }, isSelfContained: false };
    const last = LAST_QUESTION.exec(questionText)?.groups?.["question"];
    return last === undefined
      ? readQuestionOfRow(question, questionText)
      : readQuery(isNamed ? `${last} in it.csv` : last, index, { today, before });
  }
  if (question.isUngrouped) return undefined;
  const isAsked =
    QUESTION.test(questionText) ||
    /\?\s*$/u.test(request.trim()) ||
    question.figure !== undefined ||
    question.isGrouped;
  if (ELLIPTIC.test(request) && question.figure === undefined)
    return readEllipticQuestion(request, question, earlier);
  const ownQuery = question.isOpenCount ? undefined : question.readQuery();
  if (!isAsked) return readEllipticQuestion(request, question, earlier);
  if (ownQuery === undefined && WHO_ARE_THEY.test(questionText)) {
    const earlierQuery = findEarlierQuery(earlier);
    const isOne = earlierQuery?.figure === "highest" || earlierQuery?.figure === "lowest";
    return (
      earlierQuery && {
        query: isOne ? earlierQuery : { where: earlierQuery.where, figure: "rows" },
        isSelfContained: false,
      }
    );
  }
  const figureReading = ownQuery === undefined ? readFigureOfSameColumn(question, earlier) : undefined;
  if (figureReading !== undefined) return figureReading;
  if (ownQuery === undefined)
    return (
      (question.isOpenCount ? readEllipticQuestion(request, question, earlier) : undefined) ??
      readQuestionOfUndone(question, earlier)
    );
  const isOfThem = PRONOUN.test(questionText) && ownQuery.where.length === 0;
  const where = isOfThem ? (findEarlierQuery(earlier)?.where ?? []) : ownQuery.where;
  return {
    query: { ...ownQuery, where },
    isSelfContained: ownQuery.where.length > 0 || ownQuery.column !== undefined,
    isFigureAlone: where.length === 0 && ownQuery.figure !== "rows" && ownQuery.group === undefined,
  };
}

/** "Add 2026-11-27, 295, 10" asks nothing; "add up the hours" does. */
const NEW_ROW =
  /^(?:add|insert|enter|append|record|log)\b(?!\s+(?:up|it|them|that|these|those|all|everything|together)\b)(?=[^?]*(?:,|:|\brow\b|\bentry\b))/iu;

/** "What brings Krüger": one word may be a verb that the table does not know, if the words name one row. */
function readQuestionOfRow(question: QueryQuestion, questionText: string): QueryReading | undefined {
  const [cell, ...others] = question.spansOf("cell");
  const isOfRow = cell?.isWhole === true && cell.rows.length === 1 && others.length === 0;
  return question.unknown.length === 1 &&
    isOfRow &&
    ASKS_ROW.test(questionText) &&
    question.figure === undefined
    ? { query: { where: question.readConditions(), figure: "rows" }, isSelfContained: false }
    : undefined;
}

/** “How” asks for a figure, and for no row. */
const ASKS_ROW =
  /^(?:(?:and|so)\s+)?(?:(?:in|on|at|for|with|to|from)\s+)?(?:who|what|which|where|when|whose)(?:['’]?s)?\b/iu;

/** "How bad is it, what have we spent altogether": the question at the end. */
const LAST_QUESTION =
  /^[^,;]+[,;]\s+(?:so\s+|and\s+)?(?<question>(?:who|what|which|how|when|where)\b[^,;]+)$/iu;

/** "And what does it come to now": a figure of the column that the question before was about. */
function readFigureOfSameColumn(
  question: QueryQuestion,
  earlier: EarlierQuestions,
): QueryReading | undefined {
  const figure = question.figure ?? (COMES_TO.test(question.text) ? "sum" : undefined);
  if (figure === undefined || figure === "share" || question.findNumberColumn() !== undefined)
    return undefined;
  const { column } = findEarlierQuery(earlier) ?? {};
  const at = column === undefined ? -1 : earlier.index.table.columns.indexOf(column);
  return column === undefined || earlier.index.kinds[at] !== "amount"
    ? undefined
    : { query: { where: question.readConditions(), figure, column }, isSelfContained: false };
}

const COMES_TO = /\b(?:come|comes|amount|amounts|add\s+up|adds\s+up)\s+to\b/iu;

interface EarlierQuestions {
  index: TableIndex;
  today: string;
  before: readonly string[];
}

/** How many questions back a question may continue. */
const MAX_BEFORE = 4;

/** The newest earlier question that is read. */
export function findEarlierQuery({ before, ...rest }: EarlierQuestions): TableQuery | undefined {
  for (const [place, request] of before.slice(0, MAX_BEFORE).entries()) {
    const reading = readQuery(request, rest.index, { ...rest, before: before.slice(place + 1) });
    if (reading !== undefined) return reading.query;
  }
  return undefined;
}

/** "And Pekka", "on A3?": the question before, about other rows. */
function readEllipticQuestion(
  request: string,
  question: QueryQuestion,
  earlier: EarlierQuestions,
): QueryReading | undefined {
  const where = question.readConditions();
  const isBare =
    question.isOpenCount ||
    /^\W*(?:and|what\s+about|how\s+about)\b/iu.test(request) ||
    /\?\s*$/u.test(request.trim());
  const [last] = earlier.before;
  const earlierReading =
    last === undefined
      ? undefined
      : readQuery(last, earlier.index, { ...earlier, before: earlier.before.slice(1) });
  if (!isBare || earlierReading === undefined || where.length === 0 || question.hasAmount) return undefined;
  const columns = new Set(where.map(({ column }) => column));
  const keptConditions = earlierReading.query.where.filter(({ column }) => !columns.has(column));
  // The condition that is checked comes last.
  const all =
    earlierReading.query.figure === "all" ? [...where, ...keptConditions] : [...keptConditions, ...where];
  return { query: { ...earlierReading.query, where: all }, isSelfContained: false };
}

/** "Who's left?", "what is open now?": the rows that are not done, or the earlier question about them again. */
function readQuestionOfUndone(question: QueryQuestion, earlier: EarlierQuestions): QueryReading | undefined {
  const words = question.words.map(({ text }) => text);
  if (!words.some(isUndoneWord)) return undefined;
  for (const [place, request] of earlier.before.slice(0, MAX_BEFORE).entries()) {
    const reading = readQuery(request, earlier.index, {
      ...earlier,
      before: earlier.before.slice(place + 1),
    });
    const isOfMarks = reading?.query.where.some(
      (condition) => "mark" in condition && condition.mark === "no",
    );
    if (reading !== undefined && isOfMarks === true)
      return {
        query: { where: reading.query.where, figure: question.isCount ? "count" : "rows" },
        isSelfContained: false,
      };
  }
  const column = findUndoneColumn(words, earlier.index);
  const name = column === undefined ? undefined : earlier.index.table.columns[column];
  return name === undefined
    ? undefined
    : {
        query: { where: [{ column: name, mark: "no" }], figure: question.isCount ? "count" : "rows" },
        isSelfContained: false,
      };
}

/** What a question asks. */
class QueryQuestion extends TableQuestion {
  /** What is asked; undefined if the words choose no rows and name no figure and no column. */
  readQuery(): TableQuery | undefined {
    if (this.spansOf("amount").length > this.readComparisons().length) return undefined;
    const chosen = this.readConditions();
    const where = [...chosen, ...this.readLastEntry(chosen)];
    const { table, kinds } = this.index;
    const nameOf = (column: number | undefined): { column?: string } =>
      column === undefined ? {} : { column: table.columns[column] ?? "" };
    const numbers = this.findNumberColumn();
    const isHowMuch = /\bhow\s+much\b/iu.test(this.text);
    const grouped = this.findGroupColumn();
    if (this.figure === "share") return where.length === 0 ? undefined : { where, figure: "share" };
    if (this.figure !== undefined) {
      // "Who has the most entries" counts rows.
      if (/\b(?:entries|rows|lines|times)\b/iu.test(this.text)) return undefined;
      if (numbers === undefined) return undefined;
      const isExtreme = this.figure === "highest" || this.figure === "lowest";
      const group = grouped ?? (isExtreme && this.#isOfPeople() ? this.#findPeopleColumn() : undefined);
      return { where, figure: this.figure, ...nameOf(numbers), ...(group !== undefined && { group }) };
    }
    if (grouped !== undefined && numbers !== undefined)
      return { where, figure: "sum", ...nameOf(numbers), group: grouped };
    const columnAfterHow = this.#findColumnAfterHow();
    if (columnAfterHow !== undefined && kinds[columnAfterHow] === "amount")
      return { where, figure: "sum", ...nameOf(columnAfterHow) };
    const isCome = COMES_TO.test(this.text);
    const isOneFigure = this.#isOneThing() && /^how\s+much\s+(?:is|are|was|does|do|for)\b/iu.test(this.text);
    if ((isHowMuch || isCome) && numbers !== undefined)
      return { where, figure: isOneFigure ? "rows" : "sum", ...nameOf(numbers) };
    const columnOfVerb = this.isCount ? this.#findColumnOfVerb() : undefined;
    if (columnOfVerb !== undefined) return { where, figure: "sum", ...nameOf(columnOfVerb) };
    if (this.isCount) return this.#readCount(where);
    if (isHowMuch) return undefined;
    return this.#readRows(where);
  }

  /** Counts rows, or reads the number of pieces of the one row that is named. */
  #readCount(where: readonly TableCondition[]): TableQuery | undefined {
    const numbers = this.findNumberColumn();
    const name = numbers === undefined ? "" : (this.index.table.columns[numbers] ?? "");
    const isNamed = this.spansOf("column").some(({ column }) => column === numbers);
    if (this.#isOneThing() && (COUNT_COLUMN.test(name) || isNamed))
      return { where: [...where], figure: "rows", column: name };
    return { where: [...where], figure: "count" };
  }

  /** True if the words name one row, by its first cell at least. */
  #isOneThing(): boolean {
    const cells = this.spansOf("cell");
    const rows = [...this.index.table.rows.keys()].filter((row) =>
      cells.every((cell) => cell.rows.includes(row)),
    );
    return cells.some(({ column }) => column === 0) && rows.length === 1;
  }

  #readRows(where: TableCondition[]): TableQuery | undefined {
    const { table } = this.index;
    const column = this.spansOf("column").at(-1)?.column ?? this.#findColumnOfQuestion();
    const marks = this.spansOf("mark");
    // "Is anything unpaid" asks which rows are.
    const isCheck =
      /^(?:is|are|was|were|do|does|did|has|have|so\s+everyone|everyone)\b(?!\s+(?:there\s+)?any(?:thing|one|body)\b)/iu.test(
        this.text,
      );
    // "Which all have not paid" asks for the rows.
    const isAll = EVERYONE.test(this.text) && marks.length > 0 && !WHICH_ALL.test(this.text);
    if (isCheck || isAll) {
      const subject = this.spansOf("cell").length > 0 || isAll;
      if (marks.length !== 1 || !subject) return undefined;
      const last = where.filter((condition) => "mark" in condition);
      return { where: [...where.filter((condition) => !("mark" in condition)), ...last], figure: "all" };
    }
    if (where.length === 0) return undefined;
    return { where, figure: "rows", ...(column !== undefined && { column: table.columns[column] ?? "" }) };
  }

  /** "Where" and "when" ask for the column of places or days. */
  #findColumnOfQuestion(): number | undefined {
    const { table } = this.index;
    const days = columnsOfKind(this.index, "day");
    if (/^when\b|\b(?:what|which)\s+(?:day|date)\b/iu.test(this.text) && days.length === 1) return days[0];
    const place = table.columns.findIndex((name) =>
      /\b(?:town|city|place|location|address|room|shelf)\b/iu.test(name),
    );
    return /^where\b/iu.test(this.text) && place >= 0 ? place : undefined;
  }

  /** The column right after "how many" or "how much": "how many hours did Mette do". */
  #findColumnAfterHow(): number | undefined {
    const how = this.words.findIndex(({ text }) => text === "how");
    const span = how < 0 ? undefined : this.spansOf("column").find(({ from }) => from === how + 2);
    return span?.column;
  }

  /** "How many cookies did we sell": the numbers that a verb names, and not a noun. */
  #findColumnOfVerb(): number | undefined {
    const { table, kinds } = this.index;
    const isVerb = ({ from, column }: SpanOf<"column">): boolean =>
      kinds[column] === "amount" &&
      !plainWords(table.columns[column] ?? "").includes(this.words[from]?.text ?? "");
    return this.readComparisons().length > 0 ? undefined : this.spansOf("column").find(isVerb)?.column;
  }

  #findPeopleColumn(): string | undefined {
    const { table, kinds } = this.index;
    const peopleColumn = columnOfPeople(table) ?? kinds.findIndex((kind) => kind === "text");
    const name = peopleColumn < 0 ? undefined : table.columns[peopleColumn];
    const cells = table.rows.map((row) => row[peopleColumn] ?? "");
    return new Set(cells).size < cells.length ? name : undefined;
  }

  #isOfPeople(): boolean {
    return /^(?:and\s+)?(?:who|whose)\b/iu.test(this.text);
  }

  /** True for "per region" if no column is a region. */
  get isUngrouped(): boolean {
    return this.findGroupWord() >= 0 && this.figure !== undefined && !this.isGrouped;
  }
}

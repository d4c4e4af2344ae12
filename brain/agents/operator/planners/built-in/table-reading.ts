import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import type { TableCondition, TableQuery } from "@metahuman/skills/fs-read/table-query";
import { columnOfPeople, columnToGroupBy } from "@metahuman/skills/fs-read/tables";
import { withoutFiller } from "./short-orders.ts";
import {
  type Figure,
  COMPARISONS,
  COUNT_COLUMN,
  figureOf,
  MONEY_COLUMN,
  SUPERLATIVE_COLUMNS,
  TIME_COLUMN,
  readWords,
  type SpanOf,
  type TableIndex,
  type TableWords,
  undoneIn,
  isUndone,
  type Word,
} from "./table-words.ts";

// Questions about a table, read word by word in any order: words that choose rows, words for a figure, a column.

const list = (words: string): readonly string[] => words.split(" ");
/** Words of questions that choose nothing. */
const IDLE = new Set(
  list(
    "still yet already now so far currently again please left all in total altogether together everybody everyone got get have has had did do does done people person " +
      "members member row rows entry entries record records line lines item items thing things one ones table list file sheet number amount value " +
      "tell show give say know see find work worked working make made come comes came need needs live lives living sing sings belong belongs " +
      "stay stays sit sits play plays want wants go goes went sell sells sold use used take took money name names much many only just also too as well us me we i you they them " +
      "their those these that this there here anybody anyone nobody ever today yesterday morning next first second last each per by for of on at from with " +
      "cost costs pays paying spend spent earn earned charge charges read lend lends lent borrow borrowed euro euros pound pounds dollar dollars " +
      "there're club group team shop stock whole remaining right ok empty vacant blank then exactly whats whos hows wheres whens what's who's",
  ).flatMap((word) => [word, stem(word)]),
);
const MONEY_WORDS =
  /^(?:money|cost|costs|euros?|pounds?|dollars?|owe|owes|owed|owing|pay|pays|paid|price|expensive|cheapest|dearest|priciest|spend|spent|earn|earned|charge|charges)$/u;
const SOLD_OUT = /\b(?:out\s+of\s+stock|sold\s+out|run(?:ning)?\s+out|none\s+left)\b/iu;
/** "Who pays most" is about the amounts, whoever has paid. */
const PRESENT = /^(?:pay|pays|owe|owes|cost|costs)$/u;
const TIME_WORDS = /^(?:hours?|worked|work|time|long|longest|shortest)$/u;

const EMPTY = /\b(?:empty|vacant|blank)\b/iu;
const QUESTION =
  /^(?:who|whom|whose|which|what|when|where|how|is|are|was|were|do|does|did|has|have|can\s+you\s+tell|tell\s+me|show|list|give\s+me|count)(?:['’]?s)?\b/iu;
/** Not about the table: the person's own things, the program, reasons, times to come. */
const ELSEWHERE =
  /\b(?:my|task|tasks|reminders?|remind|folder|folders|schedules?|memory|remember|why|should|would|could|tomorrow|weather|if|unless|or|it\s+mean)\b/iu;
const PRONOUN = /\b(?:them|their|they|those|these|theirs)\b/iu;
const NEGATION =
  /^(?:not|never|no|nobody|none|without|hasn't|haven't|didn't|isn't|aren't|doesn't|don't|wasn't|weren't|hasnt|havent|didnt|isnt|arent|doesnt|dont|n't|neither|yet\s+to)$/u;
const EVERYONE = /\b(?:everyone|everybody|all\s+of\s+(?:them|us|you)|they\s+all|we\s+all|all)\b/iu;

/** "And for Olli?", "what about Ines?" */
const ELLIPTIC =
  /^\W*(?:and|so|what\s+about|how\s+about)\s+(?:for\s+|in\s+|on\s+|from\s+)?(?:the\s+)?(?!(?:who|whose|what|which|how|is|are|was|were|has|have|did|does|do|where|when|now|show|tell|list|total|everyone|everybody)\b)[^,;]{1,40}$/iu;
const MAX_LENGTH = 160;

/** A question that is read, and whether it says by itself which rows, which figure and that it is one. */
export interface ReadQuery {
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
): ReadQuery | undefined {
  if (request.length > MAX_LENGTH || request.includes("\n")) return undefined;
  const { text } = withoutFiller(request);
  const asked = text
    .replace(/\b(?:in|of|from)\s+\S+(?:\.|\s+dot\s+)(?:csv|tsv|md)\b/giu, " ")
    .replace(/\s+/gu, " ")
    .replace(/^[\s,]+/u, "");
  if (asked === "" || ELSEWHERE.test(asked)) return undefined;
  const known = readWords(asked, index, today);
  const question = new QuestionWords(asked, known, index);
  if (question.unknown.length > 0) return undefined;
  if (question.isUngrouped) return undefined;
  const isAsked =
    QUESTION.test(asked) ||
    /\?\s*$/u.test(request.trim()) ||
    question.figure !== undefined ||
    question.isGrouped;
  if (ELLIPTIC.test(request) && question.figure === undefined)
    return continued(request, question, { index, today, before });
  const own = question.isOpenCount ? undefined : question.query();
  if (!isAsked) return continued(request, question, { index, today, before });
  if (own === undefined)
    return (
      (question.isOpenCount ? continued(request, question, { index, today, before }) : undefined) ??
      repeated(question, { index, today, before })
    );
  const isOfThem = PRONOUN.test(asked) && own.where.length === 0;
  const where = isOfThem ? (beforeOf({ index, today, before })?.where ?? []) : own.where;
  return {
    query: { ...own, where },
    isSelfContained: own.where.length > 0 || own.column !== undefined,
    isFigureAlone: where.length === 0 && own.figure !== "rows" && own.group === undefined,
  };
}

interface Earlier {
  index: TableIndex;
  today: string;
  before: readonly string[];
}

/** How many questions back a question may continue. */
const MAX_BEFORE = 4;

/** The newest earlier question that is read. */
function beforeOf({ before, ...rest }: Earlier): TableQuery | undefined {
  for (const [place, request] of before.slice(0, MAX_BEFORE).entries()) {
    const read = readQuery(request, rest.index, { ...rest, before: before.slice(place + 1) });
    if (read !== undefined) return read.query;
  }
  return undefined;
}

/** "And Pekka", "on A3?": the question before, about other rows. */
function continued(request: string, question: QuestionWords, earlier: Earlier): ReadQuery | undefined {
  const where = question.conditions();
  const isBare =
    question.isOpenCount ||
    /^\W*(?:and|what\s+about|how\s+about)\b/iu.test(request) ||
    /\?\s*$/u.test(request.trim());
  const [last] = earlier.before;
  const before =
    last === undefined
      ? undefined
      : readQuery(last, earlier.index, { ...earlier, before: earlier.before.slice(1) });
  if (!isBare || before === undefined || where.length === 0 || question.hasAmount) return undefined;
  const columns = new Set(where.map(({ column }) => column));
  const kept = before.query.where.filter(({ column }) => !columns.has(column));
  // What is checked comes last.
  const all = before.query.figure === "all" ? [...where, ...kept] : [...kept, ...where];
  return { query: { ...before.query, where: all }, isSelfContained: false };
}

/** "Who's left?", "what is open now?": the rows that are not done, or the earlier question about them again. */
function repeated(question: QuestionWords, earlier: Earlier): ReadQuery | undefined {
  const words = question.words.map(({ text }) => text);
  if (!words.some(isUndone)) return undefined;
  for (const [place, request] of earlier.before.slice(0, MAX_BEFORE).entries()) {
    const read = readQuery(request, earlier.index, { ...earlier, before: earlier.before.slice(place + 1) });
    const isOfMarks = read?.query.where.some((condition) => "mark" in condition && condition.mark === "no");
    if (read !== undefined && isOfMarks === true)
      return {
        query: { where: read.query.where, figure: question.isCount ? "count" : "rows" },
        isSelfContained: false,
      };
  }
  const column = undoneIn(words, earlier.index);
  const name = column === undefined ? undefined : earlier.index.table.columns[column];
  return name === undefined
    ? undefined
    : {
        query: { where: [{ column: name, mark: "no" }], figure: question.isCount ? "count" : "rows" },
        isSelfContained: false,
      };
}

/** The words of a question, and what they ask. */
class QuestionWords {
  readonly words: readonly Word[];
  readonly figure: Figure | undefined;
  readonly isCount: boolean;
  readonly hasAmount: boolean;
  readonly isGrouped: boolean;
  readonly unknown: readonly string[];
  readonly #asked: string;
  readonly #known: TableWords;
  readonly #index: TableIndex;

  constructor(asked: string, known: TableWords, index: TableIndex) {
    this.#asked = asked;
    this.#known = known;
    this.#index = index;
    this.words = known.words;
    this.isCount = /\bhow\s+ma?ny\b|\bcount\b|\bnumber\s+of\b/iu.test(asked);
    this.hasAmount = known.spans.some(({ kind }) => kind === "amount");
    this.isGrouped = this.#group() !== undefined;
    this.figure = known.words.map(({ text }) => figureOf(text)).find((one) => one !== undefined);
    const isExplained = (place: number): boolean =>
      known.spans.some(({ from, to }) => place >= from && place < to);
    this.unknown = known.words.flatMap(({ text }, place) =>
      isExplained(place) || this.#isIdle(text) ? [] : [text],
    );
  }

  /** "How many on A3": what is counted is said by the question before, if it has counted something. */
  get isOpenCount(): boolean {
    const how = this.words.findIndex(({ text }) => text === "how");
    const after = this.words[how + 2]?.text ?? "";
    return (
      this.isCount &&
      how >= 0 &&
      /^(?:on|in|at|for|by|with|did|from)$/u.test(after) &&
      this.#spans("cell").length > 0
    );
  }

  #isIdle(text: string): boolean {
    const one = text.replace(/n't$/u, "");
    return (
      FUNCTION_WORDS.has(text) ||
      IDLE.has(text) ||
      IDLE.has(stem(one)) ||
      IDLE.has(verbStem(one)) ||
      NEGATION.test(text) ||
      figureOf(text) !== undefined ||
      isUndone(text) ||
      this.#index.names.has(stem(text)) ||
      [...this.#index.names].some((name) => text.length >= 4 && isTypo(text, name)) ||
      /^(?:many|mny|much|mch|wat|wats|hw|wich)$/u.test(text)
    );
  }

  #spans<Kind extends "cell" | "column" | "mark" | "amount" | "day" | "yes-no">(kind: Kind): SpanOf<Kind>[] {
    return this.#known.spans.filter((span): span is SpanOf<Kind> => span.kind === kind);
  }

  /** The conditions that cells, days, marks and comparisons set. */
  conditions(): TableCondition[] {
    const { table } = this.#index;
    const nameOf = (column: number): string => table.columns[column] ?? "";
    const valued = [
      ...this.#spans("cell").map(({ column, values, from }) => ({ column, values, from })),
      ...this.#spans("day").map(({ column, rows, day, from }) => ({
        column,
        values: rows.length === 0 ? [day] : [...new Set(rows.map((row) => table.rows[row]?.[column] ?? ""))],
        from,
      })),
    ];
    const byColumn = Map.groupBy(valued, ({ column }) => column);
    return [
      ...[...byColumn].map(([column, found]) => ({
        column: nameOf(column),
        is: [...new Set(found.flatMap(({ values }) => values))],
        ...(this.#isExcluded(found[0]?.from ?? 0) && { isNegated: true }),
      })),
      ...this.#markConditions(),
      ...this.#comparisons(),
      ...this.#soldOut(),
    ];
  }

  /** "Not from Oslo", "except Pekka": the word before denies the value. */
  #isExcluded(place: number): boolean {
    return this.words
      .slice(Math.max(0, place - 3), place)
      .some(({ text }) => /^(?:not|except|without|but|excluding|isn't|aren't)$/u.test(text));
  }

  #markConditions(): TableCondition[] {
    // "Who is left to host" and "who still has to pay" have not done it.
    const isNegated =
      this.words.some(({ text }) => NEGATION.test(text) || text.endsWith("n't")) ||
      /\b(?:left|yet|still|have|has|needs?)\s+to\s/iu.test(this.#asked);
    const isExtreme = this.figure === "highest" || this.figure === "lowest";
    const marks = this.#spans("mark").filter(
      (mark, place, all) =>
        !(isExtreme && PRESENT.test(this.words[mark.from]?.text ?? "")) &&
        all.findIndex(({ column }) => column === mark.column) === place,
    );
    return marks.map(({ column, mark }) => ({
      column: this.#index.table.columns[column] ?? "",
      mark: isNegated ? (mark === "yes" ? "no" : "yes") : mark,
    }));
  }

  #comparisons(): TableCondition[] {
    return this.#spans("amount").flatMap(({ from, value }) => {
      const before = this.#asked.slice(0, this.words[from]?.start ?? 0);
      const compare = COMPARISONS.find(([, words]) => words.test(before.slice(-20)))?.[0];
      const column = this.#numbers();
      return compare === undefined || column === undefined
        ? []
        : [{ column: this.#index.table.columns[column] ?? "", compare, amount: value }];
    });
  }

  /** "Which are out of stock": none is left. */
  #soldOut(): TableCondition[] {
    const { table, kinds } = this.#index;
    const [column, ...others] = table.columns.filter(
      (name, at) => kinds[at] === "amount" && COUNT_COLUMN.test(name),
    );
    return column !== undefined && others.length === 0 && SOLD_OUT.test(this.#asked)
      ? [{ column, compare: "most", amount: 0 }]
      : this.#emptyCells();
  }

  /** "Which paddocks are empty": no number, or 0, in the only column of numbers; else nothing in the only column with gaps. */
  #emptyCells(): TableCondition[] {
    const { table, kinds } = this.#index;
    if (!EMPTY.test(this.#asked)) return [];
    const numeric = table.columns.filter((_, at) => kinds[at] === "amount");
    const gaps = table.columns.filter((_, at) => table.rows.some((row) => (row[at] ?? "") === ""));
    const [column, ...others] = numeric.length === 1 ? numeric : gaps;
    return column === undefined || others.length > 0 ? [] : [{ column, is: ["", "0"] }];
  }

  /** The column of numbers that the words mean: named, the only one, or the one of money, pieces or hours. */
  #numbers(): number | undefined {
    const { kinds, table } = this.#index;
    const numeric = kinds.flatMap((kind, column) => (kind === "amount" ? [column] : []));
    const named = this.#spans("column").find(({ column }) => numeric.includes(column));
    if (named !== undefined) return named.column;
    if (numeric.length === 1) return numeric[0];
    const called = (fits: RegExp): number | undefined => {
      const found = numeric.filter((column) => fits.test((table.columns[column] ?? "").replaceAll("_", " ")));
      return found.length === 1 ? found[0] : undefined;
    };
    const has = (fits: RegExp): boolean => this.words.some(({ text }) => fits.test(text));
    if (has(MONEY_WORDS) || /\bhow\s+much\b/iu.test(this.#asked)) return called(MONEY_COLUMN);
    const superlative = SUPERLATIVE_COLUMNS.find(([words]) => has(words));
    if (superlative !== undefined) return called(superlative[1]);
    if (has(TIME_WORDS)) return called(TIME_COLUMN);
    return this.isCount ? called(COUNT_COLUMN) : undefined;
  }

  /** What is asked; undefined if the words choose no rows and name no figure and no column. */
  query(): TableQuery | undefined {
    if (this.#spans("amount").length > this.#comparisons().length) return undefined;
    const where = this.conditions();
    const { table, kinds } = this.#index;
    const nameOf = (column: number | undefined): { column?: string } =>
      column === undefined ? {} : { column: table.columns[column] ?? "" };
    const numbers = this.#numbers();
    const isHowMuch = /\bhow\s+much\b/iu.test(this.#asked);
    const grouped = this.#group();
    if (this.figure === "share") return where.length === 0 ? undefined : { where, figure: "share" };
    if (this.figure !== undefined) {
      // "Who has the most entries" counts rows.
      if (/\b(?:entries|rows|lines|times)\b/iu.test(this.#asked)) return undefined;
      if (numbers === undefined) return undefined;
      const isExtreme = this.figure === "highest" || this.figure === "lowest";
      const group = grouped ?? (isExtreme && this.#isOfPeople() ? this.#people() : undefined);
      return { where, figure: this.figure, ...nameOf(numbers), ...(group !== undefined && { group }) };
    }
    if (grouped !== undefined && numbers !== undefined)
      return { where, figure: "sum", ...nameOf(numbers), group: grouped };
    const follows = this.#columnAfterHow();
    if (follows !== undefined && kinds[follows] === "amount")
      return { where, figure: "sum", ...nameOf(follows) };
    const isCome = /\b(?:come|amount|add\s+up)\s+to\b/iu.test(this.#asked);
    const isOneFigure =
      this.#isOneThing() && /^how\s+much\s+(?:is|are|was|does|do|for)\b/iu.test(this.#asked);
    if ((isHowMuch || isCome) && numbers !== undefined)
      return { where, figure: isOneFigure ? "rows" : "sum", ...nameOf(numbers) };
    if (this.isCount) return this.#count(where);
    if (isHowMuch) return undefined;
    return this.#rows(where);
  }

  /** How many rows, or how many pieces of the one thing that is named. */
  #count(where: readonly TableCondition[]): TableQuery | undefined {
    const numbers = this.#numbers();
    const name = numbers === undefined ? "" : (this.#index.table.columns[numbers] ?? "");
    if (this.#isOneThing() && COUNT_COLUMN.test(name))
      return { where: [...where], figure: "rows", column: name };
    return { where: [...where], figure: "count" };
  }

  /** True if the words name one row by its first cell. */
  #isOneThing(): boolean {
    const [cell, ...others] = this.#spans("cell");
    return cell?.column === 0 && cell.rows.length === 1 && others.length === 0;
  }

  #rows(where: TableCondition[]): TableQuery | undefined {
    const { table } = this.#index;
    const column = this.#spans("column").at(-1)?.column ?? this.#columnOfQuestion();
    const marks = this.#spans("mark");
    const isCheck = /^(?:is|are|was|were|do|does|did|has|have|so\s+everyone|everyone)\b/iu.test(this.#asked);
    const isAll = EVERYONE.test(this.#asked) && marks.length > 0;
    if (isCheck || isAll) {
      const subject = this.#spans("cell").length > 0 || isAll;
      if (marks.length !== 1 || !subject) return undefined;
      const last = where.filter((condition) => "mark" in condition);
      return { where: [...where.filter((condition) => !("mark" in condition)), ...last], figure: "all" };
    }
    if (where.length === 0) return undefined;
    return { where, figure: "rows", ...(column !== undefined && { column: table.columns[column] ?? "" }) };
  }

  /** "Where" and "when" ask for the column of places or days. */
  #columnOfQuestion(): number | undefined {
    const { table, kinds } = this.#index;
    const days = kinds.flatMap((kind, column) => (kind === "day" ? [column] : []));
    if (/^when\b|\b(?:what|which)\s+(?:day|date)\b/iu.test(this.#asked) && days.length === 1) return days[0];
    const place = table.columns.findIndex((name) =>
      /\b(?:town|city|place|location|address|room|shelf)\b/iu.test(name),
    );
    return /^where\b/iu.test(this.#asked) && place >= 0 ? place : undefined;
  }

  /** The column right after "how many" or "how much": "how many hours did Mette do". */
  #columnAfterHow(): number | undefined {
    const how = this.words.findIndex(({ text }) => text === "how");
    const span = how < 0 ? undefined : this.#spans("column").find(({ from }) => from === how + 2);
    return span?.column;
  }

  #people(): string | undefined {
    const { table, kinds } = this.#index;
    const people = columnOfPeople(table) ?? kinds.findIndex((kind) => kind === "text");
    const name = people < 0 ? undefined : table.columns[people];
    const cells = table.rows.map((row) => row[people] ?? "");
    return new Set(cells).size < cells.length ? name : undefined;
  }

  #isOfPeople(): boolean {
    return /^(?:and\s+)?(?:who|whose)\b/iu.test(this.#asked);
  }

  /** "Per worker", "by town", "for each": the column whose values the figures are for. */
  #group(): string | undefined {
    const { table } = this.#index;
    const by = this.#by();
    const span = by < 0 ? undefined : this.#spans("column").find(({ from }) => from > by && from <= by + 2);
    const column =
      span?.column ?? (by < 0 ? undefined : columnToGroupBy(table, this.words[by + 1]?.text ?? ""));
    return column === undefined ? undefined : table.columns[column];
  }

  #by(): number {
    return this.words.findIndex(
      ({ text }, place) => /^(?:per|by|each|every)$/u.test(text) && place < this.words.length - 1,
    );
  }

  /** True if figures are asked for each value of something that no column is. */
  get isUngrouped(): boolean {
    return this.#by() >= 0 && this.figure !== undefined && !this.isGrouped;
  }
}

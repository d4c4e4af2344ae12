import { oneOf } from "@metahuman/core/text/patterns";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { rowsMeeting, type TableCondition, type TableQuery } from "@metahuman/skills/fs-read/table-query";
import { columnToGroupBy, type Table } from "@metahuman/skills/fs-read/tables";
import { parseDayCell } from "./days.ts";
import {
  COUNT_COLUMN,
  MONEY_COLUMN,
  SUPERLATIVE_COLUMNS,
  TIME_COLUMN,
  type TableIndex,
  type TableWords,
  isUndoneWord,
  findPaymentColumn,
} from "./words.ts";
import { columnsOfKind, TableText } from "./table-text.ts";
import { NOT, NOTHING } from "../word-lists.ts";

// The words of a question about a table: the figure that they ask for, the conditions for rows and the columns. QueryQuestion (read-
// query.ts) makes a query of them.

/** Words that may be left out of a question. */
const IDLE = new Set(
  (
    "new revised updated gives give which all still yet already now so far currently again please left all in total altogether together everybody everyone got get have has had did do does done people person " +
    "members member row rows column entire entry entries record records line lines item items thing things one ones table list file sheet number amount value " +
    "tell show give say know see find work worked working make made come comes came need needs live lives living sing sings belong belongs " +
    "stay stays sit sits play plays want wants go goes went sell sells sold use used take took money name names much many only just also too as well us me we i you they them " +
    "their those these that this there here anybody anyone nobody ever today yesterday morning next first second last each per by for of on at from with " +
    "cost costs pays paying spend spent earn earned charge charges read lend lends lent borrow borrowed euro euros pound pounds dollar dollars " +
    "there're club group team shop stock whole remaining right ok empty vacant blank then exactly anything something out run latest newest recent whats whos hows wheres whens what's who's"
  )
    .split(" ")
    .flatMap((word) => [word, stem(word)]),
);
const MONEY_NOUNS = oneOf(
  "money|cost|costs|euros?|pounds?|dollars?|owe|owes|owed|owing|pay|pays|paid|price|expensive|cheapest",
  "dearest|priciest|spend|spent|earn|earned|charge|charges",
);
const MONEY_WORDS = new RegExp(String.raw`^${MONEY_NOUNS}$`, "u");
const SOLD_OUT = /\b(?:out\s+of(?:\s+stock|$)|sold\s+out|run(?:ning)?\s+out|none\s+left)\b/iu;
/** "Who pays most" asks for the greatest amount, also of a person who has not paid. */
const PRESENT = /^(?:pay|pays|owe|owes|cost|costs)$/u;
const TIME_WORDS = /^(?:hours?|worked|work|time|long|longest|shortest)$/u;
/** "The last one", "her latest entry" */
const LAST_ENTRY =
  /\b(?:last|latest|newest|most\s+recent)\s+(?:one|entry|row|line|record|time)\b|^when\b.{0,40}\blast\b/iu;
const IS_LAST = /^(?:and\s+)?(?:who|which)(?:['’]?s|\s+(?:is|was|came|are))?\s+(?:the\s+)?last$/iu;
/** Columns in which the highest number is the last place. */
const RANK_COLUMN = /\b(?:place|position|rank|ranking|time|minutes|seconds)\b/iu;
/** "How much has come in so far" asks for what is paid. */
const CAME_IN =
  /\b(?:c[ao]me|comes|coming|got|gotten|brought|taken|took)\s+in\b|\b(?:collected|received|have\s+(?:we|i)\s+(?:got|had|taken|raised))\b/iu;
const EMPTY = /\b(?:empty|vacant|blank)\b/iu;
/** One word that denies, or its ending alone. */
const NEGATION = new RegExp(
  String.raw`^(?:${NOT}|${NOTHING}|(?:has|have|did|is|are|does|do|was|were)n'?t|n't|yet\s+to)$`,
  "u",
);

/** What a question asks of the rows. */
type Figure = TableQuery["figure"];

const FIGURES: readonly (readonly [Figure, string])[] = [
  ["sum", "total sum altogether add overall totals"],
  ["average", "average mean avg typical"],
  [
    "highest",
    "highest most largest biggest maximum max top greatest longest dearest expensive best oldest priciest heaviest tallest dear strongest busiest deepest widest warmest hottest",
  ],
  [
    "lowest",
    "less lowest least smallest minimum min fewest shortest cheapest youngest worst lightest weakest coldest quietest narrowest",
  ],
  ["share", "percentage percent share proportion"],
];
const FIGURE_WORDS = new Map(
  FIGURES.flatMap(([figure, words]) => words.split(" ").map((word) => [word, figure] as const)),
);

/** The figure that a word asks for, typing errors included; "last" is a word of its own and no misspelt "least". */
function findFigure(word: string): Figure | undefined {
  const exact = FIGURE_WORDS.get(word);
  if (exact !== undefined || word.length < 4 || word === "last") return exact;
  return [...FIGURE_WORDS].find(([figureWord]) => figureWord.length >= 5 && isTypo(word, figureWord))?.[1];
}

/** Words before an amount that is compared with. */
const COMPARISONS: readonly (readonly [compare: "over" | "under" | "least" | "most", words: RegExp])[] = [
  ["over", /(?:over|above|more\s+than|higher\s+than|greater\s+than|exceeding|beyond)\s*$/iu],
  ["under", /(?:under|below|less\s+than|lower\s+than|fewer\s+than|cheaper\s+than)\s*$/iu],
  ["least", /(?:at\s+least|no\s+less\s+than|minimum\s+of)\s*$/iu],
  ["most", /(?:at\s+most|up\s+to|no\s+more\s+than)\s*$/iu],
];

/** True if no two rows have the same cell in the column. */
const hasDifferentCells = ({ rows }: Table, column: number): boolean =>
  new Set(rows.map((row) => row[column])).size === rows.length;

/** The words of a question about a table, the figure that they ask for and the conditions that they set. */
export class TableQuestion extends TableText {
  readonly figure: Figure | undefined;
  readonly isCount: boolean;
  readonly hasAmount: boolean;
  readonly isGrouped: boolean;
  readonly unknown: readonly string[];

  constructor(text: string, tableWords: TableWords, index: TableIndex) {
    super(text, tableWords, index);
    this.isCount = /\bhow\s+ma?ny\b|\bcount\b|\bnumber\s+of\b/iu.test(text);
    this.hasAmount = this.spansOf("amount").length > 0;
    this.figure =
      this.words
        .map((word, place) => (this.words[place + 1]?.text === "than" ? undefined : findFigure(word.text)))
        .find((figure) => figure !== undefined) ?? this.readLastPlace();
    this.isGrouped = this.findGroupColumn() !== undefined;
    this.unknown = this.words.flatMap((word, place) =>
      this.isKnown(place) || this.isIdle(word.text) ? [] : [word.text],
    );
  }

  /** "How many on A3": the previous question says what is counted, if it counted something. */
  get isOpenCount(): boolean {
    const how = this.words.findIndex(({ text }) => text === "how");
    const wordAfter = this.words[how + 2]?.text ?? "";
    return (
      this.isCount &&
      how >= 0 &&
      /^(?:on|in|at|for|by|with|did|from)$/u.test(wordAfter) &&
      this.spansOf("cell").length > 0
    );
  }

  /** "How many terms are there": what the rows are is not known. */
  get isCountOfUnknown(): boolean {
    const how = this.words.findIndex(({ text }) => text === "how");
    return (
      this.isCount &&
      this.unknown.length === 1 &&
      this.spans.length === 0 &&
      how >= 0 &&
      this.words[how + 2]?.text === this.unknown[0] &&
      /\b(?:are\s+there|are\s+in\s+(?:it|there)|do\s+(?:i|we)\s+have|have\s+(?:i|we)(?:\s+got)?|is\s+that)\b/iu.test(
        this.text,
      )
    );
  }

  isIdle(text: string): boolean {
    const plainText = text.replace(/n't$/u, "");
    return (
      FUNCTION_WORDS.has(text) ||
      IDLE.has(text) ||
      IDLE.has(stem(plainText)) ||
      IDLE.has(verbStem(plainText)) ||
      NEGATION.test(text) ||
      findFigure(text) !== undefined ||
      isUndoneWord(text) ||
      this.index.names.has(stem(text)) ||
      [...this.index.names].some((name) => text.length >= 4 && isTypo(text, name)) ||
      /^(?:many|mny|much|mch|wat|wats|hw|wich)$/u.test(text)
    );
  }

  /** The conditions that cells, days, marks and comparisons set. */
  readConditions(): TableCondition[] {
    const { table } = this.index;
    const nameOf = (column: number): string => table.columns[column] ?? "";
    const valued = [
      ...this.spansOf("cell").map(({ column, values, from }) => ({ column, values, from })),
      ...this.spansOf("day").map(({ column, rows, day, from }) => ({
        column,
        values: rows.length === 0 ? [day] : [...new Set(rows.map((row) => table.rows[row]?.[column] ?? ""))],
        from,
      })),
    ];
    const byColumn = Map.groupBy(valued, ({ column }) => column);
    return [
      ...[...byColumn].map(([column, valuesOfColumn]) => ({
        column: nameOf(column),
        is: [...new Set(valuesOfColumn.flatMap(({ values }) => values))],
        ...(this.isExcluded(valuesOfColumn[0]?.from ?? 0) && { isNegated: true }),
      })),
      ...this.readMarkConditions(),
      ...this.readComparisons(),
      ...this.readSoldOut(),
    ];
  }

  /** "Who's last": the fewest points of a table that counts them, the highest place or time. */
  readLastPlace(): Figure | undefined {
    const column = IS_LAST.test(this.text) ? this.findNumberColumn() : undefined;
    if (column === undefined) return undefined;
    return RANK_COLUMN.test(this.index.table.columns[column] ?? "") ? "highest" : "lowest";
  }

  /** "When was the last one", "Mette's latest entry": of the rows that are chosen, those of the last day, else the last row. */
  readLastEntry(where: readonly TableCondition[]): TableCondition[] {
    const { table, kinds, path } = this.index;
    const rows = LAST_ENTRY.test(this.text) ? rowsMeeting(table, where, path) : [];
    const day = kinds.indexOf("day");
    const dayOf = (row: readonly string[]): string => parseDayCell(row[day] ?? "") ?? "";
    const last =
      day < 0 ? rows.at(-1) : rows.toSorted((one, other) => dayOf(one).localeCompare(dayOf(other))).at(-1);
    const column = day < 0 ? table.columns.findIndex((_, at) => hasDifferentCells(table, at)) : day;
    return last === undefined || column < 0
      ? []
      : [{ column: table.columns[column] ?? "", is: [last[column] ?? ""] }];
  }

  /** "Not from Oslo", "except Pekka": the word before denies the value. */
  isExcluded(place: number): boolean {
    return this.words
      .slice(Math.max(0, place - 3), place)
      .some(({ text }) => /^(?:not|except|without|but|excluding|isn't|aren't)$/u.test(text));
  }

  readMarkConditions(): TableCondition[] {
    // "Who is left to host" and "who still has to pay" have not done it.
    const isNegated =
      this.words.some(({ text }) => NEGATION.test(text) || text.endsWith("n't")) ||
      /\b(?:left|yet|still|have|has|needs?)\s+to\s/iu.test(this.text);
    const isExtreme = this.figure === "highest" || this.figure === "lowest";
    const marks = this.spansOf("mark").filter(
      (mark, place, all) =>
        !(isExtreme && PRESENT.test(this.words[mark.from]?.text ?? "")) &&
        all.findIndex(({ column }) => column === mark.column) === place,
    );
    const payment =
      marks.length === 0 && /\bhow\s+much\b/iu.test(this.text) ? findPaymentColumn(this.index) : undefined;
    const name = payment === undefined ? undefined : this.index.table.columns[payment];
    if (name !== undefined && CAME_IN.test(this.text)) return [{ column: name, mark: "yes" }];
    if (name !== undefined && this.words.some(({ text }) => isUndoneWord(text)))
      return [{ column: name, mark: "no" }];
    return marks.map(({ column, mark }) => ({
      column: this.index.table.columns[column] ?? "",
      mark: isNegated ? (mark === "yes" ? "no" : "yes") : mark,
    }));
  }

  readComparisons(): TableCondition[] {
    return this.spansOf("amount").flatMap(({ from, value }) => {
      const textBefore = this.text.slice(0, this.words[from]?.start ?? 0);
      const compare = COMPARISONS.find(([, words]) => words.test(textBefore.slice(-20)))?.[0];
      const column = this.findNumberColumn();
      return compare === undefined || column === undefined
        ? []
        : [{ column: this.index.table.columns[column] ?? "", compare, amount: value }];
    });
  }

  /** "Which are out of stock": none is left. */
  readSoldOut(): TableCondition[] {
    const { table, kinds } = this.index;
    const [column, ...others] = table.columns.filter(
      (name, at) => kinds[at] === "amount" && COUNT_COLUMN.test(name),
    );
    return column !== undefined && others.length === 0 && SOLD_OUT.test(this.text)
      ? [{ column, compare: "most", amount: 0 }]
      : this.readEmptyCells();
  }

  /** "Which paddocks are empty": no number, or 0, in the only column of numbers; else nothing in the only column with gaps. */
  readEmptyCells(): TableCondition[] {
    const { table, kinds } = this.index;
    const missingColumn = this.spansOf("column").find(({ from }) =>
      /^(?:no|without|lacks?|lacking|missing)$/u.test(this.words[from - 1]?.text ?? ""),
    );
    if (missingColumn !== undefined) return [{ column: table.columns[missingColumn.column] ?? "", is: [""] }];
    if (!EMPTY.test(this.text)) return [];
    const numeric = table.columns.filter((_, at) => kinds[at] === "amount");
    const gaps = table.columns.filter((_, at) => table.rows.some((row) => (row[at] ?? "") === ""));
    const hasGap = (at: number): boolean => table.rows.some((row) => /^0?$/u.test((row[at] ?? "").trim()));
    const isOfNumbers = numeric.length === 1 && hasGap(table.columns.indexOf(numeric[0] ?? ""));
    const [column, ...others] = isOfNumbers ? numeric : gaps;
    return column === undefined || others.length > 0 ? [] : [{ column, is: ["", "0"] }];
  }

  /** The column of numbers that the words mean: named, the only one, or the one of money, pieces or hours. */
  findNumberColumn(): number | undefined {
    const { table } = this.index;
    const numeric = columnsOfKind(this.index, "amount");
    const named = this.spansOf("column").find(({ column }) => numeric.includes(column));
    if (named !== undefined) return named.column;
    if (numeric.length === 1) return numeric[0];
    const findColumnCalled = (fits: RegExp): number | undefined => {
      const found = numeric.filter((column) => fits.test((table.columns[column] ?? "").replaceAll("_", " ")));
      return found.length === 1 ? found[0] : undefined;
    };
    const hasWord = (fits: RegExp): boolean => this.words.some(({ text }) => fits.test(text));
    if (hasWord(MONEY_WORDS) || /\bhow\s+much\b/iu.test(this.text)) return findColumnCalled(MONEY_COLUMN);
    const superlative = SUPERLATIVE_COLUMNS.find(([words]) => hasWord(words));
    if (superlative !== undefined) return findColumnCalled(superlative[1]);
    if (hasWord(TIME_WORDS)) return findColumnCalled(TIME_COLUMN);
    return this.isCount ? findColumnCalled(COUNT_COLUMN) : undefined;
  }

  /** "Per worker", "by town", "for each": the column whose values the figures are for. */
  findGroupColumn(): string | undefined {
    const { table } = this.index;
    const by = this.findGroupWord();
    const span = by < 0 ? undefined : this.#columnAfter(by);
    const column =
      span?.column ?? (by < 0 ? undefined : columnToGroupBy(table, this.words[by + 1]?.text ?? ""));
    return column === undefined ? undefined : table.columns[column];
  }

  /** The place of "per" or "by", or -1. "The strongest by rating" names the numbers and forms no groups. */
  findGroupWord(): number {
    const isExtreme = this.figure === "highest" || this.figure === "lowest";
    return this.words.findIndex(({ text }, place) => {
      if (!/^(?:per|by|each|every)$/u.test(text) || place === this.words.length - 1) return false;
      const span = isExtreme ? this.#columnAfter(place) : undefined;
      return span === undefined || this.index.kinds[span.column] !== "amount";
    });
  }

  #columnAfter(place: number) {
    return this.spansOf("column").find(({ from }) => from > place && from <= place + 2);
  }
}

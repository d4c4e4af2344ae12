import { oneOf } from "@metahuman/core/text/patterns";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import { formatDayLikeCells, findDays } from "./days.ts";
import { ADD_VERBS, type TableChange, type TableChanges, TableMessage } from "./table-message.ts";
import { fitsColumn, type Span } from "./words.ts";
import { columnsOfKind } from "./table-text.ts";
import { IS_DENIED } from "../word-lists.ts";

// Reads new rows: values in the order of the columns ("add Mia, 4, yes"), after the names of their columns ("bed 4 temp 36.5"), or in
// any order if words or kinds show their columns.

/** "Mia,mia@x.no,no,9" is a row in the format of the file. */
const AS_IN_FILE = /[^\d\s],\S|\S,[^\d\s]/u;
const ANOTHER_ROW = String.raw`(?:another|one\s+more|next)(?:\s+(?:one|row|line|entry|\p{L}+))?\s*:\s*`;
const TO_TABLE = oneOf(
  String.raw`there|here|in\s+it|to\s+it|to\s+that|to\s+the\s+table`,
  String.raw`(?:a|the|another|one\s+more)\s+(?:new\s+)?(?:row|line|entry)|row|line|entry`,
  String.raw`(?:another|one\s+more|\p{L}+)(?:\s+(?:one|more))?(?=\s*:)`,
);
const ADD_ROW = String.raw`(?:add|insert|enter|put|record|log|note|append|new)\s+(?:${TO_TABLE}[\s:]+)?`;
/** An order to add, if there is one, and the values after it: "put 2, blue, 29", "another one: Duarte, white, 35, yes". */
const IN_ORDER = new RegExp(
  String.raw`^(?:(?<verb>${ANOTHER_ROW}|${ADD_ROW}))?(?<rest>[^\s:?][^:?]*(?::\d\d[^:?]*){0,2})$`,
  "iu",
);

/** "A new singer: Martin Beck, tenor, 0", "new patient! Beatriz, Thursday, 15:00, room 1" */
const NEW_THING =
  /^(?<verb>(?:an?\s+|the\s+|one\s+)?(?:new|further|another|additional)\s+\p{L}+(?:\s\p{L}+)?\s*[:!–-]+\s*)(?<rest>\S[^:?]*(?::\d\d[^:?]*){0,2})$/iu;

/** "Another one bites the dust" has no colon and no value. */
const SAYING = /^another\b[^:,\d]*$/iu;

/** A message that may have a new row. */
export class NewRows extends TableMessage {
  /** "Add there 2, blue, 29", "Carter, 300, yes": as many values as there are columns, each like the cells of its own. */
  readRowInOrder(isJoined: boolean, { isListed }: { isListed: boolean }): TableChanges | undefined {
    const { table, kinds } = this.index;
    if (AS_IN_FILE.test(this.text)) return undefined;
    const { verb, rest = "" } = (NEW_THING.exec(this.text) ?? IN_ORDER.exec(this.text))?.groups ?? {};
    if (rest.includes(",") !== isListed) return undefined;
    const isOrdered = verb !== undefined;
    if (!isListed && !isOrdered && !isJoined && this.context.lastChange?.["action"] !== "add")
      return undefined;
    const parts = rest.split(isListed ? /,\s*/u : /\s+/u).map((value) => value.trim());
    if (table.columns.length < 2 || parts.length !== table.columns.length) return undefined;
    // "Price 3, customer Bo" is not in the order of the columns.
    if (parts.some((part, column) => this.#hasNameOfOtherColumn(part, column))) return undefined;
    const values = parts.map((part, column) => this.#formatDay(this.#stripColumnName(part, column), column));
    const isFitting = values.every((value, column) => fitsColumn(value, kinds[column] ?? "text"));
    // A sentence with commas has no number and no mark in its place.
    const isData = values.some(
      (value, column) => kinds[column] !== "text" && /^\d|^(?:yes|no|x)$/iu.test(value),
    );
    // "Jukka, 25, no" is about the existing row, if no two rows begin alike; one day may have several rows.
    const firsts = table.rows.map(([first = ""]) => first.trim().toLowerCase());
    const isKnown =
      kinds[0] !== "day" &&
      new Set(firsts).size === firsts.length &&
      firsts.includes((values[0] ?? "").toLowerCase());
    // Where all columns hold texts, nothing but the order shows that it is a row.
    const isOfTexts = isOrdered && kinds.every((kind) => kind === "text" || kind === "empty");
    if (!isFitting || !(isData || isOfTexts) || isKnown) return undefined;
    const written = values.map((value, column) =>
      kinds[column] === "amount" ? value.replace(/[€$£]/gu, "") : value,
    );
    return [
      {
        action: "add",
        values: Object.fromEntries(written.map((value, column) => [this.columnName(column), value])),
      },
    ];
  }

  /** "Nov 27" as the cells of its column write days; any other value as it is. */
  #formatDay(value: string, column: number): string {
    if (this.index.kinds[column] !== "day") return value;
    const words = value
      .toLowerCase()
      .split(/[\s.]+/u)
      .filter((word) => word !== "")
      .map((text) => ({ text }));
    const [named, ...others] = findDays(words, this.index, this.context.today);
    const isWhole = named?.from === 0 && named.to === words.length && others.length === 0;
    return isWhole ? formatDayLikeCells(this.index, column, named.day) : value;
  }

  /** "Room 9" and "2 nights" without the name of their column; "carrot cake" is a cake of that name. */
  #stripColumnName(value: string, column: number): string {
    const name = new Set(plainWords(this.columnName(column)).map(stem));
    const isName = (word: string | undefined): boolean =>
      word !== undefined && name.has(stem(word.toLowerCase()));
    const words = value.split(/\s+/u);
    const from = words.findIndex((word) => !isName(word));
    if (from < 0) return value;
    const isUnit = words.length === 2 && isName(words[1]) && /^\d/u.test(value);
    return words.slice(from, isUnit ? 1 : words.length).join(" ");
  }

  /** True for a value after the name of another column. */
  #hasNameOfOtherColumn(value: string, column: number): boolean {
    const [first = "", ...rest] = plainWords(value).map(stem);
    return (
      rest.length > 0 &&
      this.index.table.columns.some((name, other) => other !== column && stem(name.toLowerCase()) === first)
    );
  }

  /** "Add bed 4 temp 36.5 time 08:30": values after the names of their columns. */
  readRowByColumns(): TableChanges | undefined {
    const { table, kinds } = this.index;
    if (!this.beginsWithVerb(ADD_VERBS)) return undefined;
    const places = table.columns
      .map((name, column) => {
        const words = plainWords(name);
        const at = this.words.findIndex((_, from) =>
          words.every((word, offset) => stem(this.words[from + offset]?.text ?? "") === stem(word)),
        );
        return { column, from: at, to: at + words.length };
      })
      .filter(({ from }) => from > 0)
      .toSorted((one, other) => one.from - other.from);
    if (places.length < 2) return undefined;
    const first = places[0]?.from ?? 0;
    // "Add Walter Finch, fee 10, paid no": the words before the first column name no column.
    if (this.words.slice(1, first).some(({ text }) => !/^(?:an?|the|new|row|entry|line|with)$/u.test(text)))
      return undefined;
    const values = places.map(({ to }, place) => {
      const end = places[place + 1]?.from ?? this.words.length;
      const [start, last] = [this.words[to], this.words[end - 1]];
      return end <= to ? "" : this.text.slice(start?.start, last?.end).replace(/[,;\s]+$/u, "");
    });
    const isFitting = places.every(({ column }, place) =>
      fitsColumn(values[place] ?? "", kinds[column] ?? "text"),
    );
    const cells = places.map(({ column }, place) => [this.columnName(column), values[place] ?? ""]);
    return isFitting ? [{ action: "add", values: Object.fromEntries(cells) }] : undefined;
  }

  /** A new row: ordered, said to have joined, or one more entry of a table in which every row has its day. */
  readNewRow(isJoined: boolean): TableChanges | undefined {
    const { table, kinds } = this.index;
    const isOrdered =
      (this.beginsWithVerb(ADD_VERBS) && !SAYING.test(this.text)) ||
      /\b(?:joined|joins|is\s+new|has\s+joined)\b|^new\b/iu.test(this.text);
    const dayColumn = kinds.indexOf("day");
    const [day] = this.spansOf("day");
    const onDay = day?.day ?? this.context.sameDay;
    const isEntry =
      dayColumn >= 0 &&
      onDay !== undefined &&
      this.spansOf("amount").length > 0 &&
      this.spansOf("cell").length > 0;
    const amounts = this.spansOf("amount").length;
    const isComplete = amounts > 1 && amounts === columnsOfKind(this.index, "amount").length;
    const isFurther =
      isJoined && amounts > 0 && (isComplete || this.context.lastChange?.["action"] === "add");
    if (AS_IN_FILE.test(this.text)) return undefined;
    if (!isOrdered && !isEntry && !isFurther) return undefined;
    if (isEntry && !isOrdered && this.findRows().rows.length > 0) return undefined;
    const cells = new Map<number, string>();
    if (dayColumn >= 0 && onDay !== undefined)
      cells.set(dayColumn, formatDayLikeCells(this.index, dayColumn, onDay));
    const firstText = kinds.findIndex((kind) => kind === "text" || kind === "key" || kind === "empty");
    const ownSpans = this.spans.filter(
      (span) => !(span.kind === "cell" && span.column === firstText && (isOrdered || !span.isWhole)),
    );
    const takenColumns: TableChange[] = [];
    for (const span of ownSpans) {
      if (span.kind === "cell") cells.set(span.column, span.values[0] ?? "");
      if (span.kind === "mark")
        cells.set(span.column, (span.mark === "no") !== IS_DENIED.test(this.text) ? "no" : "yes");
      if (span.kind === "yes-no") {
        // "Coming no": the value of the column before it.
        const named = ownSpans.find(({ kind, to }) => kind === "mark" && to === span.from);
        if (named?.kind === "mark") {
          cells.set(named.column, span.mark);
          continue;
        }
        const marks = columnsOfKind(this.index, "mark").filter((column) => !cells.has(column));
        if (marks[0] === undefined || marks.length > 1) return undefined;
        cells.set(marks[0], span.mark);
      }
    }
    // What words tell the column of comes first; the other numbers follow in the order of the columns.
    for (const span of this.spansOf("amount").toSorted(
      (one, other) => Number(this.hasEvidentColumn(other)) - Number(this.hasEvidentColumn(one)),
    )) {
      const column = this.hasEvidentColumn(span)
        ? this.findColumn(span, takenColumns)
        : this.findFreeColumns(span, takenColumns)[0];
      if (column === undefined) return undefined;
      takenColumns.push({ column: this.columnName(column) });
      cells.set(column, span.text.replace(/[€$£]/gu, ""));
    }
    const pieces = this.#findUnknownRuns(ownSpans);
    if (isEntry && !isOrdered && this.findUnknownWords().length > 0) return undefined;
    if (isEntry && !isOrdered) pieces.length = 0;
    const texts = kinds.flatMap((kind, column) =>
      (kind === "text" || kind === "empty") && !cells.has(column) ? [column] : [],
    );
    for (const [place, piece] of pieces.entries()) {
      const column = texts[place];
      if (column === undefined) return undefined;
      cells.set(column, piece);
    }
    const isNamed = firstText < 0 || cells.has(firstText);
    // "Add Middlemarch" is a row, "and Middlemarch" may be anything.
    const isEnough =
      cells.size > 1 || table.columns.length === 1 || (this.beginsWithVerb(ADD_VERBS) && pieces.length === 1);
    if (!isNamed || !isEnough) return undefined;
    const values = Object.fromEntries([...cells].map(([column, value]) => [this.columnName(column), value]));
    return [{ action: "add", values }];
  }

  /** The words between the known ones, as written: each run is one value. */
  #findUnknownRuns(spans: readonly Span[]): string[] {
    const pieces: { text: string; clause: number; end: number }[] = [];
    for (const [place, word] of this.words.entries()) {
      if (spans.some(({ from, to }) => place >= from && place < to)) continue;
      const isVerb = place === 0 && ADD_VERBS.has(verbStem(word.text));
      const isJoint =
        /^(?:with|from|for|at|on|in|by|to|and|of|not|has|is|joined|joins|new|one|a|an|row|line|the|costs|member|yet|paid|also|too|it|euros?|pounds?|quid|dollars?)$/u.test(
          word.text,
        );
      const lastPiece = pieces.at(-1);
      const isNext =
        lastPiece !== undefined &&
        lastPiece.clause === word.clause &&
        /^\s*$/u.test(this.text.slice(lastPiece.end, word.start));
      const isOfName =
        isNext &&
        /^(?:of|the|and)$/u.test(word.text) &&
        /^\p{Lu}/u.test(this.words[place + 1]?.written ?? "");
      if (isVerb || (isJoint && !isOfName)) continue;
      if (isNext)
        [lastPiece.text, lastPiece.end] = [
          this.text.slice(lastPiece.end - lastPiece.text.length, word.end),
          word.end,
        ];
      else pieces.push({ text: this.text.slice(word.start, word.end), clause: word.clause, end: word.end });
    }
    return pieces.map(({ text }) => text);
  }
}

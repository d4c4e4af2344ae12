import type { ColumnKind, Span, SpanOf, TableIndex, TableWords, Word } from "./words.ts";

/** The columns of a kind. */
export const columnsOfKind = ({ kinds }: Pick<TableIndex, "kinds">, wanted: ColumnKind): number[] =>
  kinds.flatMap((kind, column) => (kind === wanted ? [column] : []));

/** A text about a table: its words, and what they are in the table. */
export class TableText {
  readonly text: string;
  readonly words: readonly Word[];
  readonly spans: readonly Span[];
  readonly index: TableIndex;

  constructor(text: string, { words, spans }: TableWords, index: TableIndex) {
    this.text = text;
    this.words = words;
    this.spans = spans;
    this.index = index;
  }

  spansOf<Kind extends Span["kind"]>(kind: Kind): SpanOf<Kind>[] {
    return this.spans.filter((span): span is SpanOf<Kind> => span.kind === kind);
  }

  /** True if the word at a place has a meaning in the table. */
  isKnown(place: number): boolean {
    return this.spans.some(({ from, to }) => place >= from && place < to);
  }

  columnName(column: number): string {
    return this.index.table.columns[column] ?? "";
  }
}

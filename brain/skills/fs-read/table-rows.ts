import { formatCount } from "@metahuman/core/text/format";
import { withoutTrailing } from "@metahuman/core/text/words";
import type { Region } from "@metahuman/core/contract/region";
import { escapeInline, table as markdownTable } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { isTotal, selectRows, type Table, UnanswerableError } from "./tables.ts";

/** The maximum number of rows and columns that an answer shows. */
export const MAX_ROWS = 50;
const MAX_COLUMNS = 12;

export const pathOf = (outputs: Record<string, unknown>): string => escapeInline(textField(outputs, "path"));

/** The rows as a Markdown table: the first columns, and the one that is asked about. */
export function renderRows({ columns }: Table, rows: Table["rows"], about?: number): string {
  const first = columns.slice(0, MAX_COLUMNS).map((_, index) => index);
  const indexes = about === undefined || about < MAX_COLUMNS ? first : [...first, about];
  const more = [
    ...(rows.length > MAX_ROWS ? [formatCount(rows.length - MAX_ROWS, "more row")] : []),
    ...(columns.length > indexes.length ? [formatCount(columns.length - indexes.length, "more column")] : []),
  ];
  const cells = rows.slice(0, MAX_ROWS).map((row) => indexes.map((index) => row[index] ?? ""));
  return [
    markdownTable(
      indexes.map((index) => escapeInline(columns[index] ?? "")),
      cells,
    ),
    ...(more.length > 0 ? [`${more.join(" and ")}.`] : []),
  ].join("\n\n");
}

export const isDecimalComma = ({ locale }: Region): boolean =>
  new Intl.NumberFormat(locale)
    .formatToParts(1.5)
    .some(({ type, value }) => type === "decimal" && value === ",");

/** Rows with a note that says which they are, for the end of a sentence. */
export interface FilteredRows {
  rows: Table["rows"];
  note: string;
}

/** The rows that match `include` and do not match `exclude`, without rows of totals. Empty words match nothing. */
export function filterRows(
  table: Table,
  path: string,
  { include = "", also = "", exclude = "" }: { include?: string; also?: string; exclude?: string },
): FilteredRows {
  const rows = table.rows.filter((row) => !isTotal(row));
  const notes = rows.length < table.rows.length ? [", without its row of totals"] : [];
  let counted = rows;
  for (const [phrase, keeps] of [
    [include, true],
    [also, true],
    [exclude, false],
  ] as const) {
    const words = withoutTrailing(phrase, /[\s.,;:!?]/u);
    if (words === "") continue;
    const selected = selectRows(table, path, words);
    if (selected.value === undefined || selected.unexplained.length > 0)
      throw new UnanswerableError(`No row of ${path} has “${escapeInline(words)}”.`);
    const chosen = new Set(selected.rows);
    counted = counted.filter((row) => chosen.has(row) === keeps);
    const shown = selected.isPart === true ? selected.value : words;
    notes.push(keeps ? `, for “${escapeInline(shown)}”` : `, without “${escapeInline(shown)}”`);
  }
  return { rows: counted, note: notes.join("") };
}

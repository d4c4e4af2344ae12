import { CsvError, parse } from "csv-parse/sync";
import { delimiterIn } from "../fs-read/tables.ts";

function cellsOf(text: string, delimiter: string): string[][] | undefined {
  try {
    const options = { delimiter, bom: true, relax_column_count: true, skip_empty_lines: true, trim: true };
    return parse(text, options);
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/**
 * The columns of a CSV file if a text at its end would be no row of it: plain words in a table of several columns. Undefined
 * if it would be one, and for a file that is no table.
 */
export function columnsMissedBy(text: string, content: string): string[] | undefined {
  const delimiter = delimiterIn(content);
  const [columns = []] = cellsOf(content, delimiter) ?? [];
  const rows = cellsOf(text, delimiter);
  const isRow = rows === undefined || rows.every((row) => row.length > 1);
  return columns.length < 2 || isRow ? undefined : columns;
}

import { parse } from "csv-parse/sync";
import { UnreadableDocument } from "./document.ts";
import { chunkTexts } from "./pack.ts";

/** The maximum nesting depth. */
const MAX_DEPTH = 32;

/** Converts JSON to lines of `path: value`. The lines of one element or one top-level key stay together. */
export function readJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnreadableDocument(`it is not JSON: ${error.message}`);
  }
  const entries = isCollection(value) ? Object.entries(value) : [["", value] as const];
  const list = Array.isArray(value);
  return chunkTexts(entries.map(([key, part]) => linesOf(list ? "" : key, part, 1).join("\n")));
}

function linesOf(where: string, value: unknown, depth: number): string[] {
  if (depth > MAX_DEPTH) throw new UnreadableDocument("it is nested too deeply");
  if (isCollection(value)) {
    return Object.entries(value).flatMap(([key, part]) =>
      linesOf(where === "" ? key : `${where}.${key}`, part, depth + 1),
    );
  }
  if (value === null || value === "") return [];
  const valueText = typeof value === "string" ? value : JSON.stringify(value);
  return [where === "" ? valueText : `${where}: ${valueText}`];
}

function isCollection(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Converts a table with column names in the first row; each row becomes `column: value; …`. */
export function readCsv(text: string): string[] {
  let rows: string[][];
  try {
    rows = parse(text, {
      delimiter: [",", ";", "\t"],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new UnreadableDocument(`it is not a table of comma-separated values: ${error.message}`);
  }
  const [names = [], ...records] = rows;
  const lines = records.map((record) =>
    record
      .map((value, column) => (names[column] ? `${names[column]}: ${value}` : value))
      .filter((_, column) => record[column] !== "")
      .join("; "),
  );
  return chunkTexts(lines.length > 0 ? lines : [names.join("; ")], "\n");
}

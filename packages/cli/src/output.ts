import { showHiddenCharacters } from "@metahuman/core/text/hidden-characters";
import { describeWhen } from "@metahuman/core/contract/describe-when";
import type { Schedule } from "@metahuman/core/contract/schedule";
import type { TaskDue } from "@metahuman/core/contract/task";
import { capitalize, truncate } from "@metahuman/core/text/format";

/** Writes results to stdout and notes to stderr, so that pipes carry only results. */
export interface Output {
  readonly json: boolean;
  /** Writes the result: `value` with `--json`, otherwise the text. */
  result(value: unknown, text: string): void;
  /** Writes one of several results: `value` as one line with `--json`, otherwise the text. */
  line(value: unknown, text: string): void;
  /** Writes a part of a streamed result; nothing with `--json`. */
  write(text: string): void;
  /** Writes a note to stderr; nothing with `--json`. */
  note(text: string): void;
  /** Shows progress: a terminal overwrites one line, other streams get new lines; nothing with `--json`. */
  progress(line: string): void;
  /** Ends the progress line, if there is one. */
  endProgress(): void;
}

export interface Streams {
  out: { write(text: string): unknown; isTTY?: boolean };
  err: { write(text: string): unknown; isTTY?: boolean };
}

/** On a terminal, hidden characters of texts are shown as their code points: some texts were written by strangers. */
export function createOutput(json: boolean, { out, err }: Streams): Output {
  let shown = "";
  const forOut = (text: string): string => (out.isTTY === true ? showHiddenCharacters(text) : text);
  const forErr = (text: string): string => (err.isTTY === true ? showHiddenCharacters(text) : text);
  return {
    json,
    result: (value, text) =>
      void out.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${forOut(text)}\n`),
    line: (value, text) => void out.write(json ? `${JSON.stringify(value)}\n` : `${forOut(text)}\n`),
    write: (text) => {
      if (!json) out.write(forOut(text));
    },
    note: (text) => {
      if (!json) err.write(`${forErr(text)}\n`);
    },
    progress: (line) => {
      if (json || line === shown) return;
      shown = line;
      // Carriage return, then clear to the end of the line (ECMA-48 EL).
      err.write(err.isTTY ? `\r\u001B[K${forErr(line)}` : `${line}\n`);
    },
    endProgress: () => {
      if (shown !== "" && err.isTTY) err.write("\n");
      shown = "";
    },
  };
}

/** The number of characters in a line of the terminal; undefined if the output goes elsewhere, which gets everything. */
const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);

type Rows = readonly (readonly string[])[];

/** The width of each column: that of its longest cell. */
function widthsOf(rows: Rows): number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return widths;
}

const GAP = 2;
/** The minimum width of a column of text that is cut. */
const MIN_TEXT_WIDTH = 16;

/** Cuts the widest column of text so that a row fits into a line. Ids and numbers, which have no spaces, stay whole. */
function fitToWidth(rows: Rows, width: number): Rows {
  const widths = widthsOf(rows);
  const over = widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1)) - width;
  const isText = (column: number) => rows.some((row) => row[column]?.includes(" ") === true);
  const [cut] = [...widths.keys()]
    .filter(isText)
    .toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0));
  if (over <= 0 || cut === undefined) return rows;
  const left = Math.max(MIN_TEXT_WIDTH, (widths[cut] ?? 0) - over);
  return rows.map((row) => row.map((cell, column) => (column === cut ? truncate(cell, left) : cell)));
}

/** Aligns rows in columns. The last column is not padded. With a width, long texts are cut so that rows fit. */
export function table(all: Rows, width = terminalWidth()): string {
  const rows = width === undefined ? all : fitToWidth(all, width);
  const widths = widthsOf(rows);
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join(" ".repeat(GAP))
        .trimEnd(),
    )
    .join("\n");
}

/** A table of the first items of a list, and how many of its `total` items follow; `none` for an empty list. */
export function tableOfPage(rows: Rows, total: number, none: string): string {
  if (rows.length === 0) return none;
  const more = total - rows.length;
  return more > 0 ? `${table(rows)}\n${String(more)} more` : table(rows);
}

/** Formats a timestamp as "2026-11-22 18:30" in a time zone. */
export function formatTime(timestamp: string, timeZone: string): string {
  // Swedish writes dates and times as ISO 8601 does.
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone }).format(
    new Date(timestamp),
  );
}

/** Formats the date of a task as "2026-11-22", or as "2026-11-22 18:30" in a time zone if it is a moment. */
export function formatDue(due: TaskDue, timeZone: string): string {
  return due.includes("T") ? formatTime(due, timeZone) : due;
}

/** The recurrence of a schedule, with its time zone if that is not the person's own: "every day at 09:00 (Europe/Oslo)". */
export function formatWhen(
  { when, timeZone, until }: Pick<Schedule, "when" | "timeZone" | "until">,
  ownZone: string,
): string {
  return `${describeWhen(when, timeZone, until)}${timeZone === ownZone ? "" : ` (${timeZone})`}`;
}

/** Formats a timestamp as "2026-11-22" in a time zone. */
export function formatDay(timestamp: string, timeZone: string): string {
  return formatTime(timestamp, timeZone).slice(0, 10);
}

/** "Unknown command 'x'." for "error: unknown command 'x'", as Commander words it. */
export function usageSentence(text: string): string {
  const sentence = capitalize(text.trim().replace(/^error: /u, ""));
  return /[.!?)]$/u.test(sentence) ? sentence : `${sentence}.`;
}

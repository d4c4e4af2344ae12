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

export function createOutput(json: boolean, { out, err }: Streams): Output {
  let shown = "";
  return {
    json,
    result: (value, text) => void out.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`),
    line: (value, text) => void out.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`),
    write: (text) => {
      if (!json) out.write(text);
    },
    note: (text) => {
      if (!json) err.write(`${text}\n`);
    },
    progress: (line) => {
      if (json || line === shown) return;
      shown = line;
      // Carriage return, then clear to the end of the line (ECMA-48 EL).
      err.write(err.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
    },
    endProgress: () => {
      if (shown !== "" && err.isTTY) err.write("\n");
      shown = "";
    },
  };
}

/** Aligns rows in columns. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Formats a timestamp as "2026-11-22 18:30", in the time zone of the terminal. */
export function formatTime(timestamp: string): string {
  return timeFormat.format(new Date(timestamp));
}

/** Formats a timestamp as "2026-11-22", in the time zone of the terminal. */
export function formatDay(timestamp: string): string {
  return formatTime(timestamp).slice(0, 10);
}

// Swedish writes dates and times as ISO 8601 does.
const timeFormat = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });

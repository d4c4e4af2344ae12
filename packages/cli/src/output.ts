/** Where a command's results go. Results on stdout, everything said about them on stderr, so that pipes stay clean. */
export interface Output {
  readonly json: boolean;
  /** The result: `value` as JSON where that is wanted, else the text. */
  result(value: unknown, text: string): void;
  /** One of several results: `value` as JSON on a line of its own where that is wanted, else the text. */
  line(value: unknown, text: string): void;
  /** Part of a result that is shown while it comes; nothing with JSON. */
  write(text: string): void;
  /** A remark for the person; nothing with JSON. */
  note(text: string): void;
  /** How far long work is: one line that is written over on a terminal, a new one elsewhere; nothing with JSON. */
  progress(line: string): void;
  /** Ends the line of `progress`, if there is one. */
  progressEnded(): void;
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
    progressEnded: () => {
      if (shown !== "" && err.isTTY) err.write("\n");
      shown = "";
    },
  };
}

/** Columns as wide as their widest cell; the last one runs free. */
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

/** One line of text: what is longer is cut with an ellipsis. */
export function oneLine(text: string, width: number): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

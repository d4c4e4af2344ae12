/**
 * Reads a table of forms: one form a line, its kind before a colon and its pattern after it. A line that begins with `#` is a comment. Throws an
 * error for a kind that is not in `kinds`.
 */
export function readForms<Kind extends string>(
  table: string,
  kinds: readonly Kind[],
): (readonly [Kind, RegExp])[] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("#"))
    .map((line) => {
      const end = line.indexOf(": ");
      const kind = kinds.find((name) => name === line.slice(0, end));
      if (kind === undefined) throw new Error(`no kind of form: ${line}`);
      return [kind, new RegExp(`^(?:${line.slice(end + 2)})$`, "iu")] as const;
    });
}

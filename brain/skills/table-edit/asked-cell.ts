import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { escapeRegExp } from "@metahuman/core/text/words";

/** The cells that an edit sets, in a table with these columns and rows. */
export interface EditedCells {
  columns: readonly string[];
  /** The labels of all rows. */
  rows: readonly string[];
  /** The label of the row that is changed. */
  row: string;
  /** The new values by column. */
  cells: Readonly<Record<string, string>>;
}

const wordsOf = (text: string): string => escapeRegExp(text.trim()).replaceAll(/\s+/gu, String.raw`\s+`);
const whole = (pattern: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}(?![\p{L}\p{N}])`, "iu");
const isNamed = (name: string, request: string): boolean =>
  /[\p{L}\p{N}]/u.test(name) && whole(wordsOf(name)).test(request);

/** What may stand between the name of a column and its new value, in one clause. */
const BETWEEN = String.raw`(?<between>[^,;:.!?\n]{0,60}?)\s(?:to|as|into|should be|must be|is|=)\s+(?:the\s+)?["“'‘]?`;

/**
 * Throws `InvalidArgsError` if the request names the column or the row for the new value exactly, and the call sets another one that
 * the request does not name at all: “change the phone of Ben to 040 99” sets no email, and no cell of Mia.
 */
export function assertAskedCell(request: string, { columns, rows, row, cells }: EditedCells): void {
  for (const [column, value] of Object.entries(cells)) {
    if (isNamed(column, request)) assertAskedRow(request, { column, row, rows });
    else assertAskedColumn(request, { column, value, columns, row });
  }
}

function assertAskedColumn(
  request: string,
  { column, value, columns, row }: { column: string; value: string; columns: readonly string[]; row: string },
): void {
  if (!/[\p{L}\p{N}]/u.test(value)) return;
  const asked = columns.filter((name) => {
    if (name === column || !isNamed(name, request)) return false;
    const [own, written] = [wordsOf(name), wordsOf(value)];
    const before = whole(`${own}${BETWEEN}${written}`).exec(request)?.groups?.["between"];
    // "Set lot 31 to sold": the column of the keys names the row.
    const namesRow =
      name === columns[0] &&
      new RegExp(String.raw`^\s+${wordsOf(row)}(?![\p{L}\p{N}])`, "iu").test(before ?? "");
    const isBefore = before !== undefined && !namesRow && !columns.some((other) => isNamed(other, before));
    return (
      isBefore ||
      whole(
        String.raw`${written}["”'’]?\s+(?:in|into|under)\s+(?:the\s+)?(?:column\s+${own}|${own}\s+column)`,
      ).test(request)
    );
  });
  const [only, ...others] = asked;
  if (only === undefined || others.length > 0) return;
  throw new InvalidArgsError(
    `The request names the column “${only}” for “${value}”, and this call would set “${column}”. Nothing was changed.`,
    { suggestions: [`Set the column “${only}”.`] },
  );
}

function assertAskedRow(
  request: string,
  { column, row, rows }: { column: string; row: string; rows: readonly string[] },
): void {
  if (isNamed(row, request)) return;
  const asked = rows.filter((label) => {
    const [name, own] = [wordsOf(label), wordsOf(column)];
    return (
      isNamed(label, request) &&
      whole(String.raw`${name}['’]s?\s+${own}|${own}\s+(?:of|for)\s+(?:the\s+)?${name}`).test(request)
    );
  });
  const [only, ...others] = asked;
  if (only === undefined || others.length > 0) return;
  throw new InvalidArgsError(
    `The request names the ${column} of “${only}”, and this call would change that of “${row}”. Nothing was changed.`,
    { suggestions: [`Change the row “${only}”.`] },
  );
}

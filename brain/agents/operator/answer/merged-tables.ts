import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { actionsIn, isChange } from "./action-claims.ts";
import { isObserved, type PreparedEvidence } from "./evidence.ts";
import { blank, FILE } from "./mentions.ts";
import { type Problem, refuted } from "./problem.ts";
import { tablesRead } from "./joined-figures.ts";
import { isOfSomeMonths, numberIn, type Row, rowsWith, type Table, tablesIn } from "./records.ts";
import { numbersIn, roundToText } from "./table-claims.ts";
import { EXCEPT, NEGATION } from "./vocabulary.ts";

const MERGES = new RegExp(
  wholeWords(
    "merg(?:e|ed|ing)|combin(?:e|ed|ing)|consolidat(?:e|ed|ing)",
    String.raw`join(?:ed|ing)? (?:both|the two|them|these|the files|the tables|the lists)|zusammen(?:ge)?führ\p{L}*`,
    String.raw`zusammenzuführen|zusammenlegen|zusammengelegt|vereinig\p{L}*|fusionn\p{L}+|combin(?:é\p{L}*|er)`,
    String.raw`fusiona\p{L}*|combina\p{L}*`,
  ),
  "iu",
);
/** Requests for a part of the rows. */
const OF_SOME = new RegExp(
  wholeWords(
    String.raw`common|matching|match|overlap\p{L}*|intersect\p{L}*|in both|top|only|except|excluding|without`,
    "apart from|where|whose|who|that (?:are|have|is|has)|at (?:least|most)",
    "(?:more|less|fewer|older|newer) than|under|over|above|below|since|before|after|until|newest|latest",
    String.raw`first|last|gemeinsam\p{L}*|in beiden|nur|ohne|außer|deren|über|unter|communs?|communes?|seulement`,
    String.raw`sans|sauf|dont|comun\p{L}*|solo|sin|salvo|cuy\p{L}+`,
  ),
  "iu",
);

/**
 * "I merged both lists into all.csv", where the written table has no cell of a row that was read: neither its name nor anything else that
 * only this row has. Not where the request or the sentence asks for some rows only.
 */
export function lostRows(text: string, evidence: PreparedEvidence): Problem[] {
  const { source, calls } = evidence;
  const asked = `${source.request}\n${text}`.replaceAll(FILE, blank);
  if (!MERGES.test(asked) || OF_SOME.test(asked) || isOfSomeMonths(asked, [])) return [];
  if (NEGATION.test(text) || EXCEPT.test(text) || actionsIn(text).length === 0) return [];
  const read = tablesRead(evidence);
  const written = source.scratchpad
    .filter(isObserved)
    .filter((_, index) => calls[index]?.success === true)
    .flatMap(({ action }) => (action?.tool === "fs_write" ? tablesIn(action.args["content"]) : []))
    .at(-1);
  if (read.length < 2 || written === undefined) return [];
  const kept = new Set(written.rows.flatMap((row) => row.map(({ key }) => key)));
  // A table of other things, such as a report, is not a merged table.
  const isMerged = read.every(({ rows }) => rows.some((row) => isKept(row, kept, read)));
  const lost = isMerged ? read.flatMap(({ rows }) => rows.filter((row) => !isKept(row, kept, read))) : [];
  const changed = isMerged ? changedValues(written, read, evidence) : [];
  return [
    ...(lost.length === 0
      ? []
      : [
          refuted(
            `The written table has no row for ${lost.slice(0, MAX_LOST).map(nameOfRow).join("; ")}, which a file that was read has.`,
          ),
        ]),
    ...(changed.length === 0
      ? []
      : [
          refuted(
            `The written table has ${changed.slice(0, MAX_LOST).join("; ")}, which neither stands in the rows that were read nor follows from them.`,
          ),
        ]),
  ];
}

const MAX_LOST = 5;

const CHANGES_VALUES_WORDS = oneOf(
  String.raw`averag\p{L}*|mean|median|weighted|convert\p{L}*|round\p{L}*|estimat\p{L}*|percent\p{L}*|share`,
  String.raw`rank\p{L}*|renumber\p{L}*|tax|vat|discount\p{L}*|durchschnitt\p{L}*|umrechn\p{L}*|rund\p{L}*`,
  String.raw`prozent\p{L}*|rabatt\p{L}*|moyenne|convert\p{L}*|arrond\p{L}*|promedio|redonde\p{L}*`,
);
/** Requests whose values cannot be found in the rows, nor added from them: averages, conversions, changed prices. */
const CHANGES_VALUES = new RegExp(String.raw`\d|(?<!\p{L})${CHANGES_VALUES_WORDS}(?!\p{L})`, "iu");

/**
 * "2.06 for soap": numbers of a merged table that no row of the same thing has, that are not sums of numbers of several such rows, and
 * that no calculation gave. In a column for which the request wants the higher or the lower value, the other one counts as changed, too.
 */
function changedValues(
  written: Table,
  read: readonly Table[],
  { source, calls }: PreparedEvidence,
): string[] {
  const asked = source.request.replaceAll(FILE, blank);
  if (CHANGES_VALUES.test(asked)) return [];
  const calculated = calls.filter(({ tool }) => !READS.test(tool)).filter((call) => !isChange(call));
  const results = calculated.flatMap(({ text }) => numbersIn(text));
  return written.rows.flatMap((row) => {
    const partners = read.flatMap(({ rows, columns }) =>
      rows.filter((other) => isSameThing(row, other)).map((other) => ({ row: other, columns })),
    );
    if (partners.length === 0 || partners.length > MAX_PARTNERS) return [];
    const known = [...sumsOf(partners.map((partner) => valuesOf(partner.row))), ...results];
    const numbers = row
      .filter(({ key, column }) => column > 0 && key.startsWith("="))
      .map(({ key, column }) => ({
        value: Number(key.slice(1)),
        column,
      }));
    const shown = numbers.filter(({ value }) => known.some((one) => isEqual(one, value)));
    const derived = shown.flatMap((one) =>
      shown.flatMap((other) => [one.value * other.value, one.value + other.value, one.value - other.value]),
    );
    return numbers
      .filter(
        ({ value, column }) =>
          ![...known, ...derived].some((one) => isEqual(one, value)) ||
          isOtherThanWanted(value, { name: nameOfColumn(written, column), partners, asked }),
      )
      .map(({ value }) => `${roundToText(value)} for ${nameOfRow(row)}`);
  });
}

/** Calls whose results are the rows themselves. */
const READS = /^(?:fs_|web_|http_|memory_|task_)/u;
/** From more rows, some sum fits any number. */
const MAX_PARTNERS = 3;

const isEqual = (one: number, other: number): boolean => Math.abs(one - other) < 0.005;

const valuesOf = (row: Row): number[] =>
  row.filter(({ key, column }) => column > 0 && key.startsWith("=")).map(({ key }) => Number(key.slice(1)));

/** The sums of at most one number of each row. */
const sumsOf = (rows: readonly (readonly number[])[]): number[] =>
  rows.reduce<number[]>(
    (sums, values) => [...sums, ...sums.flatMap((sum) => values.map((value) => sum + value))],
    [0],
  );

/** True for rows with the same first cell that share a text, if both have texts. */
function isSameThing(row: Row, other: Row): boolean {
  if (row[0] === undefined || row[0].key !== other[0]?.key) return false;
  const texts = [row, other].map((one) => one.map(({ key }) => key).filter((key) => /\p{L}/u.test(key)));
  const [own = [], others = []] = texts;
  return own.length === 0 || others.length === 0 || own.some((key) => others.includes(key));
}

const HIGHER =
  "higher|highest|larger|largest|greater|bigger|maximum|max|höhere\\p{L}*|höchste\\p{L}*|größere\\p{L}*";
const LOWER =
  "lower|lowest|smaller|smallest|cheaper|cheapest|minimum|min|niedrigere\\p{L}*|kleinere\\p{L}*|günstigere\\p{L}*";

/** True for the lower of two values of a column where the request wants "the higher price", and the other way round. */
function isOtherThanWanted(
  value: number,
  {
    name,
    partners,
    asked,
  }: { name: string; partners: readonly (Pick<Table, "columns"> & { row: Row })[]; asked: string },
): boolean {
  const words = wordsOfName(name);
  const wants = (degree: string): boolean =>
    words.some((word) => new RegExp(`(?<!\\p{L})(?:${degree})\\s(?:\\p{L}+\\s)?${word}`, "iu").test(asked));
  const values = partners.flatMap(({ columns, row }) =>
    [...columns]
      .filter(([other]) => wordsOfName(other).some((word) => words.includes(word)))
      .map(([, index]) => numberIn(row, index))
      .filter((number) => !Number.isNaN(number)),
  );
  if (values.length !== partners.length || values.length < 2) return false;
  return (wants(HIGHER) && value < Math.max(...values)) || (wants(LOWER) && value > Math.min(...values));
}

const nameOfColumn = ({ columns }: Table, column: number): string =>
  [...columns].find(([, index]) => index === column)?.[0] ?? "";

const wordsOfName = (name: string): string[] => name.split(/[\s_]+/u).filter((word) => word.length > 2);

/** True when the written table has the first cell of a row, or a text that only this row and its like have. */
function isKept(row: Row, kept: ReadonlySet<string>, read: readonly Table[]): boolean {
  const [first] = row;
  if (first === undefined || kept.has(first.key)) return true;
  return row.some(
    ({ key }) =>
      /\p{L}/u.test(key) && kept.has(key) && read.every(({ rows }) => rowsWith(key, rows).length < 2),
  );
}

const nameOfRow = (row: Row): string =>
  row
    .map(({ key }) => key)
    .filter((key) => /\p{L}/u.test(key))
    .slice(0, 2)
    .join(", ");

import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { plainWords } from "@metahuman/core/text/words";
import { amountIn, NO, type Table, YES } from "@metahuman/skills/fs-read/tables";
import { rowLabel, rowsNamed } from "@metahuman/skills/table-edit/row-words";
import type { PlanState } from "../../planner.ts";
import { type Continued, withoutFiller } from "./short-orders.ts";
import type { SubjectOf } from "./subjects.ts";

// Statements that say what is now so of one row of a table: "Miller paid", "Leo did the dishes", "1B goes to Patel".

type TableSubject = SubjectOf<"table">;

const MAX_WORDS = 12;
/** What is only supposed, planned or asked changes nothing. */
const UNCERTAIN =
  /\?|\b(?:if|when|unless|until|whether|maybe|perhaps|might|may|could|should|would|will|shall|wants?|promised|says?|said|thinks?|hopes?|tomorrow|soon|later|remind|task|who|whose|what|which|how)\b/iu;
const TIMES = new Set(
  "today yesterday now already just finally also too morning afternoon evening tonight night week yet this last ago still".split(
    " ",
  ),
);
const AUXILIARY = new Set(
  "has have had is are was were s ve did does do been got not t nt hasn hasnt haven didn didnt isn isnt".split(
    " ",
  ),
);
const PRONOUNS = new Set("he she it they i we that those his her him them".split(" "));
/** Words for what is done, which a column may call otherwise. */
const FINISHED = new Set("do finish complete ready".split(" ").map(stem));
const NEGATED = /\b(?:not|never)\b|n['’]?t\b/iu;

const verbStem = (word: string): string => stem(plainOfPast(word) ?? word);
const isMark = (cell: string): boolean => YES.test(cell.trim()) || NO.test(cell.trim());

/** What a statement changes of a table of the conversation; undefined for any other request, and if not exactly one row is meant. */
export function statedOfRow(request: string, subject: TableSubject, state: PlanState): Continued | undefined {
  const { text } = withoutFiller(request);
  const { table, path } = subject;
  const words = plainWords(text.replaceAll(/['’]/gu, ""));
  if (
    words.length > MAX_WORDS ||
    UNCERTAIN.test(request) ||
    !state.skills.some(({ id }) => id === "table_edit")
  )
    return undefined;
  const set =
    markStated(words, NEGATED.test(text), subject) ?? valueGiven(text, table) ?? figureStated(text, subject);
  return set === undefined
    ? undefined
    : { calls: [callOf("table_edit", fromRequest({ path, action: "set", ...set }), state.request)] };
}

interface Cell {
  row: string;
  column: string;
  value: string;
}

/** The one row that words mean without those that only tell when, or nothing; the current one for a pronoun. */
function rowAmong(words: readonly string[], { table, row }: TableSubject): string | undefined {
  const naming = words.filter((word) => !TIMES.has(word) && !AUXILIARY.has(word));
  if (naming.every((word) => PRONOUNS.has(word))) return naming.length > 0 ? row : undefined;
  const specific = naming.filter((word) => !FUNCTION_WORDS.has(word));
  for (const tried of [naming, specific]) {
    const [only, ...others] = tried.length === 0 ? [] : rowsNamed(table, tried.join(" "));
    if (only !== undefined && others.length === 0) return rowLabel(table, only);
  }
  return undefined;
}

/** "Miller paid", "Leo hasn't done the dishes": yes or no in the column whose name is what was done. */
function markStated(words: readonly string[], isNegated: boolean, subject: TableSubject): Cell | undefined {
  const { columns, rows } = subject.table;
  const found = columns.flatMap((column, index): Cell[] => {
    const cells = rows.map((row) => row[index] ?? "");
    if (index === 0 || rows.length === 0 || !cells.every(isMark)) return [];
    const names = plainWords(column).map(verbStem);
    const isFinished = names.some((name) => FINISHED.has(name));
    const at = words.findLastIndex(
      (word) => names.includes(verbStem(word)) || (isFinished && FINISHED.has(verbStem(word))),
    );
    const row =
      at < 0
        ? undefined
        : rowAmong(
            words.filter((_, one) => one !== at),
            subject,
          );
    return row === undefined ? [] : [{ row, column, value: markLike(cells, isNegated ? "no" : "yes") }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The mark as the column writes it: "Yes", "x" or "yes". */
function markLike(cells: readonly string[], mark: "yes" | "no"): string {
  const written = mark === "yes" ? YES : NO;
  return cells.find((cell) => cell.trim() !== "" && written.test(cell.trim())) ?? mark;
}

/** "1B goes to Patel", "2B is now let to Ortiz": whom a thing has from now on. */
const GIVEN_TO =
  /^(?:the\s+)?(?<row>\S.{0,40}?)\s+(?:goes|went|belongs|is\s+(?:now\s+)?(?:let|rented(?:\s+out)?|given|assigned|promised|sold)|was\s+(?:let|rented(?:\s+out)?|given|assigned|sold))\s+to\s+(?<value>\S.{0,60})$/iu;
/** "Patel takes 1B", "Ortiz moved into 2B" */
const TAKES =
  /^(?<value>\p{Lu}\S*(?:\s\p{Lu}\S*){0,2})\s+(?:takes|took|gets|got|has\s+taken|moved\s+into|moves\s+into|rents)\s+(?:the\s+)?(?<row>\S.{0,40})$/u;

/** A value for the only empty cell of a row. */
function valueGiven(text: string, table: Table): Cell | undefined {
  const { row: named, value } = (GIVEN_TO.exec(text) ?? TAKES.exec(text))?.groups ?? {};
  const [index, ...others] = named === undefined ? [] : rowsNamed(table, named);
  if (index === undefined || others.length > 0 || value === undefined) return undefined;
  const cells = table.rows[index] ?? [];
  const empty = table.columns.filter((_, column) => (cells[column] ?? "") === "");
  const [column] = empty;
  return empty.length === 1 && column !== undefined
    ? { row: rowLabel(table, index), column, value }
    : undefined;
}

/** "The reading on 2026-11-02 was 12.8": another number in the only column of numbers. */
const FIGURE =
  /^(?:the\s+)?(?<row>\S.{0,60}?)\s+(?:is|was|were|costs?|came\s+to|should\s+be|should\s+have\s+been)\s+(?:actually\s+|really\s+|only\s+)?(?<value>[€$£]?\d[\d.,]*)(?:,?\s+not\s+\S+)?$/iu;

function figureStated(text: string, { table, path }: TableSubject): Cell | undefined {
  const { row: named = "", value } = FIGURE.exec(text)?.groups ?? {};
  if (value === undefined) return undefined;
  const numeric = [...table.columns.keys()].filter(
    (index) =>
      index > 0 &&
      table.rows.length > 0 &&
      table.rows.every((row) => amountIn(row[index] ?? "") !== undefined),
  );
  const [column] = numeric;
  // "The reading of Monday" in readings.csv: the name of the table and of the column say nothing about the row.
  const known = new Set(
    [...plainWords(path), ...plainWords(table.columns.join(" ")), "of", "on", "for", "at", "in", "from"].map(
      stem,
    ),
  );
  const words = named.split(/\s+/u).filter((word) => !known.has(stem(word.toLowerCase())));
  const [index, ...others] = words.length === 0 ? [] : rowsNamed(table, words.join(" "));
  return numeric.length !== 1 || column === undefined || index === undefined || others.length > 0
    ? undefined
    : { row: rowLabel(table, index), column: table.columns[column] ?? "", value };
}

/** "Carter, 300, yes": as many values as the table has columns, each like the others of its column. */
export function rowWithoutOrder(
  request: string,
  subject: TableSubject,
  state: PlanState,
): Continued | undefined {
  const { columns, rows } = subject.table;
  const values = request
    .trim()
    .replace(/^(?:and|also|then|plus)\s+/iu, "")
    .replace(/[\s.!]+$/u, "")
    .split(/\s*,\s*/u);
  const isFitting =
    columns.length > 1 &&
    values.length === columns.length &&
    values.every((value, index) => {
      const cells = rows.map((row) => row[index] ?? "").filter((cell) => cell !== "");
      const isShort = value !== "" && value.split(/\s+/u).length <= MAX_CELL_WORDS && !/[?:]/u.test(value);
      if (cells.length === 0) return isShort;
      if (cells.every(isMark)) return isMark(value);
      return (
        isShort && (!cells.every((cell) => amountIn(cell) !== undefined) || amountIn(value) !== undefined)
      );
    });
  // At least one value is a number or a mark, which a sentence with commas does not have in its place.
  const isData = values.some((value) => isMark(value) || amountIn(value) !== undefined);
  if (!isFitting || !isData || !state.skills.some(({ id }) => id === "table_edit")) return undefined;
  const args = { path: subject.path, action: "add", values: values.join(", ") };
  return { calls: [callOf("table_edit", fromRequest(args), state.request)] };
}

const MAX_CELL_WORDS = 4;

import type { Interpretation, PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { stem } from "@metahuman/core/language/tokens/words";
import { isRecord } from "@metahuman/core/text/is-record";
import { plainWords } from "@metahuman/core/text/words";
import { dayOf } from "@metahuman/core/language/dates/clock";
import { QUERY_VIEW, rowsMeeting, type TableQuery } from "@metahuman/skills/fs-read/table-query";
import { amountIn, type Table, tryReadTable } from "@metahuman/skills/fs-read/tables";
import type { PlanState } from "../../../planner.ts";
import { type Subject, findSubjects } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { hasSkill, isMemoryQuestion } from "../conversation/resolution.ts";
import { readTableChanges } from "./read-changes.ts";
import type { TableChange } from "./table-message.ts";
import { findEarlierQuery, readQuery, type QueryReading } from "./read-query.ts";
import { indexTable, type TableIndex } from "./words.ts";

// Reads a message about a table that the conversation or the request knows. "Who has not paid?" becomes a call of fs_read that shows
// the rows with no in the column "paid"; "Pekka has paid now" becomes a call of table_edit that sets one cell. It looks up the words
// in the columns and cells (words.ts), and tries a question first (read-query.ts), then changes (read-changes.ts). The table that the
// request names comes before those of the conversation, and these before a table that nothing names (readMessageForTable).

/** Messages about larger tables are not read. */
const MAX_ROWS = 400;
const MAX_COLUMNS = 30;

interface KnownTable {
  path: string;
  table: Table;
  /** What knows it: the request names it, the conversation was about it, or its lines have words of the request. */
  knownFrom: "request" | "conversation" | "search";
  /** How many requests about something else came after it. */
  age: number;
}

/**
 * The calls for a message about the table of the conversation, or about the one that it names, which is read first. Undefined if a word
 * of the message has no meaning there, or if another thing is meant.
 */
export async function readTableMessage(
  reading: Interpretation,
  state: PlanState,
): Promise<readonly PlannedCall[] | undefined> {
  if (!isPossibleTableMessage(reading, state)) return undefined;
  const earlier = (await state.earlier?.()) ?? [];
  const named = findNamedTable(reading, state);
  const openedTable = named === undefined ? undefined : findTableReadInRun(named, state);
  if (named !== undefined && openedTable === undefined) return undefined;
  // The plan reads the table itself.
  if (
    openedTable === "unread" &&
    reading.kind === "plan" &&
    (reading.readOnly || hasBegunCalls(reading.calls, state))
  )
    return undefined;
  if (openedTable === "unread") return [callOf("fs_read", fromRequest({ path: named }), state.request)];
  const tables = openedTable === undefined ? tableSubjects(await findSubjects(state)) : [openedTable];
  const isPlan = reading.kind === "plan" && !isMemoryQuestion(reading.calls, state);
  // A request with a plan of its own can only be about the newest table.
  const candidates = isPlan ? tables.filter(({ age }) => age === 0) : tables;
  for (const candidate of candidates) {
    const context = { state, isPlan, isListing: onlyListsFiles(reading) };
    const calls = readCallsForTable(candidate, earlier, context);
    if (calls === undefined) continue;
    // A change that fits two tables is made in neither.
    const isUnclear =
      calls.some(({ skill }) => skill === "table_edit") &&
      candidates.some(
        (other) =>
          other !== candidate &&
          other.age === candidate.age &&
          readCallsForTable(other, earlier, context) !== undefined,
      );
    return isUnclear ? undefined : calls;
  }
  return undefined;
}

/** True if a call of the plan was made already: then the request was not read as one about a table. */
const hasBegunCalls = (calls: readonly PlannedCall[], { scratchpad }: PlanState): boolean =>
  scratchpad.some(({ action }) => calls.some(({ skill }) => skill === action?.tool));

/** True for a message that is not understood, and for plans whose words may as well name a row of the table. */
function isPossibleTableMessage(reading: Interpretation, state: PlanState): boolean {
  const { request } = state;
  if (request.length > MAX_ORDER || !hasSkill(state, "table_edit")) return false;
  if (reading.kind === "not-understood") return reading.foreign !== true;
  if (reading.kind === "refrain") return true;
  // "Villette got lost, delete it" refers to a row, if the words name one.
  const mayDelete = ({ skill, args }: PlannedCall): boolean =>
    skill === "fs_delete" &&
    (args["path"]?.from === "earlier" ||
      // "Remove phone" may mean a row as well as a file of that name.
      (args["path"]?.from === "request" && !/[./]/u.test(String(args["path"].value))));
  // An order that names its file keeps its plan, unless the value or the row holds a second order: "30 and River to 35".
  const namesItsTable = ({ skill, args }: PlannedCall): boolean =>
    skill === "table_edit" &&
    args["path"]?.from === "request" &&
    ![args["value"], args["row"]].some(hasSecondOrder);
  // An order for a named text keeps its plan.
  const isOfText = ({ skill, args }: PlannedCall): boolean =>
    /^fs_(?:append|edit)$/u.test(skill) &&
    args["path"]?.from === "request" &&
    !/\.(?:csv|tsv)$/iu.test(String(args["path"].value));
  if (reading.kind !== "plan" || reading.calls.some((call) => namesItsTable(call) || isOfText(call)))
    return false;
  if (onlyListsFiles(reading)) return !OF_FILES.test(request);
  const mayAdd = ({ skill }: PlannedCall): boolean => skill === "task_create" && ANOTHER.test(request);
  return reading.calls.every((call) => MAY_MEAN_ROWS.has(call.skill) || mayDelete(call) || mayAdd(call));
}

/** "Another one: Duarte, white, 35": one more of what was added last. */
const ANOTHER = /^\W*(?:\p{L}+\s+)?(?:another|one\s+more)(?:\s+(?:one|row|entry))?\s*:/iu;

/** "Which is the heaviest?" may be about the rows of the table just as well as about files. */
const onlyListsFiles = (reading: Interpretation): boolean =>
  reading.kind === "plan" && reading.calls.every(({ skill }) => skill === "fs_list");
const OF_FILES = /\b(?:files?|folders?|documents?|notes?|letters?|inbox|out|everything|workspace)\b/iu;

/**
 * Skills that the grammar plans for words that may as well name a row: "is Ana paid", "Ana is done", "add Ana". What they read or change
 * has a name or a title, as a row has.
 */
const MAY_MEAN_ROWS = new Set([
  ...["fs_read", "memory_search", "task_find", "task_list"],
  ...["table_edit", "task_update", "task_update_status", "task_delete", "fs_edit", "fs_append"],
]);

const hasSecondOrder = (value: PlannedValue | undefined): boolean =>
  value?.from === "request" && typeof value.value === "string" && SECOND_ORDER.test(value.value);
/** "30 and River to 35" as a value, "Top to 30 and River" as a row */
const SECOND_ORDER = /\d\s+and\s+\S|\d,\s*(?:and\s+)?\p{L}/u;

/** "In menu.csv", "in jobs dot csv" */
const NAMED = /(?<![\w/.-])(?<name>[\p{L}\p{N}_/-]{1,60})(?:\.|\s+dot\s+)(?<ending>csv|tsv)\b/iu;

/** The path of the table that a message is about by its words or its plan; undefined if it names none. */
function findNamedTable(reading: Interpretation, { request }: PlanState): string | undefined {
  const [call, ...others] = reading.kind === "plan" ? reading.calls : [];
  const path = call?.args["path"];
  if (reading.kind === "plan" && call?.skill !== "memory_search")
    return others.length === 0 &&
      path?.from === "request" &&
      typeof path.value === "string" &&
      /[./]/u.test(path.value)
      ? path.value
      : undefined;
  const { name, ending } = NAMED.exec(request)?.groups ?? {};
  return name === undefined || ending === undefined ? undefined : `${name}.${ending.toLowerCase()}`;
}

/** The table at a path, once this run has read it; undefined if that failed or the file is not a table. */
function findTableReadInRun(path: string, { scratchpad }: PlanState): KnownTable | "unread" | undefined {
  if (!/\.(?:csv|tsv|md)$/iu.test(path)) return undefined;
  const entry = scratchpad.find(({ action }) => action?.tool === "fs_read" && action.args["path"] === path);
  if (entry?.observation === undefined) return "unread";
  const { outputs } = entry.observation;
  const table = outputs && tryReadTable({ ...outputs });
  return table && { path, table, knownFrom: "request", age: 0 };
}

/**
 * The calls for a message about a table that neither the request nor the conversation names: a question that says which rows or column
 * it means, or new values of rows that the words name. "unread" if this run has not read the table yet; undefined if the message is
 * about something else.
 */
export function readMessageForTable(
  path: string,
  state: PlanState,
): readonly PlannedCall[] | "unread" | undefined {
  const openedTable = findTableReadInRun(path, state);
  if (openedTable === undefined || openedTable === "unread") return openedTable;
  const calls = readCallsForTable({ ...openedTable, knownFrom: "search" }, [], {
    state,
    isPlan: false,
    isListing: false,
  });
  const requestStems = new Set(plainWords(state.request).map(stem));
  const isNamed = ({ skill, args }: PlannedCall): boolean => {
    const row = args["row"];
    if (skill !== "table_edit") return true;
    return (
      args["action"]?.from === "request" &&
      args["action"].value === "set" &&
      row?.from === "request" &&
      plainWords(String(row.value)).some((word) => requestStems.has(stem(word)))
    );
  };
  return calls?.every(isNamed) === true ? calls : undefined;
}

const tableSubjects = (subjects: readonly Subject[]): KnownTable[] =>
  subjects.flatMap((subject) =>
    subject.kind === "table" ? [{ ...subject, knownFrom: "conversation" }] : [],
  );

function readCallsForTable(
  { path, table, knownFrom, age }: KnownTable,
  earlier: readonly EarlierRequest[],
  { state, isPlan, isListing: isOfFiles }: { state: PlanState; isPlan: boolean; isListing: boolean },
): readonly PlannedCall[] | undefined {
  if (table.rows.length > MAX_ROWS || table.columns.length > MAX_COLUMNS) return undefined;
  const index = indexTable(table, path);
  const today = dayOf({ now: state.requestedAt, timeZone: state.timeZone });
  const before = earlier.map(({ request }) => request);
  const query = readQuery(state.request, index, { today, before });
  const isNamed = knownFrom === "request";
  // Without the name of the table, the plan of the grammar takes a figure from the rows that were just shown.
  if (query?.isFigureAlone === true && isPlan && !isNamed && !isOfFiles) return undefined;
  // "Which is the largest?" lists files, unless a column is named.
  if (isOfFiles && query?.query.column === undefined) return undefined;
  // A table that nothing was about is only meant by a question that names what it asks for.
  const isMeant = (age === 0 && knownFrom !== "search") || query?.isSelfContained === true;
  if (query !== undefined && isMeant) return [createQueryCall({ path, isNamed }, query, state)];
  const last = findLastChange(path, earlier);
  const question =
    before[0] === undefined ? undefined : readQuery(before[0], index, { today, before: before.slice(1) });
  const askedColumn = table.columns.indexOf(findEarlierQuery({ index, today, before })?.column ?? "");
  const changes = readTableChanges(state.request, index, {
    today,
    shownRows: question === undefined ? [] : findShownRows(question.query, index),
    ...(askedColumn >= 0 && { askedColumn }),
    ...(last !== undefined && { lastChange: last }),
  });
  return changes?.map((change) => callOf("table_edit", fromRequest({ path, ...change }), state.request));
}

/** The call that reads the table again and answers. An answer without its path says which table it is about. */
const createQueryCall = (
  { path, isNamed }: Pick<KnownTable, "path"> & { isNamed: boolean },
  { query }: QueryReading,
  { request }: PlanState,
): PlannedCall => ({
  ...callOf(
    "fs_read",
    isNamed
      ? fromRequest({ path })
      : { path: { from: "earlier", mention: request, candidates: [{ id: path, label: path }] } },
    request,
  ),
  view: { name: QUERY_VIEW, values: { [QUERY_VIEW]: JSON.stringify(query) } },
});

/** The last change of a table, with all cells of a new row. */
function findLastChange(path: string, earlier: readonly EarlierRequest[]): TableChange | undefined {
  for (const { calls } of earlier)
    for (const { skill, args, outputs } of calls.toReversed())
      if (skill === "table_edit" && outputs?.["path"] === path)
        return isRecord(outputs["cells"])
          ? { ...args, values: outputs["cells"] }
          : {
              ...args,
              row: outputs["row"],
              ...(outputs["column"] !== undefined && { column: outputs["column"] }),
            };
  return undefined;
}

/** The rows that a question about the table chose. */
function findShownRows({ where, figure, column }: TableQuery, { table, path }: TableIndex): number[] {
  const rows = rowsMeeting(table, where, path);
  const shownRows =
    column !== undefined && (figure === "highest" || figure === "lowest")
      ? findExtremeRows(rows, table.columns.indexOf(column), figure)
      : where.length === 0
        ? []
        : rows;
  return [...table.rows.keys()].filter((row) => shownRows.includes(table.rows[row] ?? []));
}

/** The rows with the highest or the lowest number of a column. */
function findExtremeRows(
  rows: Table["rows"],
  column: number,
  figure: "highest" | "lowest",
): readonly (readonly string[])[] {
  const valueOf = (row: readonly string[]): number =>
    amountIn(row[column] ?? "")?.value.toNumber() ?? Number.NaN;
  const values = rows.map(valueOf).filter((value) => !Number.isNaN(value));
  const extreme = figure === "highest" ? Math.max(...values) : Math.min(...values);
  return rows.filter((row) => valueOf(row) === extreme);
}

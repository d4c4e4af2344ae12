import { NOT_OLD } from "@metahuman/core/language/tokens/contrast";
import { oneOf } from "@metahuman/core/text/patterns";
import { stripFiller } from "../conversation/short-orders.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { type ChangeContext, type TableChanges } from "./table-message.ts";
import { RowChanges } from "./row-changes.ts";
import { findSpans, type TableIndex } from "./words.ts";

// Reads statements and orders that change rows of a table. "Set the stock of Top to 30 and River to 35" becomes two changes of cells;
// "add Mia, 4, yes" becomes a new row. It tries several values, several rows, and then each reader of RowChanges and NewRows in turn:
// the first that explains the message is right.

const UNCERTAIN_WORDS = oneOf(
  String.raw`if|when|unless|until|whether|maybe|perhaps|might|may|could|should(?!\s+(?:be|have\s+been)\b)|would`,
  "will|shall|wants?|promised|promises|thinks?|hopes?|tomorrow|soon|later|remind|reminder|task|tasks",
  String.raw`who|whose|what|which|how|why|where|almost|nearly|about\s+to|going\s+to|forgot|supposed|don['’]?t`,
  String.raw`cannot|can['’]?t|never\s+mind|undo|delete\s+the\s+file`,
);
/** What is only supposed, planned, asked or told of changes nothing. */
const UNCERTAIN = new RegExp(String.raw`\?|\b${UNCERTAIN_WORDS}\b`, "iu");
/** "She wants 8 and not 6" corrects a value, although it states a wish. */
const WANTED_INSTEAD = new RegExp(
  String.raw`\b(?:wants?|would\s+like|should\s+(?:have|get))\s+(?=(?:\S+\s+){0,2}\S+,?\s+${NOT_OLD}\s+(?:(?:an?|the)\s+)?\S+[\s.!]*$)`,
  "giu",
);
/** A name inside a sentence that is a word of plans, too: "Ines and Will have paid". */
const NAME_INSIDE = /(\p{L}\s)(?:Will|May)\b/gu;
/** "…, would you put that in?", "…, mark both": an order to write down the statement before it. */
const PUT_DOWN = new RegExp(
  [
    String.raw`[,.;]?\s+(?:(?:so|and|please|pls)\s+)*(?:(?:can|could|would|will)\s+you\s+)?`,
    String.raw`(?:please\s+|pls\s+|kindly\s+|also\s+)*`,
    String.raw`(?:put|note|enter|mark|write|record|set|update|change|tick|correct)\s+(?:that|it|this|them|both|all)`,
    String.raw`(?:\s+(?:in(?:to)?\s+(?:the\s+)?(?:table|list|sheet|file)|in|down|there|too|as\s+well|please|pls|for\s+me|off|up|accordingly))*`,
    String.raw`\s*[?.!]*$`,
  ].join(""),
  "iu",
);
const SAME_DAY = /\b(?:on\s+)?(?:the\s+)?same\s+(?:day|date)\b/iu;
/** The columns of a table are changed in other words. */
const COLUMNS = /\b(?:column|columns|table|file)\s+\S/iu;

/** The changes of a table that a message states or orders; undefined if a part of it is unclear. */
export function readTableChanges(
  request: string,
  index: TableIndex,
  context: ChangeContext,
): TableChanges | undefined {
  return (
    readSeveralValues(request, index, context) ??
    readSeveralRows(request, index, context) ??
    readChange(request, index, context)
  );
}

/** "Add Mia, yes, 4; Leo, no, 5", "add Ann, 10 and Bo, 20" and "add these: Kim 20 yes, Lu 25 no": rows after one order. */
function readSeveralRows(
  request: string,
  index: TableIndex,
  context: ChangeContext,
): TableChanges | undefined {
  const { verb, rest } = ADDS.exec(stripFiller(request).text)?.groups ?? {};
  if (verb === undefined || rest === undefined || request.length > MAX_ORDER) return undefined;
  // "Salt, and pepper" is not a second row: each has as many values as there are columns.
  const hasAllValues =
    (separator: RegExp) =>
    (part: string): boolean =>
      part.split(separator).length === index.table.columns.length;
  const words = rest.split(/,?\s+and\s+|\s*[,;]\s*/iu);
  const parts = words.every(hasAllValues(/\s+/u))
    ? words
    : rest.split(rest.includes(";") ? /\s*;\s*(?:and\s+)?/iu : /\s+and\s+/iu);
  if (parts.length < 2) return undefined;
  if (parts !== words && !rest.includes(";") && !parts.every(hasAllValues(/,/u))) return undefined;
  const rows = parts.map((part) => readChange(`${verb} ${part}`, index, context));
  const all = rows.flatMap((changes) => changes ?? []);
  return all.length === rows.length && all.every(({ action }) => action === "add") ? all : undefined;
}

const ADDS =
  /^(?<verb>add|insert|enter|include)\s+(?:also\s+|too\s+)?(?:(?:these|the\s+following)(?:\s+(?:rows|lines|people|ones|entries))?\s*:\s*)?(?<rest>\S.*)$/iu;

/** "Set the stock of Top to 30 and River to 35": one value after the other, in the column of the first. */
function readSeveralValues(
  request: string,
  index: TableIndex,
  context: ChangeContext,
): TableChanges | undefined {
  const [first = "", ...others] = request.trim().split(/,?\s+and\s+|,\s+/u);
  const set =
    others.length === 0 || request.length > MAX_ORDER ? undefined : readValuesOfPart(first, index, context);
  const column = set?.[0]?.["column"];
  if (set === undefined || typeof column !== "string") return undefined;
  const furtherChanges = others.map((part) => readValuesOfPart(`${column} ${part}`, index, context));
  const all = [...set, ...furtherChanges.flatMap((changes) => changes ?? [])];
  return furtherChanges.every((changes) => changes?.length === 1) ? all : undefined;
}

const readValuesOfPart = (
  part: string,
  index: TableIndex,
  context: ChangeContext,
): TableChanges | undefined =>
  UNCERTAIN.test(part) || !/\d/u.test(part)
    ? undefined
    : parseMessage(part, index, context)?.message.readValues();

function readChange(request: string, index: TableIndex, context: ChangeContext): TableChanges | undefined {
  const parsed = parseMessage(request, index, context);
  if (parsed === undefined) return undefined;
  const { message, isJoined } = parsed;
  return (
    message.readCorrection() ??
    message.readSorting() ??
    message.readRemoval() ??
    message.readRowInOrder(isJoined, { isListed: true }) ??
    message.readRowByColumns() ??
    message.readRepetition(isJoined) ??
    message.readMarks() ??
    message.readCellChange() ??
    message.readValues() ??
    message.readRecipient() ??
    message.readRowInOrder(isJoined, { isListed: false }) ??
    message.readNewRow(isJoined)
  );
}

function parseMessage(
  request: string,
  index: TableIndex,
  context: ChangeContext,
): { message: RowChanges; isJoined: boolean } | undefined {
  if (request.length > MAX_ORDER || request.includes("\n")) return undefined;
  const statement = rewriteWithSubject(request.trim().replace(PUT_DOWN, ""), index, context.today);
  const { text, isJoined } = stripFiller(statement);
  if (
    text === "" ||
    UNCERTAIN.test(statement.replaceAll(NAME_INSIDE, "$1").replaceAll(WANTED_INSTEAD, "")) ||
    COLUMNS.test(text)
  )
    return undefined;
  const plain = text
    .replace(/\b(?:in|to|of|from|into)\s+\S+(?:\.|\s+dot\s+)(?:csv|tsv|md)\b/giu, " ")
    .replace(SAME_DAY, " ");
  const sameDay = SAME_DAY.test(text) ? findDayOfLastChange(index, context) : undefined;
  const message = new RowChanges(plain, findSpans(plain, index, context.today), index, {
    ...context,
    sameDay,
  });
  return { message, isJoined };
}

/** "Ava can't any more, change her to no", "the DJ is too expensive, make it 900": a statement about a row, and an order for it. */
const ORDER_FOR_SUBJECT =
  /^(?<why>[^;?]{2,80}?)[,;.]\s+(?:so\s+|please\s+|and\s+)*(?<order>(?:change|set|put|mark|make)\s+)(?:her|him|it|them|that)\s+(?<rest>(?:to\s+|as\s+|at\s+)?(?:yes|no|[€$£]?\d[\d.,]*[€$£]?))[\s.!]*$/iu;
/** Words that make the statement before an order uncertain. */
const SUPPOSED = /\b(?:if|when|unless|until|whether|maybe|perhaps|might|may|should|would|could)\b/iu;

/** The order for the one row that a statement before it names; the message itself for any other. */
function rewriteWithSubject(statement: string, index: TableIndex, today: string): string {
  const { why, order = "", rest = "" } = ORDER_FOR_SUBJECT.exec(statement)?.groups ?? {};
  if (why === undefined || SUPPOSED.test(why)) return statement;
  const { words, spans } = findSpans(why, index, today);
  const [cell, ...others] = spans.filter(({ kind }) => kind === "cell");
  if (cell?.kind !== "cell" || cell.rows.length !== 1 || others.length > 0) return statement;
  return `${order}${why.slice(words[cell.from]?.start, words[cell.to - 1]?.end)} ${rest}`;
}

/** The day of the row that was changed last, else of the last row. */
function findDayOfLastChange(
  { table, kinds }: TableIndex,
  { lastChange: last }: ChangeContext,
): string | undefined {
  const column = kinds.indexOf("day");
  const day = /\d{4}-\d{2}-\d{2}/u.exec(JSON.stringify(last ?? {}))?.[0];
  return column < 0 ? undefined : (day ?? table.rows.at(-1)?.[column]);
}

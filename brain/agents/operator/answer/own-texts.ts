import type { Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import {
  type AnswerEvidence,
  isObserved,
  linesOf,
  type PreparedEvidence,
  prepareEvidence,
  prepareOtherEvidence,
} from "./evidence.ts";
import { blank, contentWords, FILE, isMentioned, stem } from "./mentions.ts";
import { type QuantifiedSentence, SMALL } from "./number-arithmetic.ts";
import { entriesOf, textWithKeys } from "./observed-calls.ts";
import { type Problem, refuted } from "./problem.ts";
import { quantitiesIn } from "./quantities.ts";
import { MAX_CALCULATED_ROWS, numberIn, numericColumns, type Table } from "./records.ts";
import { fitsOf, isNarrowing, numbersIn } from "./table-claims.ts";
import { CONDITIONAL, NEGATION, SUM } from "./vocabulary.ts";

// The operator's own texts and calculations, which are not evidence for their own figures.

/** Skills whose arguments hold text that the operator composed. */
const WRITES_TEXT: ReadonlySet<string> = new Set(["fs_write", "fs_append", "fs_edit", "table_edit"]);

const isWriting = ({ action }: Pick<ScratchpadEntry, "action">): boolean =>
  WRITES_TEXT.has(action?.tool ?? "");

/** The scratchpad with the paths of texts that the operator wrote, and without the texts. */
const withoutWrittenTexts = (scratchpad: readonly ScratchpadEntry[]): ScratchpadEntry[] =>
  scratchpad.map((entry) =>
    entry.action && isWriting(entry)
      ? { ...entry, action: { ...entry.action, args: { path: entry.action.args["path"] } } }
      : entry,
  );

/**
 * The evidence without the texts that the operator wrote into files: they show what a file says, and nothing about the
 * person. `undefined` when nothing was written.
 */
export function evidenceWithoutOwnTexts(source: AnswerEvidence): PreparedEvidence | undefined {
  if (!source.scratchpad.some(isWriting)) return undefined;
  return prepareOtherEvidence({ ...source, scratchpad: withoutWrittenTexts(source.scratchpad) });
}

/**
 * The sources of an answer besides the operator's own texts, which are not evidence for their own figures: neither what it
 * wrote into a file, nor that file read again, nor its earlier answers count, but what earlier calls of the conversation found does.
 * `undefined` when there is no text of the operator.
 */
export function independentSources(source: AnswerEvidence): AnswerEvidence | undefined {
  const { earlierResults: _, ...others } = source;
  const { conversation, scratchpad, earlierCalls = [] } = source;
  const person = conversation.filter(({ role }) => role === "person");
  if (person.length === conversation.length && !scratchpad.some(isWriting)) return undefined;
  return {
    ...others,
    conversation: person,
    scratchpad: withoutOwnTexts([...entriesOf(earlierCalls), ...scratchpad.filter(isObserved)]),
  };
}

/** Earlier calls without the texts that the operator wrote into files, also where it read them again. */
export function resultsWithoutOwnTexts(calls: readonly EarlierCall[]): EarlierCall[] {
  const results = withoutOwnTexts(entriesOf(calls)).map(({ observation }) => observation?.content ?? "");
  return calls.map((call, index) => ({ ...call, observed: results[index] ?? "" }));
}

/** The calls without the texts that the operator wrote into files, also where it read them again later. */
export function withoutOwnTexts(calls: readonly ScratchpadEntry[]): ScratchpadEntry[] {
  const written = new Map<unknown, Set<string>>();
  const read = calls.map((entry) => {
    const { action, observation } = entry;
    const path = fileOf(observation?.outputs?.["path"] ?? action?.args["path"]);
    const own = written.get(path);
    if (isWriting(entry) && observation?.success === true)
      written.set(path, new Set([...(own ?? []), ...linesOf(Object.values(action?.args ?? {}))]));
    if (own === undefined || observation === undefined) return entry;
    const othersOf = (text: string): string =>
      text
        .split("\n")
        .filter((line) => line.trim() === "" || !own.has(line.toLowerCase()))
        .join("\n");
    const found = observation.outputs?.["content"];
    const outputs =
      typeof found === "string" ? { ...observation.outputs, content: othersOf(found) } : undefined;
    return {
      ...entry,
      observation: { ...observation, content: othersOf(observation.content), ...(outputs && { outputs }) },
    };
  });
  return withoutWrittenTexts(read);
}

/** A path without the folder "out", in which files stand that are named without one. */
const fileOf = (path: unknown): unknown => (typeof path === "string" ? path.replace(/^out\//u, "") : path);

/** True when a call returned a text or a record with a figure. */
export const hasFoundFigures = (calls: readonly ScratchpadEntry[]): boolean =>
  calls.some(
    ({ action, observation }) =>
      observation?.success === true &&
      !READS_NO_FIGURES.has(action?.tool ?? "") &&
      /\d/u.test(textWithKeys(observation.outputs ?? observation.content)),
  );

/** Calls whose outputs have sizes, moments and ids only, or what a call changed. */
const READS_NO_FIGURES: ReadonlySet<string> = new Set([
  "fs_append",
  "fs_copy",
  "fs_edit",
  "fs_exists",
  "fs_list",
  "fs_mkdir",
  "fs_move",
  "fs_write",
  "skill_search",
  "table_edit",
  "write_todos",
]);

const isCalculation = ({ action }: Pick<ScratchpadEntry, "action">): boolean => action?.tool === "calculate";

/** Numbers, signs and brackets only: dates, times and units may bring in numbers of their own. */
const ARITHMETIC = /^[\d\s.,+*/×÷x%()=€$£–-]+$/u;

/** A number that is not a percentage. */
const OPERAND = /(?<![\d.,])\d+(?:[.,]\d+)*(?![\d.,]*\d)(?!\s?%)/gu;

/** Hours of a day, days of a month and a year, weeks of a year, minutes, percent, thousands. */
const CONSTANTS: ReadonlySet<number> = new Set([24, 28, 30, 31, 52, 60, 100, 360, 365, 366, 1000, 3600]);

/** Smaller factors are rates: 1.255 adds 25.5 %. */
const MAX_RATE = 2;

export interface GuessedCalculations {
  /** The evidence without these calculations. */
  evidence: PreparedEvidence;
  /** Their operands that nothing else has. */
  operands: readonly string[];
}

/**
 * The calculations with operands that are in no observation, message or memory and follow from none, in a run that found figures: the
 * figures of a file that could not be read, from the model's head. `undefined` without one.
 */
export function guessedCalculations(source: AnswerEvidence): GuessedCalculations | undefined {
  const others = source.scratchpad.filter((entry) => !isCalculation(entry));
  if (others.length === source.scratchpad.length || !hasFoundFigures(others)) return undefined;
  const kept = [...others];
  const operands = new Set<string>();
  for (const entry of source.scratchpad.filter(isCalculation)) {
    const expression = entry.action?.args["expression"];
    const found =
      typeof expression === "string"
        ? unshownOperands(expression, prepareOtherEvidence({ ...source, scratchpad: kept }))
        : [];
    if (found.length === 0) kept.push(entry);
    for (const one of found) operands.add(one);
  }
  return operands.size === 0
    ? undefined
    : { evidence: prepareOtherEvidence({ ...source, scratchpad: kept }), operands: [...operands] };
}

/** The operands of a calculation that are in no part of the evidence and follow from none. */
function unshownOperands(expression: string, { facts, derived, source }: PreparedEvidence): string[] {
  if (!ARITHMETIC.test(expression)) return [];
  const changes = source.scratchpad.filter(isCalculation).flatMap(changesIn);
  const known = [...facts.numbers, ...derived.totals, ...derived.products, ...changes];
  const isShown = (value: number): boolean =>
    (Number.isInteger(value) && value <= SMALL) ||
    value < MAX_RATE ||
    CONSTANTS.has(value) ||
    known.some((one) => Math.abs(one - value) < 1e-6);
  return (expression.match(OPERAND) ?? []).filter(
    (operand) =>
      !quantitiesIn(operand)
        .numbers.flatMap(({ values }) => values)
        .some(isShown),
  );
}

/** What a calculation adds to its operands or takes from them: 33.60 for "420 * 1.08". */
function changesIn({ action, observation }: ScratchpadEntry): number[] {
  const result = Number(observation?.outputs?.["result"]);
  const expression = action?.args["expression"];
  if (Number.isNaN(result) || typeof expression !== "string") return [];
  return numbersIn(expression).map((operand) => Math.abs(result - operand));
}

/** A sum of numbers and nothing else. */
const PLAIN_SUM = /^[\d\s.,+€$£]+$/u;

/** The values of a column that a sum of its other values leaves out. */
interface LeftOut {
  column: string | undefined;
  values: readonly number[];
  table: Table;
  /** True if the added values are those of all rows that share a value, or of all others: "paid" is "no". */
  isOfGroup: boolean;
}

/** What a sum of values of a column leaves out of this column; `undefined` when it leaves out nothing, or is no such sum. */
function leftOutOf(expression: string, { tables }: PreparedEvidence): LeftOut | undefined {
  const operands = PLAIN_SUM.test(expression) && expression.includes("+") ? numbersIn(expression) : [];
  if (operands.length < 2) return undefined;
  for (const table of tables) {
    if (table.isListing === true || table.rows.length > MAX_CALCULATED_ROWS) continue;
    for (const column of numericColumns(table.rows)) {
      const values = table.rows.map((row) => numberIn(row, column));
      const isOfColumn = operands.every((operand) => {
        const at = values.indexOf(operand);
        if (at !== -1) values.splice(at, 1);
        return at !== -1;
      });
      if (!isOfColumn) continue;
      if (values.length === 0) return undefined;
      return {
        column: [...table.columns].find(([, index]) => index === column)?.[0],
        values,
        table,
        isOfGroup: isGroup(table, column, operands) || isGroup(table, column, values),
      };
    }
  }
  return undefined;
}

/** True if these are the values that a column has in all rows with the same text. */
function isGroup({ rows, places }: Table, column: number, values: readonly number[]): boolean {
  const sorted = values.toSorted((a, b) => a - b).join(" ");
  return [...places.values()].some(
    ({ value, rows: shared }) =>
      /\p{L}/u.test(value) &&
      shared.size > 1 &&
      shared.size === values.length &&
      rows
        .filter((_, index) => shared.has(index))
        .map((row) => numberIn(row, column))
        .toSorted((a, b) => a - b)
        .join(" ") === sorted,
  );
}

/**
 * "The sum of May is 792.10", which a calculation got from two of three rows. Only where neither the sentence nor the request nor the
 * message before it names anything besides the sum, the table and its months: other words may choose the rows.
 */
export function totalsOfSomeRows(
  { text, numbers }: QuantifiedSentence,
  evidence: PreparedEvidence,
): Problem[] {
  if (!isMentioned(SUM, text) || NEGATION.test(text) || CONDITIONAL.test(text)) return [];
  const { request, conversation, scratchpad } = evidence.source;
  const before = conversation.findLast(({ role }) => role === "person")?.text ?? "";
  return scratchpad
    .filter((entry) => isCalculation(entry) && entry.observation?.success === true)
    .flatMap(({ action, observation }) => {
      const expression = action?.args["expression"];
      const result = Number(observation?.outputs?.["result"]);
      const stated = numbers.find((mention) => fitsOf(mention)(result));
      const left = typeof expression === "string" ? leftOutOf(expression, evidence) : undefined;
      if (stated === undefined || left === undefined) return [];
      if (![text, request, before].every((one) => isOfWhole(one, left.table))) return [];
      const column = left.column === undefined ? "" : ` ${left.column}`;
      return [
        refuted(
          `${stated.text} is stated as a total, and ${String(expression)} leaves out ${left.values.join(", ")} of the column${column}.`,
        ),
      ];
    });
}

/** True for a text that names only the sum, the table, its columns and the months of all its rows. */
const isOfWhole = (text: string, table: Table): boolean =>
  !isNarrowing(text, [table]) &&
  contentWords(text.replaceAll(FILE, blank))
    .map(stem)
    .every((word) => OF_WHOLE.has(word) || [...table.columns.keys()].some((name) => stem(name) === word));

/** Words for a sum, for all rows and for doing it again, and the months, which `isNarrowing` compares with the rows. */
const OF_WHOLE: ReadonlySet<string> = new Set(
  [
    "sum sums total totals add adds added adding amount amounts amounted figures numbers values rows lines entries table file",
    "column whole all everything altogether together overall month months come comes calculate compute again same repeat but now too",
    "please show tell give thanks euro euros dollars january february march april may june july august september october",
    "november december summe insgesamt zusammen addiere betrag beträge bitte nochmal aber jetzt monat januar februar märz mai juni juli",
    "oktober dezember",
  ].flatMap((list) => contentWords(list).map(stem)),
);

const MAX_VALUES = 5;

/**
 * The observation of a calculation that a model wrote, with what it should look at before it relies on the result: operands that nothing
 * shows, and the values of a column of which the calculation adds only some.
 */
export function withCalculationNotes(
  observation: Observation,
  expression: unknown,
  source: AnswerEvidence,
): Observation {
  if (typeof expression !== "string" || !hasFoundFigures(source.scratchpad)) return observation;
  const evidence = prepareEvidence(source);
  const unshown = unshownOperands(expression, evidence);
  const notes = [
    ...(unshown.length > 0
      ? [`Nothing shows ${unshown.join(", ")}: find them out before you use this result.`]
      : []),
    ...valuesLeftOut(expression, evidence),
  ];
  return notes.length === 0
    ? observation
    : { ...observation, content: [observation.content, ...notes].join("\n") };
}

/** A sentence on the values of a column that a sum of its other values leaves out; empty when there are none. */
function valuesLeftOut(expression: string, evidence: PreparedEvidence): string[] {
  const left = leftOutOf(expression, evidence);
  if (left === undefined || left.isOfGroup) return [];
  const values = `${left.values.slice(0, MAX_VALUES).join(", ")}${left.values.length > MAX_VALUES ? ", …" : ""}`;
  const column = left.column === undefined ? "" : ` ${left.column}`;
  return [`The column${column} of the table also has ${values}, which this leaves out.`];
}

import { wholeWords } from "@metahuman/core/text/patterns";
import { splitExchange } from "@metahuman/core/text/exchange";
import { numericColumns, type Table, tablesIn, totalsOf } from "./records.ts";
import type { AnswerEvidence, PreparedEvidence } from "./evidence.ts";
import { blank, CITATION, contentWords, significantWords, stem, withoutNames } from "./mentions.ts";
import { SMALL } from "./number-arithmetic.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention, quantitiesIn } from "./quantities.ts";
import { fitsOf, numbersIn, roundToText } from "./table-claims.ts";
import { CONDITIONAL, GENERAL, NEGATION, SUM } from "./vocabulary.ts";

const figuresIn = (text: string): NumberMention[] =>
  quantitiesIn(withoutNames(text.replaceAll(CITATION, blank))).numbers.filter(({ values }) =>
    values.some((value) => value > SMALL || !Number.isInteger(value)),
  );

const isTotal = (text: string): boolean =>
  SUM.test(text) && !text.includes("?") && !NEGATION.test(text) && !CONDITIONAL.test(text);

/** "You say", "as you told me": the sentence leaves a figure to the person. */
const BY_PERSON = new RegExp(
  wholeWords(
    "you (?:say|said|told|wrote|state|mean)|(?:according to|from) you|du (?:sagst|meinst|schreibst)",
    "laut dir|(?:tu dis|vous dites)|(?:dices|según tú)|sanot|mukaasi",
  ),
  "iu",
);

/**
 * "You are right, the total is 300", where an earlier answer gave the total of a table that was read, and only the person's request has
 * the other one: that a person says it does not change what the rows add up to. A request with several figures may bring a
 * new amount, so nothing is said about that.
 */
export function disputedTotals(text: string, { calls, source }: PreparedEvidence): Problem[] {
  if (calls.length > 0 || !isTotal(text) || BY_PERSON.test(text)) return [];
  const [stated, ...others] = figuresIn(text);
  const [disputed, ...more] = figuresIn(source.request);
  if (!stated || !disputed || others.length > 0 || more.length > 0) return [];
  const fits = fitsOf(stated);
  if (!disputed.values.some(fits) || source.request.trim().endsWith("?")) return [];
  const answers = source.conversation.filter(({ role }) => role === "operator").map((turn) => turn.text);
  const tables = (source.earlierCalls ?? []).flatMap(({ outputs }) => tablesIn(outputs));
  const given = tables.flatMap(wholeSums).filter((sum) => answers.some((answer) => hasFigure(answer, sum)));
  const [sum] = given;
  return sum === undefined || given.some(fits) || answers.some((answer) => numbersIn(answer).some(fits))
    ? []
    : [
        refuted(
          `${stated.text} is only what the person says, and the rows of the table add up to ${roundToText(sum)}.`,
        ),
      ];
}

const wholeSums = ({ rows }: Table): number[] => totalsOf(rows, numericColumns(rows));

const hasFigure = (text: string, value: number): boolean =>
  figuresIn(text).some((mention) => fitsOf(mention)(value));

/**
 * "This week you swam 900 m in total", from recalled memories that no search completed: they are those nearest to the request, so they
 * show no total unless one of them states it. An earlier answer, which is remembered with its request, states none.
 */
export function totalsOfRecalled(text: string, { calls, source }: PreparedEvidence): Problem[] {
  const { memories, conversation, request, earlierCalls = [] } = source;
  if (calls.length > 0 || earlierCalls.length > 0 || !isTotal(text) || !SUM.test(request)) return [];
  const values = figuresIn(text).flatMap((mention) => mention.values);
  const hasStated = (line: string): boolean => values.some((value) => hasFigure(line, value));
  const turns = [request, ...conversation.map((turn) => turn.text)];
  const facts = memories.flatMap((memory) => (splitExchange(memory)?.asked ?? memory).split("\n"));
  if (!memories.some(hasStated) || turns.some(hasStated)) return [];
  return facts.some((line) => SUM.test(line) && hasStated(line))
    ? []
    : [
        refuted(
          "A total is stated, and the memories of the prompt are only a selection: memory_search finds the others.",
        ),
      ];
}

const PRODUCT = /(?<!\p{L})metahuman(?: ?os)?(?!\p{L})/iu;

/** True when the request, the exchange before it or the sentence names MetaHuman OS, about which nothing is general knowledge. */
export function isAboutProduct(
  text: string,
  { request, turns }: { request: string; turns: AnswerEvidence["conversation"] },
): boolean {
  const before = turns.slice(-2).map((turn) => turn.text);
  return [request, text, ...before].some((part) => PRODUCT.test(part));
}

/** True for a figure, a day or a time about something that earlier calls of the conversation found. */
export function continuesResults(text: string, { source: { earlierCalls = [] } }: PreparedEvidence): boolean {
  if (earlierCalls.length === 0 || GENERAL.test(text)) return false;
  const { days, times } = quantitiesIn(withoutNames(text));
  if (figuresIn(text).length === 0 && days.length === 0 && times.length === 0) return false;
  const found = new Set(
    significantWords(earlierCalls.map(({ observed = "" }) => observed).join("\n")).map(stem),
  );
  return contentWords(text).some((word) => found.has(stem(word)));
}

import { wholeWords } from "@metahuman/core/text/patterns";
import { isOpenStatus } from "@metahuman/core/contract/task";
import { actionsIn } from "./action-claims.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { type Facts, isCounted } from "./facts.ts";
import { contentWords, isMentioned, quotesIn, rememberLast, stem, wordsBefore } from "./mentions.ts";
import {
  AGE,
  AGO,
  type AnswerSoFar,
  RATIO,
  SMALL,
  agesFromYears,
  followsInAnswer,
  type QuantifiedSentence,
  ratesOf,
  subsetSums,
  temperaturesOf,
  toleranceOf,
  roundsTo,
  arithmeticResults,
} from "./number-arithmetic.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention } from "./quantities.ts";
import { shortWeekdaysIn, weekdaysIn } from "./quantity-words.ts";
import { isCountOfRows } from "./table-claims.ts";
import { conversionsOf, measureOf } from "./units.ts";
import { AVERAGE, CONSEQUENCE, DIFFERENCE, NEGATION, NUMBER_WORDS, STATUS_WORDS, SUM } from "./vocabulary.ts";

/** The numbers of a longer list must be stated: among many numbers, most follow from others by chance. */
const MAX_CALCULATED_NUMBERS = 100;

/** The latest factors that the answer named. */
const MAX_FACTORS = 20;

const contentWordsOnce = rememberLast(contentWords);

const namesIn = rememberLast((sentence) => [
  ...quotesIn(sentence),
  ...[...sentence.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code),
]);

/**
 * "27.11." at the end of a sentence, where that day was observed. A number with a unit is not a day: "27.11 euros",
 * "€27.11".
 */
function isDottedDay({ text, unit }: NumberMention, { facts }: PreparedEvidence): boolean {
  if (measureOf(unit) !== "") return false;
  const [, day, month] = /^(\d{1,2})\.(\d{1,2})$/u.exec(text) ?? [];
  return facts.days.has(`${String(Number(month))}-${String(Number(day))}`);
}

export function isKnownNumber(
  mention: NumberMention,
  quantified: QuantifiedSentence,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): boolean {
  const { today } = evidence;
  const sentence = quantified.text;
  if (quantified.numbers.length > MAX_CALCULATED_NUMBERS)
    return mention.values.some((value) => isStated(value, mention, evidence.facts));
  if (isHour(mention, sentence, evidence) || isShortLabel(mention, sentence, evidence)) return true;
  if (isDottedDay(mention, evidence)) return true;
  if (mention.isWord && isIdiom(mention, sentence)) return true;
  if (isNamedField(mention, sentence, evidence) || isEnumerated(mention, sentence, evidence)) return true;
  if (isDayOfWeekday(mention, sentence, evidence) || isMinutesOfHours(mention, sentence, evidence))
    return true;
  if (isCountOfRows(mention, sentence, evidence)) return true;
  if (isAssumed(mention, sentence) || isNearHour(mention, sentence, evidence)) return true;
  if (
    !isCounted(mention) &&
    !OCCASIONS.test(mention.unit) &&
    mention.values.some((value) => isStated(value, mention, evidence.facts))
  )
    return true;
  const facts = evidence.counted;
  if (OCCASIONS.test(mention.unit) && actionsIn(sentence).length > 0)
    return mention.values.some((value) => facts.calls.has(value));
  if (isCounted(mention)) return isKnownCount(mention, quantified, evidence, before);
  const measure = measureOf(mention.unit);
  return mention.values.some((value) => {
    const fits = roundsTo(value, toleranceOf(mention, value));
    if (isStated(value, mention, facts)) return true;
    if (
      value === today.year ||
      (value >= 1900 && value <= 2100 && [...facts.days].some((day) => day.startsWith(`${String(value)}-`)))
    )
      return true;
    if (measure === "" && Number.isInteger(value) && value <= 60 && facts.counts.has(value)) return true;
    if (isGroupSum(sentence, fits, evidence)) return true;
    if (followsInAnswer(value, mention, quantified, evidence, before)) return true;
    if (before.factors.slice(-MAX_FACTORS).some((factor) => facts.numbers.has(value / factor))) return true;
    if (AGO.test(mention.unit) && agesFromYears(evidence).has(value)) return true;
    if (isMentioned(AGE, sentence) && agesFromYears(evidence).has(value)) return true;
    if (evidence.looseNumbers.has(value)) return true;
    const isSmall = measure === "" && Number.isInteger(value) && value <= SMALL;
    if (isSmall && !isMentioned(AVERAGE, sentence) && !CONSEQUENCE.test(sentence)) return false;
    if (evidence.derived.totals.some(fits)) return true;
    const worked = arithmeticResults(mention, sentence, evidence);
    if (worked.some((results) => results.some(fits))) return true;
    if (temperaturesOf(value, mention).some((near) => [...facts.numbers].some(near))) return true;
    if (RATIO.test(mention.unit) && evidence.derived.ratios.some((ratio) => fits(ratio) || fits(ratio * 100)))
      return true;
    return [...conversionsOf(mention.unit), ...ratesOf(mention, sentence)].some((factor) => {
      const near = roundsTo(value * factor, toleranceOf(mention, value) * factor + 0.005 * value * factor);
      for (const known of facts.numbers) if (near(known)) return true;
      return worked.some((results) => results.some(near));
    });
  });
}

const WORDS = /^\s*(?:\p{L}+\s+)?(?:words?|wörter|mots|palabras)(?!\p{L})/u;

/** What a text may have at most, and what was asked for, is not what it has. */
const LIMITS = new RegExp(
  wholeWords(
    "asked|wanted|limit|most|least|under|below|fewer|less|more|over|up to|than|of the|höchstens",
    "mindestens|unter|über|maximal|moins|plus|menos|más",
  ),
  "iu",
);

/**
 * "It has 120 words", where the run wrote whole files, and neither they nor anything else that is known has so many. A number of the
 * request is not counted.
 */
export function wrongWordCount(
  { text: number, values, after, isHedged }: NumberMention,
  { text: sentence }: QuantifiedSentence,
  { source, counted }: PreparedEvidence,
  before: AnswerSoFar,
): Problem | undefined {
  if (!WORDS.test(after) || LIMITS.test(sentence) || NEGATION.test(sentence)) return undefined;
  const written = source.scratchpad.filter(({ action, observation }) => action && observation?.success);
  if (
    written.some(({ action }) =>
      /^(?:fs_append|fs_edit|execute_code|function_run)$/u.test(action?.tool ?? ""),
    )
  )
    return undefined;
  const texts = written.flatMap(({ action }) =>
    action?.tool === "fs_write" ? [action.args["content"]].filter((text) => typeof text === "string") : [],
  );
  const [first] = texts;
  if (first === undefined) return undefined;
  const isNear = (known: number): boolean =>
    values.some((value) => Math.abs(value - known) <= Math.max(2, value * (isHedged ? 0.1 : 0.03)));
  if ([...counted.words, ...before.lengths, ...texts.map(wordsWithoutMarks)].some(isNear)) return undefined;
  const size = texts.length === 1 ? `the text has ${String(wordsWithoutMarks(first))} words` : "no text has";
  return refuted(`${number} words are stated, and ${size}.`);
}

/** The number of words of a text in Markdown, without its marks. */
const wordsWithoutMarks = (text: string): number =>
  text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** "Two people would pay…", "At 40 pages a day…": the assumption of an example is not a claim. */
function isAssumed({ values, start, after }: NumberMention, sentence: string): boolean {
  if (/^(?:at|with|assuming|bei|mit|à|avec|con)\s$/iu.test(sentence.slice(0, start)))
    return /^\s*\p{L}+\s(?:a|per|each|am|pro|im|par|al|por)\s/u.test(after);
  return (
    isMentioned(HYPOTHETICAL, sentence) && values.some((value) => Number.isInteger(value) && value <= 12)
  );
}

const HYPOTHETICAL =
  /(?<!\p{L})(?:would|could|might|assuming|suppose|counting|würden?|könnten?|pourrai(?:t|ent)|pagarían?|podrían?)(?!\p{L})/iu;

/** "Mon 23 and Tue 24": a day of the month behind its weekday. */
function isDayOfWeekday(
  { values, start }: NumberMention,
  sentence: string,
  { facts }: PreparedEvidence,
): boolean {
  const word = /(\p{L}+)\.?\s$/u.exec(wordsBefore(sentence, start))?.[1] ?? "";
  const isWeekday = weekdaysIn(word).length > 0 || shortWeekdaysIn(word).length > 0;
  return isWeekday && values.some((day) => facts.monthDays.has(day));
}

/** "shortly before eleven", "at seven in the evening", "half past five". */
function isNearHour(
  { values, isWord, start, after }: NumberMention,
  sentence: string,
  { facts }: PreparedEvidence,
): boolean {
  if (values.some((hour) => !Number.isInteger(hour) || hour < 1 || hour > 24)) return false;
  const before = sentence.slice(Math.max(0, start - 24), start);
  const isNear = /(?<!\p{L})(?:before|after|around|towards|kurz vor|kurz nach|gegen|vers|hacia)\s$/iu.test(
    before,
  );
  const isAt =
    /(?<!\p{L})(?:at|um|à|las)\s$/iu.test(before) &&
    /^\s*(?:$|[,.;)]|in the|at night|am |abends|morgens|du |de la )/u.test(after);
  const isPartOfDay =
    /^\s*(?:in the (?:morning|afternoon|evening)|at night|(?:am )?(?:morgens?|vormittags?|nachmittags?|abends?|nachts?)(?!\p{L})|du (?:matin|soir)|de la (?:mañana|tarde|noche))/u.test(
      after,
    );
  const shift = PARTS_OF_HOUR.find(([pattern]) => pattern.test(before))?.[1] ?? 0;
  if (shift !== 0)
    return values.some((hour) =>
      [hour * 60, (hour + 12) * 60].some((minutes) => facts.times.has(minutes + shift)),
    );
  if (!(isWord && (isNear || isAt)) && !isPartOfDay) return false;
  return values.some((hour) =>
    [hour * 60, (hour + 12) * 60].some((minutes) =>
      [...facts.times].some((time) => Math.abs(time - minutes) <= (isNear ? 20 : 0)),
    ),
  );
}

/** "nine hours and 45 minutes", where 9.75 hours are known. */
function isMinutesOfHours(
  { values, start, after }: NumberMention,
  sentence: string,
  { facts, derived }: PreparedEvidence,
): boolean {
  const isKnownSpan = (hours: number, minutes: number): boolean => {
    const total = hours * 60 + minutes;
    return facts.numbers.has(total / 60) || facts.numbers.has(total) || derived.spans.includes(total);
  };
  const behind =
    /^\s?(?:h|hours?|stunden?|heures?|horas?) (?:and|und|et|y) (\d{1,2}) (?:m|min(?:ut\p{L}*)?)(?!\p{L})/u.exec(
      after,
    )?.[1];
  if (behind !== undefined) return values.some((hours) => isKnownSpan(hours, Number(behind)));
  if (!/^\s?min/u.test(after)) return false;
  // "1h45" is 105 minutes.
  if (values.some((minutes) => minutes >= 60 && facts.times.has(minutes))) return true;
  const before = /([\p{L}\d]+) (?:h|hours?|stunden?|heures?|horas?) (?:and|und|et|y)\s$/iu.exec(
    wordsBefore(sentence, start),
  )?.[1];
  const hours = NUMBER_WORDS.get(before?.toLowerCase() ?? "") ?? Number(before);
  return values.some((minutes) => isKnownSpan(hours, minutes));
}

/** Words before an hour, with the minutes by which they shift it. */
const PARTS_OF_HOUR: readonly (readonly [RegExp, number])[] = [
  [/half past\s$/iu, 30],
  [/quarter past\s$/iu, 15],
  [/quarter to\s$/iu, -15],
  [/(?<!\p{L})halb\s$/iu, -30],
  [/viertel nach\s$/iu, 15],
  [/viertel vor\s$/iu, -15],
];

/** "Two tests failed" for a record with `failed: 2`. */
function isNamedField({ values }: NumberMention, sentence: string, { facts }: PreparedEvidence): boolean {
  if (facts.fields.size === 0) return false;
  return contentWordsOnce(sentence).some((word) => {
    const known = facts.fields.get(stem(word));
    return known !== undefined && values.some((value) => known.has(value));
  });
}

/** The characters after a number within which the things that it counts are enumerated. */
const MAX_ENUMERATION_LENGTH = 1_000;

/** "two dependencies, zod and hono": the number equals the number of known names that follow. */
function isEnumerated(
  { values, text, start }: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
): boolean {
  const named = namesIn(sentence);
  if (values.includes(named.length) && named.every((name) => evidence.text.includes(name.toLowerCase())))
    return true;
  const names = /[:,(–—]\s*([^:]+)$/u.exec(
    sentence
      .slice(start + text.length, start + text.length + MAX_ENUMERATION_LENGTH)
      .replace(/^[^:,(–—]*:/u, ":"),
  )?.[1];
  if (names === undefined) return false;
  const items = names
    .toLowerCase()
    .split(/,\s*(?:(?:and|und|et|y|e|och|og|en)\s)?|\s(?:and|und|et|y|e|och|og|en)\s/u)
    .map((item) => item.replaceAll(/[`"“”„«»*_().]+(?!\p{L})|(?<!\p{L})[`"“”„«»*_(]+/gu, "").trim());
  return values.some(
    (value) =>
      value === items.length &&
      value > 1 &&
      items.every((item) => item !== "" && evidence.text.includes(item)),
  );
}

/** "Ada: 74.50": the sum of the rows or lines with that name. */
function isGroupSum(
  sentence: string,
  fits: (value: number) => boolean,
  { tables, lines }: PreparedEvidence,
): boolean {
  const lowerSentence = sentence.toLowerCase();
  if (
    tables.some(({ sums }) =>
      [...sums].some(([name, totals]) => totals.some(fits) && lowerSentence.includes(name)),
    )
  )
    return true;
  if (lines.length > MAX_LINES) return false;
  return contentWordsOnce(sentence).some((word) => {
    const amounts = lines
      .filter((line) => line.includes(word))
      .flatMap((line) => {
        const number = /(\d+(?:\.\d+)?)\D*$/u.exec(line)?.[1];
        return number === undefined ? [] : [Number(number)];
      });
    return amounts.length > 1 && fits(amounts.reduce((sum, amount) => sum + amount, 0));
  });
}

const MAX_LINES = 100;

/** "chapter 3" for "ch3" or "c. 3" in the evidence. */
function isShortLabel(
  { values, start }: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
): boolean {
  const first = /(?<!\p{L})(\p{L})\p{L}{2,}\s#?$/u.exec(wordsBefore(sentence, start))?.[1]?.toLowerCase();
  return first !== undefined && evidence.shortLabels.has(`${first}${String(values[0])}`);
}

/** "from 9 to 18 o'clock": observed hours without their minutes. */
function isHour(
  { values, unit, start, after }: NumberMention,
  sentence: string,
  { facts }: PreparedEvidence,
): boolean {
  const isNamed = /^\s?(?:o['’]clock|uhr|heures|horas|ore)/u.test(after);
  const isBetween =
    (unit === "" || /^(?:to|until|till|and|o|bis|und|à|a|et|y|alle)$/u.test(unit)) &&
    /(?<!\p{L})(?:from|at|to|until|till|by|between|and|von|um|bis|ab|zwischen|und|de|à|entre|et|a|las|la|às|dalle|alle|om|tot)\s$/iu.test(
      sentence.slice(Math.max(0, start - 12), start),
    );
  return (
    (isNamed || isBetween) &&
    values.some(
      (hour) =>
        Number.isInteger(hour) &&
        hour >= 1 &&
        hour <= 24 &&
        [hour * 60, (hour + 12) * 60].some((minutes) => facts.times.has(minutes)),
    )
  );
}

/** True when the evidence contains the number, or one that rounds to it, with the same measure. */
function isStated(value: number, mention: NumberMention, { numbers, measures }: Facts): boolean {
  const measure = measureOf(mention.unit);
  const fits = roundsTo(value, toleranceOf(mention, value));
  if (numbers.has(value) && measuresAlike(measure, measures.get(value))) return true;
  for (const known of numbers) if (fits(known) && measuresAlike(measure, measures.get(known))) return true;
  return false;
}

/** True for equal measures, and when one of the two has no unit. */
const measuresAlike = (measure: string, known: ReadonlySet<string> | undefined): boolean =>
  measure === "" || known === undefined || known.has(measure) || known.has("");

const OCCASIONS = /^(?:times|mal|fois|veces)$/u;

/** "one or two", "a thing or two", "in two". */
const isIdiom = ({ start }: NumberMention, sentence: string): boolean =>
  /(?:day|step|week|chapter|part|item|number|tag|schritt|woche|kapitel|teil|jour|étape|semaine|chapitre|día|paso|capítulo)\s$/iu.test(
    wordsBefore(sentence, start),
  ) ||
  (/(?:one or|thing or|in|ein oder|une ou|una o)\s$/iu.test(sentence.slice(Math.max(0, start - 9), start)) &&
    !/\d/u.test(sentence));

function isKnownCount(
  mention: NumberMention,
  quantified: QuantifiedSentence,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): boolean {
  const sentence = quantified.text;
  const { tasks, calls } = evidence;
  const exact = countOfTasks(mention, sentence, tasks);
  return mention.values.some((value) => {
    if (exact !== undefined) return exact.includes(value);
    if (followsInAnswer(value, mention, quantified, evidence, before)) return true;
    if (evidence.facts.counts.has(value) || evidence.facts.counted.has(value)) return true;
    const facts = evidence.counted;
    if (WORDS.test(mention.after))
      return (
        [...facts.words, ...before.lengths].some(roundsTo(value, toleranceOf(mention, value))) ||
        (value > SMALL && facts.numbers.has(value)) ||
        facts.counted.has(value)
      );
    if (facts.counts.has(value) || facts.counted.has(value)) return true;
    if (calls.length === 0 && facts.numbers.has(value)) return true;
    const fits = roundsTo(value, toleranceOf(mention, value));
    if (value > SMALL && facts.numbers.has(value)) return true;
    if (isMentioned(DIFFERENCE, sentence) && differencesOf([...facts.counts, ...facts.counted]).has(value))
      return true;
    if (mention.isHedged && [...facts.counts, ...facts.counted].some(fits)) return true;
    return subsetSums(before.operands.slice(-6)).some(
      (sum) => sum > 0 && before.operands.length > 1 && fits(sum) && isMentioned(SUM, sentence),
    );
  });
}

const differencesOf = (numbers: readonly number[]): Set<number> =>
  new Set(
    numbers.slice(0, 40).flatMap((a, index) => numbers.slice(index + 1, 40).map((b) => Math.abs(a - b))),
  );

/** How many tasks have the status right before or after the noun; `undefined` without a status. */
function countOfTasks(
  { after, start }: NumberMention,
  sentence: string,
  tasks: PreparedEvidence["tasks"],
): number[] | undefined {
  // "Two of the three tasks are open": three is the number of all tasks.
  if (
    /(?<!\p{L})(?:the|your|die|der|den|deine[nr]?|les|des|tes|los|las|tus)\s$/iu.test(
      wordsBefore(sentence, start),
    )
  )
    return undefined;
  const phrase = /^\s*((?:\p{L}+\s+){0,2})(?:tasks?|todos?|aufgaben?|tâches?|tareas?)(\s+\p{L}+){0,3}/iu.exec(
    after,
  );
  if (!phrase || tasks.length === 0 || NEGATION.test(sentence)) return undefined;
  const status = STATUS_WORDS.find(([, words]) => words.test(phrase[0]))?.[0];
  if (status === undefined) return undefined;
  const open = tasks.filter((task) => isOpenStatus(task.status));
  // "Open" may include or exclude tasks in progress.
  if (status === "open")
    return [
      open.length,
      open.filter((task) => task.status === "todo").length,
      tasks.length === open.length ? tasks.length : open.length,
    ];
  return [tasks.filter((task) => task.status === status).length];
}

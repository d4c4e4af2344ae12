import { actionsIn } from "./action-claims.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { type Facts, isCounted } from "./facts.ts";
import { contentWords, quotesIn, stem, withoutNames } from "./mentions.ts";
import { type NumberMention, quantitiesIn } from "./quantities.ts";
import { conversionsOf, measureOf } from "./units.ts";
import {
  AVERAGE,
  CONDITIONAL,
  CONSEQUENCE,
  DIFFERENCE,
  NEGATION,
  PER,
  STATUS_WORDS,
  SUM,
} from "./vocabulary.ts";

/** What the sentences before have established. */
export interface Before {
  /** The answer up to this sentence. */
  text: string;
  isChecked: boolean;
  /** Stems of the words of checked sentences. */
  topic: Set<string>;
  /** The sentence before ended in a colon, or was an item of the same list. */
  leadsOn: boolean;
  /** Numbers of the answer that were found supported: sums of them are, too. */
  operands: number[];
  /** By what the answer says that it has multiplied. */
  factors: number[];
}

/** Integers up to this one come up by chance in any sum; they must be stated or counted. */
export const SMALL = 20;

export function isKnownNumber(
  mention: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
  before: Before,
): boolean {
  const { today } = evidence;
  if (isHour(mention, sentence, evidence) || isShortLabel(mention, sentence, evidence)) return true;
  if (mention.isWord && isIdiom(mention, sentence)) return true;
  if (isNamedField(mention, sentence, evidence) || isEnumerated(mention, sentence, evidence)) return true;
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
  if (isCounted(mention)) return isKnownCount(mention, sentence, evidence, before);
  const measure = measureOf(mention.unit);
  return mention.values.some((value) => {
    const fits = within(value, toleranceOf(mention, value));
    if (isStated(value, mention, facts)) return true;
    if (
      value === today.year ||
      (value >= 1900 && value <= 2100 && [...facts.days].some((day) => day.startsWith(`${String(value)}-`)))
    )
      return true;
    if (measure === "" && Number.isInteger(value) && value <= 60 && facts.counts.has(value)) return true;
    if (isGroupSum(sentence, fits, evidence)) return true;
    if (followsInAnswer(value, mention, sentence, evidence, before)) return true;
    if (before.factors.some((factor) => facts.numbers.has(value / factor))) return true;
    if (AGO.test(mention.unit) && agesIn(evidence).has(value)) return true;
    const isSmall = measure === "" && Number.isInteger(value) && value <= SMALL;
    if (isSmall && !AVERAGE.test(sentence) && !CONSEQUENCE.test(sentence)) return false;
    const worked = workedOut(mention, sentence, evidence);
    if (worked.some((results) => results.some(fits))) return true;
    if (temperaturesOf(value, mention).some((near) => [...facts.numbers].some(near))) return true;
    if (AGE.test(sentence) && agesIn(evidence).has(value)) return true;
    if (RATIO.test(mention.unit) && evidence.derived.ratios.some((ratio) => fits(ratio) || fits(ratio * 100)))
      return true;
    return [...conversionsOf(mention.unit), ...ratesOf(mention, sentence)].some((factor) => {
      const near = within(value * factor, toleranceOf(mention, value) * factor + 0.005 * value * factor);
      for (const known of facts.numbers) if (near(known)) return true;
      return worked.some((results) => results.some(near));
    });
  });
}

/** "Two people would pay…", "At 40 pages a day…": what an example starts from is claimed of nobody. */
function isAssumed({ values, start, after }: NumberMention, sentence: string): boolean {
  if (/^(?:at|with|assuming|bei|mit|à|avec|con)\s$/iu.test(sentence.slice(0, start)))
    return /^\s*\p{L}+\s(?:a|per|each|am|pro|im|par|al|por)\s/u.test(after);
  return HYPOTHETICAL.test(sentence) && values.some((value) => Number.isInteger(value) && value <= 12);
}

const HYPOTHETICAL =
  /(?<!\p{L})(?:would|could|might|assuming|suppose|counting|würden?|könnten?|pourrai(?:t|ent)|pagarían?|podrían?)(?!\p{L})/iu;

/** "shortly before eleven", "at seven in the evening". */
function isNearHour(
  { values, isWord, start, after }: NumberMention,
  sentence: string,
  { facts }: PreparedEvidence,
): boolean {
  if (!isWord) return false;
  const before = sentence.slice(Math.max(0, start - 24), start);
  const isNear = /(?<!\p{L})(?:before|after|around|towards|kurz vor|kurz nach|gegen|vers|hacia)\s$/iu.test(
    before,
  );
  const isAt =
    /(?<!\p{L})(?:at|um|à|las)\s$/iu.test(before) &&
    /^\s*(?:$|[,.;)]|in the|at night|am |abends|morgens|du |de la )/u.test(after);
  if (!isNear && !isAt) return false;
  return values.some((hour) =>
    [hour * 60, (hour + 12) * 60].some((minutes) =>
      [...facts.times].some((time) => Math.abs(time - minutes) <= (isNear ? 20 : 0)),
    ),
  );
}

/** "Two tests failed", where a record has `failed: 2`. */
function isNamedField({ values }: NumberMention, sentence: string, { facts }: PreparedEvidence): boolean {
  if (facts.fields.size === 0) return false;
  return contentWords(sentence).some((word) => {
    const known = facts.fields.get(stem(word));
    return known !== undefined && values.some((value) => known.has(value));
  });
}

/** "two dependencies, zod and hono": as many known names follow as are counted. */
function isEnumerated(
  { values, text, start }: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
): boolean {
  const named = [
    ...quotesIn(sentence),
    ...[...sentence.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code),
  ];
  if (values.includes(named.length) && named.every((name) => evidence.text.includes(name.toLowerCase())))
    return true;
  const names = /[:,(–—]\s*([^:]+)$/u.exec(
    sentence.slice(start + text.length).replace(/^[^:,(–—]*:/u, ":"),
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

/** "Ada: 74.50": the sum of the rows that have that name. */
const isGroupSum = (
  sentence: string,
  fits: (value: number) => boolean,
  { tables }: PreparedEvidence,
): boolean =>
  tables.some(({ sums }) =>
    [...sums].some(([name, totals]) => totals.some(fits) && sentence.toLowerCase().includes(name)),
  );

/** "chapter 3", where the evidence has "ch3" or "c. 3". */
function isShortLabel(
  { values, start }: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
): boolean {
  const first = /(?<!\p{L})(\p{L})\p{L}{2,}\s#?$/u.exec(sentence.slice(0, start))?.[1]?.toLowerCase();
  return first !== undefined && evidence.shortLabels.has(`${first}${String(values[0])}`);
}

/** "from 9 to 18 o'clock": hours that were observed, named without their minutes. */
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

/** The number itself, or one that rounds to it, stands in the evidence and measures the same. */
function isStated(value: number, mention: NumberMention, { numbers, measures }: Facts): boolean {
  const measure = measureOf(mention.unit);
  const fits = within(value, toleranceOf(mention, value));
  if (numbers.has(value) && measuresAlike(measure, measures.get(value))) return true;
  for (const known of numbers) if (fits(known) && measuresAlike(measure, measures.get(known))) return true;
  return false;
}

/** A number of metres is none of minutes; one that stands without a unit may be either. */
const measuresAlike = (measure: string, known: ReadonlySet<string> | undefined): boolean =>
  measure === "" || known === undefined || known.has(measure) || known.has("");

/** What is scaled in a sentence is known as its multiple: "three times everything". */
export function factorsIn(
  sentence: string,
  numbers: readonly NumberMention[],
  { text }: PreparedEvidence,
): number[] {
  const servings = numbers.filter(({ unit }) => SERVING.test(unit)).flatMap(({ values }) => [...values]);
  const known =
    servings.length === 0
      ? []
      : [...text.matchAll(SERVES)].map(([, behind, before]) => Number(behind ?? before));
  const said = numbers.filter(({ unit }) => FACTOR_UNIT.test(unit)).flatMap(({ values }) => [...values]);
  return [
    ...said,
    ...servings.flatMap((wanted) => known.map((served) => wanted / served)),
    ...(TWICE.test(sentence) ? [2] : []),
    ...(THRICE.test(sentence) ? [3] : []),
    ...(HALF.test(sentence) ? [0.5] : []),
  ];
}

const SERVING =
  /^(?:people|persons?|servings?|portions?|guests|portionen|personen|gäste|personnes|personas|raciones)$/u;

/** For how many a recipe is. */
const SERVES =
  /(?:serves|makes|for|für|pour|para|ergibt):? (\d{1,2})(?!\d)|(?<!\d)(\d{1,2}) (?:people|persons|servings|portions|portionen|personen|personnes|personas|raciones)/gu;

const FACTOR_UNIT = /^(?:times|x|mal|fach|fois|veces|volte|vezes|keer)$/u;
const TWICE =
  /(?<!\p{L})(?:twice|double[ds]?|there and back|round trip|both ways|return|hin und zurück|aller-retour|ida y vuelta|doppelt\p{L}*|verdoppelt|deux fois|le double|el doble|il doppio)(?!\p{L})/iu;
const THRICE = /(?<!\p{L})(?:triple[ds]?|dreifach\p{L}*|le triple|el triple|il triplo)(?!\p{L})/iu;
const HALF =
  /(?<!\p{L})(?:halve[ds]?|half (?:of everything|the (?:amounts?|recipe|quantities))|halbier\p{L}*|la moitié|la mitad|la metà)(?!\p{L})/iu;

/** Years from a day or year of the evidence to now, and to the birthday that comes. */
function agesIn({ facts, today }: PreparedEvidence): Set<number> {
  const years = [...facts.numbers].filter((year) => year >= 1900 && year <= today.year);
  return new Set(years.flatMap((year) => [today.year - year, today.year - year - 1, today.year - year + 1]));
}

const AGO = /^(?:years?|jahren?|ans?|años?|anni)$/u;

const AGE =
  /(?<!\p{L})(?:turn(?:s|ed|ing)?|aged?|years? old|old|birthday|wird|werden|alt|geburtstag|ans|anniversaire|años|cumple|anni|compie|anos|faz|jaar|fyller|år)(?!\p{L})/iu;

/** A temperature on the other scale. */
function temperaturesOf(
  value: number,
  { unit, after, isHedged }: NumberMention,
): ((known: number) => boolean)[] {
  if (!/^(?:°|c$|f$|celsius|fahrenheit)/u.test(unit) && !/^\s?°/u.test(after)) return [];
  const tolerance = isHedged ? 1 : 0.51;
  return [
    (known) => Math.abs((known - 32) / 1.8 - value) <= tolerance,
    (known) => Math.abs(known * 1.8 + 32 - value) <= 1,
  ];
}

/** The results that a sentence says it has worked out: a total is a sum, what is left a difference. */
function workedOut(mention: NumberMention, sentence: string, { derived }: PreparedEvidence): WorkedOut {
  const { sums, differences, averages, products, ratios, spans } = derived;
  if (AVERAGE.test(sentence)) return [averages];
  const isFollowing = CONSEQUENCE.test(sentence) || mention.isHedged;
  const isSum = SUM.test(sentence) || isFollowing;
  const isPer = PER.test(sentence) || isFollowing;
  return [
    isSum || WHOLE.test(sentence.slice(0, mention.start)) ? sums : [],
    DIFFERENCE.test(sentence) || isFollowing ? differences : [],
    isPer ? averages : [],
    QUOTIENT.test(sentence) ? ratios : [],
    isPer || isSum ? products : [],
    measureOf(mention.unit) === "time" ? spans : [],
  ];
}

const QUOTIENT = /(?<!\p{L})(?:per|pro|par|por|apiece|a (?:head|piece))(?!\p{L})/iu;

/** Results by how they were worked out; kept apart, as copies of them cost more than the search. */
type WorkedOut = readonly (readonly number[])[];

/** "almost half of the 25.3k", "2 of the 44" */
const WHOLE =
  /(?<!\p{L})(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|half|third|quarter|part|share|percent|%|most|rest|out|hälfte|drittel|viertel|moitié|tiers|mitad|metà) (?:of|der|de|di) (?:(?:the|your|all|les|los|las|i|le) )?[$€£]?$/iu;

/** "7.50 a month" is 90 a year. */
function ratesOf({ after, start }: NumberMention, sentence: string): number[] {
  const phrase = `${sentence.slice(Math.max(0, start - 20), start).toLowerCase()} ${after.slice(0, 24)}`;
  if (
    /(?:a|per|each|im|pro|par|al|all['’]|cada|por|om)\s?(?:year|jahr|an(?!d)|año|anno|ano|jaar|året|år)|yearly|jährlich|annuel|anual/u.test(
      phrase,
    )
  )
    return [1 / 12, 1 / 52, 1 / 4, 1 / 365];
  if (
    /(?:a|per|each|im|pro|par|al|cada|por|om)\s(?:month|monat|mois|mes|mese|mês|maand|månad\p{L}*|måned\p{L}*)|monthly|monatlich|mensuel|mensual/u.test(
      phrase,
    )
  )
    return [12, 1 / 4, 1 / 30];
  if (/(?:a|per|each|pro|par|por|cada)\s(?:week|woche|semaine|semana)|weekly|wöchentlich/u.test(phrase))
    return [52, 1 / 7, 4];
  return [];
}

/** What follows from the numbers that the answer has named: parts of a total, and the total of parts. */
function followsInAnswer(
  value: number,
  mention: NumberMention,
  sentence: string,
  { facts }: PreparedEvidence,
  before: Before,
): boolean {
  const fits = within(value, toleranceOf(mention, value));
  const others = quantitiesIn(withoutNames(sentence)).numbers.filter(({ start }) => start !== mention.start);
  const beside = others
    .flatMap(({ values }) => values.slice(0, 1))
    .filter((other) => facts.numbers.has(other));
  if (DIFFERENCE.test(sentence) && isRemainder(beside, fits)) return true;
  const isSmall = Number.isInteger(value) && value <= SMALL && measureOf(mention.unit) === "";
  if (DIFFERENCE.test(sentence) && !isSmall) {
    const near = before.operands.slice(-3);
    for (const one of facts.numbers) if (near.some((operand) => fits(Math.abs(one - operand)))) return true;
  }
  // "Rent and food make up 89 % of it": the share that parts named before have of a whole.
  if (SHARE.test(mention.unit))
    for (const part of subsetSums(before.operands.slice(-4)))
      if (part > 0 && beside.some((whole) => fits((part / whole) * 100))) return true;
  if (CONDITIONAL.test(sentence) && !isSmall) {
    // "250 would be 270": an example of the answer's own, worked out with what is known.
    const all = others.flatMap(({ values }) => values.slice(0, 1));
    const known = [...facts.numbers].filter((one) => one > 1 && one !== value);
    if (all.some((other) => known.some((one) => isRate(value, other, one)))) return true;
    if (all.some((other) => before.operands.slice(-3).some((one) => isRate(value, other, one)))) return true;
  }
  // "17 % of it": the share may be any, what it is taken of must be known.
  const known = [...beside, ...before.operands.slice(-4)];
  for (const other of others) {
    const [by = 0] = other.values;
    if (SHARE.test(other.unit) && known.some((of) => fits((of * by) / 100))) return true;
    if (OVER_SPAN.test(sentence.slice(Math.max(0, other.start - 12), other.start)))
      if (measureOf(other.unit) === "time" && known.some((of) => fits(of * by))) return true;
  }
  const operands = [...before.operands, ...beside].slice(-10);
  // "so each owes 43.25": an equal share of a total of the answer.
  if (EACH.test(sentence) && operands.some((total) => [2, 3, 4, 5, 6].some((parts) => fits(total / parts))))
    return true;
  if (SUM.test(sentence) && subsetSums(operands).some(fits)) return true;
  if (
    !CONSEQUENCE.test(sentence) &&
    !SUM.test(sentence) &&
    !DIFFERENCE.test(sentence) &&
    !PER.test(sentence) &&
    !RATIO.test(mention.unit)
  )
    return false;
  return operands.some((a, index) =>
    operands
      .slice(index + 1)
      .some((b) =>
        [
          a + b,
          Math.abs(a - b),
          a * b,
          ...(b === 0 ? [] : [a / b, (a / b) * 100]),
          ...(a === 0 ? [] : [b / a, (b / a) * 100]),
        ].some(fits),
      ),
  );
}

/** Whether two numbers of an example are worked out by the third, in any direction. */
const isRate = (a: number, b: number, by: number): boolean =>
  a !== b &&
  [a * b - by, a * by - b, b * by - a].some((rest) => Math.abs(rest) <= 0.005 * Math.max(a, b, by));

/** The first number less all that is taken from it. */
function isRemainder(numbers: readonly number[], fits: (value: number) => boolean): boolean {
  const whole = Math.max(...numbers, 0);
  const taken = numbers.filter((number) => number !== whole).reduce((sum, number) => sum + number, 0);
  return numbers.length > 1 && fits(whole - taken);
}

const EACH =
  /(?<!\p{L})(?:each|everyone|everybody|per person|a head|jeder?|pro (?:person|kopf)|chacune?|cada uno|ciascuno)(?!\p{L})/iu;

const SHARE = /^(?:%|percent|prozent)$/u;

const OVER_SPAN =
  /(?<!\p{L})(?:over|for|in|after|during|within|über|in|für|nach|sur|pendant|en|durante|por|in|voor|op|per)\s(?:the |den |die )?$/iu;

const subsetSums = (operands: readonly number[]): number[] =>
  operands.reduce<number[]>((sums, operand) => [...sums, ...sums.map((sum) => sum + operand)], [0]);

const RATIO = /^(?:%|percent|prozent|pour|por|times|x|mal|fach|fois|veces)$/u;

const OCCASIONS = /^(?:times|mal|fois|veces)$/u;

/** "one or two", "a thing or two", "in two". */
const isIdiom = ({ start }: NumberMention, sentence: string): boolean =>
  /(?:day|step|week|chapter|part|item|number|tag|schritt|woche|kapitel|teil|jour|étape|semaine|chapitre|día|paso|capítulo)\s$/iu.test(
    sentence.slice(0, start),
  ) ||
  (/(?:one or|thing or|in|ein oder|une ou|una o)\s$/iu.test(sentence.slice(Math.max(0, start - 9), start)) &&
    !/\d/u.test(sentence));

function isKnownCount(
  mention: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
  before: Before,
): boolean {
  const { tasks, calls } = evidence;
  const exact = countOfTasks(mention, sentence, tasks);
  return mention.values.some((value) => {
    if (exact !== undefined) return exact.includes(value);
    if (evidence.facts.counts.has(value) || evidence.facts.counted.has(value)) return true;
    const facts = evidence.counted;
    if (/^\s*(?:\p{L}+\s+)?(?:words?|wörter|mots|palabras)/u.test(mention.after))
      return (
        [...facts.words].some(within(value, toleranceOf(mention, value))) ||
        (value > SMALL && facts.numbers.has(value)) ||
        facts.counted.has(value)
      );
    if (facts.counts.has(value) || facts.counted.has(value)) return true;
    if (calls.length === 0 && facts.numbers.has(value)) return true;
    const fits = within(value, toleranceOf(mention, value));
    if (value > SMALL && facts.numbers.has(value)) return true;
    if (DIFFERENCE.test(sentence) && differencesOf([...facts.counts, ...facts.counted]).has(value))
      return true;
    if (mention.isHedged && [...facts.counts, ...facts.counted].some(fits)) return true;
    return subsetSums(before.operands.slice(-6)).some(
      (sum) => sum > 0 && before.operands.length > 1 && fits(sum) && SUM.test(sentence),
    );
  });
}

const differencesOf = (numbers: readonly number[]): Set<number> =>
  new Set(
    numbers.slice(0, 40).flatMap((a, index) => numbers.slice(index + 1, 40).map((b) => Math.abs(a - b))),
  );

/** How many tasks have the status that stands right before or after the noun; `undefined` where none does. */
function countOfTasks(
  { after, start }: NumberMention,
  sentence: string,
  tasks: PreparedEvidence["tasks"],
): number[] | undefined {
  // "Two of the three tasks are open": the three are all.
  if (
    /(?<!\p{L})(?:the|your|die|der|den|deine[nr]?|les|des|tes|los|las|tus)\s$/iu.test(
      sentence.slice(0, start),
    )
  )
    return undefined;
  const phrase = /^\s*((?:\p{L}+\s+){0,2})(?:tasks?|todos?|aufgaben?|tâches?|tareas?)(\s+\p{L}+){0,3}/iu.exec(
    after,
  );
  if (!phrase || tasks.length === 0 || NEGATION.test(sentence)) return undefined;
  const status = STATUS_WORDS.find(([, words]) => words.test(phrase[0]))?.[0];
  if (status === undefined) return undefined;
  const open = tasks.filter((task) => task.status !== "done" && task.status !== "cancelled");
  // "Open" may leave out what has been begun, or mean that alone.
  if (status === "open")
    return [
      open.length,
      open.filter((task) => task.status === "todo").length,
      tasks.length === open.length ? tasks.length : open.length,
    ];
  return [tasks.filter((task) => task.status === status).length];
}

const within =
  (value: number, tolerance: number) =>
  (known: number): boolean =>
    Math.abs(known - value) <= tolerance;

/** How far a stated number may be from the exact one: half of its last digit, more where it is said to be near. */
function toleranceOf({ text, isHedged }: NumberMention, value: number): number {
  const decimals = Number.isInteger(value)
    ? (/[.,](\d{1,2})$/u.exec(text)?.[1]?.length ?? 0)
    : (String(value).split(".")[1]?.length ?? 0);
  const half = 0.5 * 10 ** -decimals;
  return isHedged ? Math.max(half, Math.abs(value) * 0.06) : half * 0.9999 + 1e-9;
}

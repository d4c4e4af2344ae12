import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { type PreparedEvidence } from "./evidence.ts";
import { type Facts } from "./facts.ts";
import { weekdaysIn } from "./quantity-words.ts";
import { NEGATION } from "./vocabulary.ts";
import { type DayMention, type Quantities, dayNumber, quantitiesIn } from "./quantities.ts";

export function unknownDays(text: string, read: Quantities, evidence: PreparedEvidence): string[] {
  const { facts, today } = evidence;
  const problems: string[] = [];
  for (const mention of read.days) {
    const isShown =
      isKnownDay(mention, facts) ||
      isDaysAway(mention, evidence) ||
      isRecurring(mention, evidence) ||
      isNextOfMonth(mention, evidence);
    if (!isShown) problems.push(`${mention.text} is stated, and nothing shows that day.`);
  }
  for (const { text: stated, weekday } of read.weekdays) {
    if (
      !facts.weekdays.has(weekday) &&
      !(CLOSED.test(text) && facts.weekdays.size > 0) &&
      read.days.length === 0
    )
      problems.push(`${stated} is stated, and nothing shows that day.`);
  }
  for (const { text: stated, month } of read.months) {
    if (!facts.months.has(month)) problems.push(`${stated} is stated, and nothing shows that month.`);
  }
  for (const { text: stated, minutes } of read.times) {
    const isOneHourOff =
      /(?<!\p{L})(?:hour|stunde|heure|hora)(?!\p{L})/iu.test(text) &&
      [minutes - 60, minutes + 60].some((other) => facts.times.has(other));
    if (!isOneHourOff && !isKnownTime(minutes, facts) && !isTimeAway(minutes, facts))
      problems.push(`${stated} is stated, and nothing shows that time.`);
  }
  const period = LAST_PERIOD.exec(text)?.[0].toLowerCase();
  if (period !== undefined && !evidence.text.includes(period) && !isPeriodKnown(period, evidence))
    problems.push(`"${period}" is stated, and nothing shows it.`);
  for (const { text: stated, days } of read.relative) {
    if (!NEGATION.test(text) && !facts.relative.has(days) && !facts.dayNumbers.has(today.number + days))
      problems.push(`"${stated}" is stated, and nothing shows that day.`);
  }
  return problems;
}

/** "20 December", where the request says "the 20th": the next such day. */
function isNextOfMonth({ year, month, day }: DayMention, { source, today }: PreparedEvidence): boolean {
  if (month === undefined || day === undefined) return false;
  const isAsked = quantitiesIn(source.request).days.some(
    (asked) => asked.month === undefined && asked.day === day,
  );
  const next = [today.year, today.year + 1]
    .flatMap((one) => Array.from({ length: 12 }, (_, index) => ({ year: one, month: index + 1 })))
    .find((one) => dayNumber(one.year, one.month, day) >= today.number);
  return isAsked && next?.month === month && (year === undefined || next.year === year);
}

/** Problems such as "Tuesday, 14 March 2027", which is a Sunday. */
export function wrongWeekdays(text: string, read: Quantities, evidence: PreparedEvidence): string[] {
  const isAlone =
    read.weekdays.length === 1 &&
    read.days.length === 1 &&
    !/(?<!\p{L})(?:the|on) (?:\p{L}+ )?(?:before|after)(?!\p{L})/iu.test(text);
  return read.days.flatMap((mention) => {
    const weekday = read.weekdays.find(
      ({ start, end }) => isAlone || Math.abs(start - mention.end) < 4 || Math.abs(mention.start - end) < 8,
    );
    return weekday && !isWeekdayOf(weekday.weekday, mention, evidence)
      ? [`${mention.text} is not a ${weekday.text}.`]
      : [];
  });
}

/** A weekday that the opening hours leave out is a closing day. */
const CLOSED = new RegExp(
  wholeWords(
    "closed|shut|day off|free|off|frei|libre|geschlossen|ruhetag|zu|fermée?s?|cerrad[oa]s?|chius[oaie]",
    "gesloten|stängt",
  ),
  "iu",
);

const RECURS_WORDS = oneOf(
  "first|second|third|fourth|last|every|each|jeden?|erste[rn]?|letzte[rn]?|chaque|premier|dernier|cada",
  "primer|último|ogni|primo",
);
const RECURS = new RegExp(String.raw`${RECURS_WORDS} (\p{L}+)`, "gu");

/** "6 December" for something that takes place on every first Sunday of a month. */
function isRecurring({ year, month, day }: DayMention, { text, today }: PreparedEvidence): boolean {
  if (day === undefined) return false;
  const months = month === undefined ? [new Date(today.number * 86_400_000).getUTCMonth() + 1] : [month];
  return [...text.matchAll(RECURS)].some(([, name = ""]) =>
    weekdaysIn(name).some(({ weekday }) => {
      return months.some(
        (one) => new Date(dayNumber(year ?? today.year, one, day) * 86_400_000).getUTCDay() === weekday,
      );
    }),
  );
}

const LAST_PERIOD = new RegExp(
  wholeWords(
    "(?:last|previous) (?:week|month|year)|letzte[rnsm]? (?:woche|monat|jahr)|la semaine dernière",
    "le mois dernier|l['’]an dernier|la semana pasada|el mes pasado|el año pasado",
  ),
  "iu",
);

/** Whether a day of the period before this one was observed. */
function isPeriodKnown(period: string, { facts, today }: PreparedEvidence): boolean {
  if (/week|woche|sem/u.test(period))
    return [...facts.dayNumbers].some((day) => day < today.number && day > today.number - 14);
  const month = new Date(today.number * 86_400_000).getUTCMonth();
  if (/mon|mois|mes/u.test(period)) return facts.months.has(month === 0 ? 12 : month);
  return (
    [...facts.days].some((day) => day.startsWith(`${String(today.year - 1)}-`)) ||
    facts.numbers.has(today.year - 1)
  );
}

export function isKnownDay(
  { year, month, day }: DayMention,
  { days, monthDays, months, numbers }: Facts,
): boolean {
  if (day === undefined)
    return (
      month !== undefined &&
      months.has(month) &&
      (year === undefined ||
        numbers.has(year) ||
        [...days].some((known) => known.startsWith(`${String(year)}-`)))
    );
  if (month === undefined) return monthDays.has(day);
  const key = `${String(month)}-${String(day)}`;
  return days.has(year === undefined ? key : `${String(year)}-${key}`);
}

/** True for a day whose distance from a known day is a span of the evidence. */
function isDaysAway({ year, month, day }: DayMention, { facts, today, text }: PreparedEvidence): boolean {
  if (month === undefined) return false;
  const spans = [...facts.measures].flatMap(([value, measures]) => (measures.has("time") ? [value] : []));
  if (YEARLY.test(text)) spans.push(12);
  if (spans.length === 0 || spans.length > MAX_SPANS) return false;
  // A contract ends the day before, and the notice is due one period before that.
  for (const [index, one] of [...spans.entries()])
    for (const other of spans.slice(index + 1)) spans.push(Math.abs(one - other));
  const starts = [...facts.dayNumbers].slice(0, MAX_SPANS).flatMap((known) => [known, known - 1]);
  return starts.some((known) => {
    const date = new Date(known * 86_400_000);
    const monthsOf = (one: number): number =>
      Math.abs((one - date.getUTCFullYear()) * 12 + month - 1 - date.getUTCMonth());
    return (year === undefined ? [today.year - 1, today.year, today.year + 1] : [year]).some((one) => {
      const isMonthsAway = spans.includes(monthsOf(one)) || spans.some((span) => span * 12 === monthsOf(one));
      if (day === undefined) return isMonthsAway;
      if (isMonthsAway && (day === date.getUTCDate() || (day > 27 && date.getUTCDate() > 27))) return true;
      const apart = Math.abs(dayNumber(one, month, day) - known);
      return apart > 0 && spans.some((span) => span === apart || span * 7 === apart);
    });
  });
}

const MAX_SPANS = 12;

const YEARLY = new RegExp(
  wholeWords(
    "yearly|annual(?:ly)?|every year|a year|one year|jährlich|ein jahr|annuel|un an|anual|un año|un anno",
  ),
  "iu",
);

/** True for a time that is a known number of minutes before or after a known time. */
function isTimeAway(minutes: number, { times, measures }: Facts): boolean {
  const spans = [...measures].flatMap(([value, units]) => (units.has("time") ? [value] : []));
  if (spans.length > MAX_SPANS) return false;
  return [...times].some((time) => spans.includes(Math.abs(minutes - time)));
}

/** In days. */
const HALF_A_YEAR = 183;

/** A day without a year belongs to the years in which the evidence has it; else it is the one nearest to today. */
function isWeekdayOf(
  weekday: number,
  { year, month, day }: DayMention,
  { facts, today }: PreparedEvidence,
): boolean {
  if (month === undefined || day === undefined) return true;
  const near = [today.year - 1, today.year, today.year + 1];
  const known = near.filter((one) => facts.days.has(`${String(one)}-${String(month)}-${String(day)}`));
  const nearest = near.filter((one) => Math.abs(dayNumber(one, month, day) - today.number) <= HALF_A_YEAR);
  const years = year !== undefined ? [year] : known.length > 0 ? known : nearest;
  return years.some((one) => new Date(dayNumber(one, month, day) * 86_400_000).getUTCDay() === weekday);
}

const isKnownTime = (minutes: number, { times, numbers }: Facts): boolean =>
  times.has(minutes) ||
  times.has(minutes % 1440) ||
  times.has(minutes - 720) ||
  (minutes % 60 === 0 && (numbers.has(minutes / 60) || numbers.has(minutes / 60 - 12)));

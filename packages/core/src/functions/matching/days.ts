import { oneOf } from "../../text/patterns.ts";
import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { parse } from "chrono-node/en";
import { type Clock, isoDay, wallTimeOf } from "../../language/dates/clock.ts";
import { type DayForm, findDayForms } from "./day-forms.ts";

/** Words that name one calendar day. */
export interface NamedDay {
  text: string;
  /** Offset into the request, in UTF-16 code units. */
  index: number;
  /** `2026-11-21` */
  day: string;
  /** False if the words also match another day, such as one of another year that is as near. */
  isSure: boolean;
}

const HALF_YEAR_MS = 183 * 86_400_000;
const CERTAIN_MS = 120 * 86_400_000;
/** A day in ISO form; with a clock time it is more than a day. */
const ISO_DAY =
  /(?<![\p{L}\d/_.-])\d{4}-\d{2}-\d{2}(?![\p{L}\d/_-])(?!,?\s*(?:at\s+)?\d{1,2}(?::\d|\s*(?:am|pm|h|o'clock)))/giu;
/** Names today, although mostly in passing. */
export const PART_OF_TODAY = /^(?:this (?:morning|afternoon|evening)|tonight)$/iu;
/** "For 2 days" is a duration, not a day. */
const DURATION =
  /^(?:for\s+)?(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?:days?|weeks?|months?|years?)$/iu;
/** "In the day 7 of December": the words before a day, and none themselves. */
const NO_DAY = /^(?:(?:in|on|for|at)\s+)?the\s+day$/iu;
const LEADING = /^(?:on|at|by|in|for|of|from|until|till|before|the)\s+/iu;

/**
 * The past and future days that a request names. A day without a year is the nearest one; "friday" is the next one
 * unless the words contain "last".
 */
export function readDays(request: string, clock: Clock): NamedDay[] {
  const written = [...request.matchAll(ISO_DAY)].flatMap(({ 0: text, index }): NamedDay[] =>
    Number.isNaN(Date.parse(text)) ? [] : [{ text, index, day: text, isSure: true }],
  );
  // "2026-12-10 until 2026-12-17" would be read as "10 until 2026-12".
  const others = without(request, written);
  const forms = findDayForms(others).flatMap((form) => dayOfForm(form, clock) ?? []);
  const inWords = daysInWords(without(others, forms), clock).filter(
    (day) => !isVague(request, day) && !isPartOfName(request, day) && !isOtherWord(request, day),
  );
  return [...written, ...forms, ...inWords].toSorted((one, other) => one.index - other.index);
}

const BEFORE_IN_WORD = /[\p{L}\p{N}_-]*-$/u;
const AFTER_IN_WORD = /^-[\p{L}\p{N}_-]*/u;

/** "Sunday-roast", "no-onion-thursday": a name; "saturday-morning" and "monday-friday" are not. */
function isPartOfName(request: string, { text, index }: NamedDay): boolean {
  const before = BEFORE_IN_WORD.exec(request.slice(0, index))?.[0] ?? "";
  const after = AFTER_IN_WORD.exec(request.slice(index + text.length))?.[0] ?? "";
  return `${before}${after}`.split("-").some((part) => part !== "" && !MAY_NAME_DAY.test(part));
}

/** Short forms of weekdays that are words themselves. */
const SHORT_WORD = /^(?:sun|sat|wed)$/iu;
const BEFORE_DAY =
  /(?:\b(?:on|by|until|till|for|from|to|next|this|last|coming|past|every|due)|[,:;(–-]|^)\s*$/iu;
const NAME_BEFORE = /\b(?:the|an?|my|our|your|his|her|their|i|he|she|we|they|it|who)\s+$/iu;
const AFTER_DAY =
  /^\s*(?:$|[.,;:!?)_\d–-]|(?:at|in|for|with|please|pls|plz|thanks|and|to|until|till|morning|noon|midday|afternoon|evening|night|week|last|next)\b)/iu;

/** "The sun cream", "she sat down": no day. */
function isOtherWord(request: string, { text, index }: NamedDay): boolean {
  if (!SHORT_WORD.test(text)) return false;
  const before = request.slice(0, index);
  return (
    !BEFORE_DAY.test(before) &&
    (NAME_BEFORE.test(before) || !AFTER_DAY.test(request.slice(index + text.length)))
  );
}

const ANY_DAY =
  /\b(?:some|any|one|a|an|another)\s+(?:day|date|time|morning|afternoon|evening)\s+(?:in\s+|of\s+)?$/iu;
const PERIOD = /^(?:next|this|last|the coming) (?:week|weekend|month|quarter|year)$/iu;

/** "Some day next week", "next month": a period in place of one day. */
const isVague = (request: string, { text, index }: NamedDay): boolean =>
  PERIOD.test(text) || ANY_DAY.test(request.slice(0, index));

const without = (request: string, days: readonly NamedDay[]): string =>
  days.reduce(
    (rest, { text, index }) =>
      rest.slice(0, index) + "_".repeat(text.length) + rest.slice(index + text.length),
    request,
  );

function dayOfForm({ text, index, means, plusDays = 0 }: DayForm, clock: Clock): NamedDay | undefined {
  const today = wallTimeOf(clock.now, clock.timeZone);
  const named = { text, index };
  if (typeof means === "object") {
    if ("daysFromToday" in means)
      return { ...named, day: isoDay({ ...today, day: today.day + means.daysFromToday }), isSure: true };
    // The next such day; if the day of this month has passed, it may be that one.
    const { dayOfMonth } = means;
    const isAhead = dayOfMonth >= today.day;
    const day = isoDay({ ...today, month: today.month + (isAhead ? 0 : 1), day: dayOfMonth });
    return Number(day.slice(8)) === dayOfMonth ? { ...named, day, isSure: isAhead } : undefined;
  }
  if (/^\d{4}-/u.test(means)) {
    return Number.isNaN(Date.parse(means)) ? undefined : { ...named, day: means, isSure: true };
  }
  const [only, ...more] = daysInWords(means, clock);
  if (only === undefined || more.length > 0) return undefined;
  const date = new Date(Date.parse(only.day) + plusDays * 86_400_000);
  return { ...named, day: date.toISOString().slice(0, 10), isSure: only.isSure };
}

const DAY_BEGINNINGS = oneOf(
  "mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
  "to-?day|to-?night|to-?mor|tmr|tmw|yester|now|day|night|week|fortnight|month|quarter|year",
  "noon|mid|morning|afternoon|evening|last|next|this|past|coming|ago|christmas|easter",
  String.raw`first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|[a-z]*(?:tenth|teenth|ieth|elfth|eventh)\b`,
);
/** A digit, or the beginning of a word for a day: without one, no parser needs to look for days. */
const MAY_NAME_DAY = new RegExp(String.raw`\d|\b${DAY_BEGINNINGS}`, "iu");

const BEFORE_AMOUNT = /^(.*\p{L})\s*[:=]\s*\d+(?:[.,]\d+)?$/u;

const PART_BEFORE_DAY = /^(?:morning|afternoon|evening|night)\s+(?:on\s+)?/iu;

/** Days in words, or in the formats of a country. */
function daysInWords(request: string, clock: Clock): NamedDay[] {
  if (!MAY_NAME_DAY.test(request)) return [];
  const today = wallTimeOf(clock.now, clock.timeZone);
  const instant = new Date(Date.UTC(today.year, today.month - 1, today.day, 12));
  return parse(request, { instant, timezone: 0 }).flatMap((result): NamedDay[] => {
    const { start, end, text, index } = result;
    if (end) return daysOfRange(text, index, clock);
    if (PART_OF_TODAY.test(text)) return [{ text, index, day: isoDay(today), isSure: true }];
    // "B1 evening on monday": the part of a day may belong to what comes before it.
    const part = PART_BEFORE_DAY.exec(text)?.[0];
    if (part !== undefined)
      return daysInWords(text.slice(part.length), clock).map((one) => ({
        ...one,
        index: one.index + index + part.length,
      }));
    if (!start.isCertain("day") && !start.isCertain("weekday")) return [];
    // A clock time is more than a day, and the word "now" names none.
    // "Today: 17,2 kg": the number is not a time.
    const [, day] = BEFORE_AMOUNT.exec(text) ?? [];
    if (day !== undefined && start.isCertain("hour"))
      return daysInWords(day, clock).map((one) => ({ ...one, index: one.index + index }));
    if (start.isCertain("hour") || /\bnow\b|\d\s*(?:h|hours?|min)/iu.test(text)) return [];
    if (DURATION.test(text) || NO_DAY.test(text)) return [];
    const prefix = LEADING.exec(text)?.[0] ?? "";
    // "On friday, put …": the mark ends a clause.
    const named = { text: text.slice(prefix.length).replace(/[\s,.]+$/u, ""), index: index + prefix.length };
    const read = (years: number, days = 0): { day: string; at: number } => {
      const at = Date.UTC(
        (start.get("year") ?? today.year) + years,
        (start.get("month") ?? today.month) - 1,
        (start.get("day") ?? today.day) + days,
      );
      return { day: new Date(at).toISOString().slice(0, 10), at };
    };
    const now = Date.parse(`${isoDay(today)}T00:00:00Z`);
    if (start.isCertain("weekday") && !start.isCertain("day")) {
      const literalDay = read(0);
      const isPast = /\b(?:last|past|this past)\b/iu.test(text);
      // A past weekday is the last one; the person may mean another, so it is confirmed.
      const isDeadline = DEADLINE_BEFORE.test(request.slice(0, named.index));
      if (!isPast && !isDeadline && describesPastAction(clauseAround(request, index)))
        return [{ ...named, day: read(0, literalDay.at > now ? -7 : 0).day, isSure: false }];
      const isEarlier = !isPast && literalDay.at <= now;
      return [{ ...named, day: isEarlier ? read(0, 7).day : literalDay.day, isSure: true }];
    }
    if (start.isCertain("year") || !start.isCertain("month"))
      return [{ ...named, day: read(0).day, isSure: true }];
    const nearest = [-1, 0, 1]
      .map((years) => read(years))
      .toSorted((one, other) => Math.abs(one.at - now) - Math.abs(other.at - now))[0];
    if (nearest === undefined || Math.abs(nearest.at - now) > HALF_YEAR_MS) return [];
    return [{ ...named, day: nearest.day, isSure: nearest.at >= now && nearest.at - now < CERTAIN_MS }];
  });
}

/** "Has borrowed it until monday": the last day of what has begun is still to come. */
const DEADLINE_BEFORE = /\b(?:until|till|til|by|due|back|back on)\s+$/iu;

/** The clause that contains the word at `index`. */
function clauseAround(written: string, index: number): string {
  const request = written.replaceAll(TITLE_WITH_MARK, (title) => `${title.slice(0, -1)} `);
  const from = Math.max(...[".", ";", "!", "?", ","].map((mark) => request.lastIndexOf(mark, index) + 1));
  const length = request.slice(index).search(/[.;!?,]/u);
  return request.slice(from, length === -1 ? undefined : index + length);
}

/** "Mr. Haas": the mark ends no clause. */
const TITLE_WITH_MARK = /\b(?:dr|mrs?|ms|prof|st)\./giu;

/** A subject with a verb after it. */
const SUBJECT_AND_VERB =
  /(?<!\p{L})(?:[Ii]|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|\p{Lu}\p{Ll}+)\s+(?:(?:just|already|have|has|had)\s+)?(\p{Ll}+)(?!['’]t)/gu;
/** Verbs whose past form describes a future event: "the meeting we planned for friday". */
const ARRANGES =
  /^(?:planned|scheduled|booked|arranged|agreed|promised|wanted|needed|reserved|ordered|said|told|thought|meant|set|made|got|had|invited|asked)$/u;

/** "On monday I had a meeting", "there was a talk": an event that is over, unless something arranged it. */
const PAST_EVENT =
  /(?:\b(?:i|we|he|she|they)\s+|^\s*)(?:just\s+)?had\s+(?:an?|the|my|our|another)\b|\b(?:there\s+(?:was|were)|happened|took\s+place)\b/iu;
const ARRANGED = /\b(?:planned|scheduled|booked|arranged|agreed|promised|supposed|meant)\b/iu;

/** True for a clause in which somebody did something: "on Sunday I watered the orchid". */
function describesPastAction(clause: string): boolean {
  if (PAST_EVENT.test(clause) && !ARRANGED.test(clause)) return true;
  return [...clause.matchAll(SUBJECT_AND_VERB)].some(
    ([, verb = ""]) =>
      !ARRANGES.test(verb) &&
      (/[^e]ed$/u.test(verb) || (plainOfPast(verb) !== undefined && plainOfPast(verb) !== verb)),
  );
}

/** The first and the last day of "2026-12-04 to 2026-12-08"; none if one of them is not a complete day. */
function daysOfRange(text: string, index: number, clock: Clock): NamedDay[] {
  const joint = /\s+(?:to|until|till|through|and|-|–)\s+|\s*–\s*/iu.exec(text);
  if (joint === null) return [];
  const at = joint.index + joint[0].length;
  const first = readDays(text.slice(0, joint.index), clock);
  const last = readDays(text.slice(at), clock).map((day) => ({ ...day, index: day.index + at }));
  return first.length === 1 && last.length === 1
    ? [...first, ...last].map((day) => ({ ...day, index: day.index + index }))
    : [];
}

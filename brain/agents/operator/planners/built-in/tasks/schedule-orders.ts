import { oneOf } from "@metahuman/core/text/patterns";
import { WEEKDAYS } from "@metahuman/core/contract/calendar-names";
import { addDays, type DateSpan, formatMoment } from "@metahuman/core/language/dates/clock";
import { dateSpans, readDateText } from "@metahuman/core/language/dates/dates";
import { INSTEAD_OF } from "@metahuman/core/language/tokens/contrast";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import { RESUMES } from "@metahuman/skills/support/schedules";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { interpretAlone } from "../interpret-request.ts";
import { isStuck, stepOf } from "../next-step.ts";
import { PRONOUN, type ShortOrder, stripFiller, wholePhrase } from "../conversation/short-orders.ts";
import { callSkill, hasSkill, type Resolution } from "../conversation/resolution.ts";
import { findMeantName, findMentionedName, type SubjectOf } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";

// Reads an order for a schedule of the conversation. "Not on Fridays" becomes a change of its days, "pause it until 7 December" a
// pause and a schedule that ends it. It tries days to leave out, clauses with a day of their own, other times, resuming, pausing and
// skipping.

type ScheduleSubject = SubjectOf<"schedule">;

const DAY = String.raw`(?:mon|tues|wednes|thurs|fri|satur|sun)days?`;
const DAYS = String.raw`(?:on\s+)?(?<days>${DAY}(?:\s*(?:,|and|or|&)\s*(?:on\s+)?${DAY})*|(?:the\s+)?weekends?)`;
const ONE_DAY = String.raw`(?:mon|tues|wednes|thurs|fri|satur|sun)day`;
const TIME = String.raw`(?:half\s+(?:past\s+)?[\p{L}\d]+|[\p{L}\d]+\s+(?:past|to)\s+[\p{L}\d]+|\d{1,2}(?:[:.]\d{2})?(?:\s?[ap]m)?(?:\s+o['’]?clock)?|noon|midnight)`;
const IT = String.raw`(?:it|that|this|them|the\s+(?:time|day|reminder|schedule|one)|the\s+\p{L}[\p{L} ]{0,40}?(?:reminder|schedule|one))`;

const PAUSE = wholePhrase(
  String.raw`(?:pause|suspend|mute|silence|hold|interrupt|stop)\s+(?<what>\S.*?)(?:\s+(?:until|till?)\s+(?<until>\S.*?))?`,
);
const RESUME = wholePhrase(
  String.raw`(?:resume|unpause|restart|continue|reactivate|start|turn\s+on)\s+(?<what>${IT})(?:\s+(?:again|up))?`,
);
const SKIP = wholePhrase(
  String.raw`(?:skip|leave\s+out|not)\s+(?:(?:it|that|the)\s+)?(?:on\s+)?(?<which>(?:this|the\s+next|next)\s+(?:week|time|one)|once|next|it|(?:this|next)\s+${DAY}|${ONE_DAY}|today|tomorrow)`,
);
const WITHOUT_DAYS = wholePhrase(
  String.raw`(?:(?:and|but|also|please)\s+)*(?:(?:not|never|no|except|without|(?:skip|leave\s+out)(?:\s+(?:it|that))?(?!(?:\s+(?:it|that))?\s+(?:on\s+)?${ONE_DAY}$))\s+|(?:stop|pause|drop|cancel)\s+(?:it|that|this|them)\s+(?:on\s+)?)${DAYS}`,
);
const WITH_DAYS = wholePhrase(
  String.raw`(?:(?:make|change|move|set|switch|shift|put)\s+(?<what>${IT})\s+(?:to\s+|on\s+|into\s+)?|(?:do\s+(?:it|that)\s+)?(?:only\s+)?(?=on\s|every\s))(?:every\s+)?${DAYS}(?:\s+(?:at\s+)?(?<time>${TIME}))?`,
);
const AT = wholePhrase(
  String.raw`(?:(?:make|change|move|set|switch|shift|put)\s+(?<what>${IT})\s+(?:to\s+|at\s+|for\s+)?|at\s+)(?<time>${TIME})`,
);
const LAST_DAY = wholePhrase(
  String.raw`(?:(?:but\s+)?only\s+|(?:do|keep|run|repeat|make)\s+(?:it|that)\s+(?:only\s+)?)?(?:until|till?|up\s+to)\s+(?<until>\S.*)`,
);

/** Reads a change of a schedule of the conversation; undefined for any other request. */
export function readScheduleChange(
  request: string,
  subjects: readonly ScheduleSubject[],
  state: PlanState,
): Resolution | undefined {
  if (!hasSkill(state, "schedule_update")) return undefined;
  const { text } = stripFiller(request.replace(OLD_VALUE, ""));
  const [newest] = subjects;
  const change = (id: string, args: Record<string, unknown>): Resolution => ({
    kind: "calls",
    calls: [callOf("schedule_update", fromRequest({ id, ...args }), request)],
  });
  // "No weekends" denies the days, although "no" may also begin a correction.
  const remainingDays =
    newest &&
    readRemainingDays(request.trim().replace(/(?:\s(?:either|please|pls|too))?[\s.!]*$/iu, ""), newest);
  if (newest !== undefined && remainingDays !== undefined)
    return change(newest.id, { action: "change", when: remainingDays });
  const inClauses = readScheduleClauses(request, subjects, state);
  if (inClauses !== undefined) return inClauses;
  const pause = PAUSE.exec(text)?.groups;
  const resumed = RESUME.exec(text)?.groups?.["what"];
  const changed = (WITH_DAYS.exec(text) ?? AT.exec(text))?.groups?.["what"];
  const named = pause?.["what"] ?? resumed ?? changed;
  const paused = subjects.filter(({ isPaused }) => isPaused);
  const possible = resumed === undefined || paused.length === 0 ? subjects : paused;
  const schedule = findMeantSchedule({ verb: "set", what: named ?? "" }, possible);
  if (schedule === undefined) return undefined;
  const when = readNewTimes(text, schedule, state);
  if (when !== undefined) return change(schedule.id, { action: "change", when });
  if (resumed !== undefined) return change(schedule.id, { action: "resume" });
  if (pause !== undefined) {
    const { until } = pause;
    // "Stop it" deletes the schedule, as "stop listing my tasks" does.
    if (until === undefined && /^stop\b/iu.test(text))
      return PRONOUN.test(named ?? "")
        ? callSkill("schedule_delete", [{ id: schedule.id }], state)
        : undefined;
    if (until === undefined)
      return /^hold\b/iu.test(text) ? undefined : change(schedule.id, { action: "pause" });
    const day = readDay(until, state);
    return day === undefined ? undefined : pauseUntil(schedule, day, state);
  }
  const which = SKIP.exec(text)?.groups?.["which"];
  if (which === undefined) return undefined;
  const day = /(?:week|time|one|once|next|it)$/iu.test(which) ? undefined : readDay(which, state);
  return change(schedule.id, { action: "skip", ...(day !== undefined && { day }) });
}

function pauseUntil(
  schedule: ScheduleSubject,
  day: string,
  { request, skills }: PlanState,
): Resolution | undefined {
  if (!hasSkill({ skills }, "schedule_create")) return undefined;
  const pause = callOf("schedule_update", fromRequest({ id: schedule.id, action: "pause" }), request);
  const goal = `${RESUMES}${schedule.title}`;
  const resume = callOf("schedule_create", fromRequest({ goal, when: `${day} at 00:01` }), request);
  return { kind: "calls", calls: schedule.isPaused ? [resume] : [pause, resume] };
}

const PARTS = /(?:[,;.!]|\s[-–—])\s+|\s+(?:so|and\s+then)\s+/iu;
/** An order for a schedule in one of the clauses of a message, with the words around its verb. */
const CLAUSE_ORDER = new RegExp(
  [
    String.raw`^(?:(?:and|so|please|pls|just|then|can you|could you|now|ok|okay)\s+){0,4}(?:`,
    String.raw`(?<pause>pause|suspend|mute|silence|stop|hold)|(?<resume>resume|unpause|restart|continue|reactivate|start)|`,
    String.raw`(?<skip>skip|leave\s+out)|(?:turn|switch)\s+(?<between>\S+\s+)?(?:back\s+)?(?<onOff>on|off)`,
    String.raw`)(?![\p{L}'’-])(?<rest>.*)$`,
  ].join(""),
  "iu",
);
const IDLE_WORDS = oneOf(
  "it|its|that|this|them|one|the|a|my|again|already|back|up|on|off|from|until|till?|up|to|for|at|in|of",
  "please|pls|thanks|then|too|also|just|next|time|once|reminder|reminders|schedule|while|i['’]?m|i|am",
  "we['’]?re|we|are|away|on|holiday|holidays|vacation|gone|out|whole|all|week|month|instead|only",
);
/** Words that name no schedule and no time. */
const IDLE = new RegExp(String.raw`^${IDLE_WORDS}$`, "iu");
const THEN = /\b(?:then|that\s+(?:day|date))\b/iu;
const DURATION = /\bfor\s+(?<amount>(?:an?|one|two|three|four|five|six|\d{1,2})\s+(?:day|week|month)s?)\b/iu;
/** The maximum number of days of a period that are skipped one by one. */
const MAX_SKIPPED = 31;

/**
 * "I'm away until 7 December, pause it until then", "there's none next Tuesday! Skip it.": an order in one clause, whose day may
 * stand in another one. Undefined if another clause orders something, or if a word is neither known nor a part of a title.
 */
function readScheduleClauses(
  request: string,
  subjects: readonly ScheduleSubject[],
  state: PlanState,
): Resolution | undefined {
  if (request.length > MAX_ORDER || request.includes("?")) return undefined;
  const clauses = request
    .trim()
    .replace(/[\s.!]+$/u, "")
    .split(PARTS);
  const orders = clauses.filter((clause) => CLAUSE_ORDER.test(clause));
  const order = CLAUSE_ORDER.exec(orders[0] ?? "")?.groups;
  if (order === undefined || orders.length > 1) return undefined;
  const reasons = clauses.filter((clause) => !CLAUSE_ORDER.test(clause));
  const rest = `${order["between"] ?? ""} ${order["rest"] ?? ""}`;
  const { at, words } = findDates(rest, state);
  const schedule = findSchedule(words, subjects);
  if (schedule === undefined) return undefined;
  if (reasons.some((reason) => interpretAlone({ ...state, request: reason }).kind === "plan"))
    return undefined;
  const amount = DURATION.exec(rest)?.groups?.["amount"];
  const span = at ?? (amount === undefined ? undefined : findDates(`in ${amount}`, state).at);
  const isReferring = order["skip"] !== undefined || THEN.test(rest);
  const when =
    span ?? (isReferring ? reasons.flatMap((reason) => findDates(reason, state).at ?? [])[0] : undefined);
  const isWhole = order["onOff"] !== undefined || (order["resume"] !== undefined && schedule.isPaused);
  if (when === undefined && (reasons.length === 0 || THEN.test(rest)) && !isWhole) return undefined;
  const change = (args: Record<string, unknown>): PlannedCall =>
    callOf("schedule_update", fromRequest({ id: schedule.id, ...args }), state.request);
  if (order["resume"] !== undefined || /^on$/iu.test(order["onOff"] ?? ""))
    return when === undefined
      ? { kind: "calls", calls: [change({ action: "resume" })] }
      : pauseUntil(schedule, when.value.slice(0, 10), state);
  if (order["skip"] !== undefined) {
    const days = when === undefined ? [] : listDays(when, schedule);
    return days.length === 0
      ? undefined
      : { kind: "calls", calls: days.map((day) => change({ action: "skip", day })) };
  }
  if (when !== undefined) return pauseUntil(schedule, when.value.slice(0, 10), state);
  return order["onOff"] === undefined ? undefined : { kind: "calls", calls: [change({ action: "pause" })] };
}

const MONTH =
  /^(?:in\s+)?(?:(?:the\s+)?(?:whole|all)\s+(?:of\s+)?)?(?:january|february|march|april|may|june|july|august|september|october|november|december)$/iu;

/** A month without a day lasts until its end. */
function extendToMonth(span: DateSpan | undefined, words: string): DateSpan | undefined {
  if (span === undefined || !MONTH.test(words)) return span;
  const [year = 0, month = 0] = span.value.split("-").map(Number);
  return { ...span, last: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) };
}

/** The first day, moment or period that a clause names, and its other words. */
function findDates(clause: string, state: PlanState): { at: DateSpan | undefined; words: string[] } {
  const tokens = tokenize(clause);
  const spans = dateSpans(clause, tokens, clockFor(state)).filter(({ question }) => question === undefined);
  const rest = tokens.filter((_, index) => !spans.some(({ from, to }) => index >= from && index < to));
  const [first] = spans;
  const named = clause.slice(tokens[first?.from ?? -1]?.start ?? 0, tokens[(first?.to ?? 0) - 1]?.end ?? 0);
  return {
    at: extendToMonth(first, named),
    words: plainWords(
      rest
        .map(({ text }) => text)
        .join(" ")
        .replace(DURATION, " "),
    ),
  };
}

/** The only schedule with all words that name something; the newest one if no word does. */
function findSchedule(
  words: readonly string[],
  subjects: readonly ScheduleSubject[],
): ScheduleSubject | undefined {
  const naming = words.filter((word) => !IDLE.test(word) && !/^(?:s|m|re)$/u.test(word)).map(stem);
  const schedules = subjects.filter(({ title }) => !title.toLowerCase().startsWith(RESUMES));
  const named = schedules.filter(({ title }) =>
    naming.every((word) => plainWords(title).map(stem).includes(word)),
  );
  return naming.length === 0 ? schedules[0] : named.length === 1 ? named[0] : undefined;
}

/** The days of a period on which a schedule of certain weekdays runs; the day alone if it is one. */
function listDays({ value, last }: DateSpan, { when }: ScheduleSubject): string[] {
  if (last === value) return [value.slice(0, 10)];
  const weekdays = weekdaysIn(when);
  const days: string[] = [];
  for (
    let day = value.slice(0, 10);
    day <= last.slice(0, 10) && days.length < MAX_SKIPPED;
    day = addDays(day, 1)
  )
    if (weekdays.includes(WEEKDAYS[new Date(day).getUTCDay()] ?? "")) days.push(day);
  return days;
}

/** The schedule that words mean; the newest one for a pronoun or without words. */
function findMeantSchedule(
  { what, context }: ShortOrder,
  schedules: readonly ScheduleSubject[],
): ScheduleSubject | undefined {
  const titles = schedules.map(({ title }) => title);
  const words = what.replace(/\s+(?:one|reminder|schedule)s?$/iu, "").replace(/^(?:the|that|my)\s+/iu, "");
  const isPronoun = PRONOUN.test(what) || /^(?:time|day|reminder|schedule|one)?$/iu.test(words);
  const named = isPronoun
    ? ((context === undefined ? undefined : findMentionedName(context, titles)) ?? titles[0])
    : findMeantName(words, titles);
  return schedules.find(({ title }) => title === named);
}

/** The new times in words: "every Sunday at 19:00", "T08:30" for a time that keeps the days, "until 2026-12-31". */
function readNewTimes(text: string, { when }: ScheduleSubject, state: PlanState): string | undefined {
  const time = timeOfSchedule(when);
  const to = WITH_DAYS.exec(text)?.groups;
  // Only a schedule with days can get other days.
  if (to?.["days"] !== undefined)
    return weekdaysIn(when).length === 0
      ? undefined
      : formatRecurrence(weekdaysIn(to["days"]), to["time"] ?? time);
  const at = AT.exec(text)?.groups?.["time"];
  if (at !== undefined) return readClockTime(at, time, state);
  const until = LAST_DAY.exec(text)?.groups?.["until"];
  const day = until === undefined ? undefined : readDay(until, state);
  return day && `until ${day}`;
}

const EVERY_DAY = /\b(?<often>(?:every|each)\s+(?:single\s+)?(?:day|weekday)|daily)\b/iu;
const BUT_NOT_ON = new RegExp(
  String.raw`,?\s+(?:(?:but|and)\s+)?(?:not|never|except(?:\s+for)?|without)\s+${DAYS}(?=$|[\s,;.!])`,
  "iu",
);

/** "Every day at six remind me … but not on Sundays" with the days that are left; undefined for any other request. */
export function rewriteWithRemainingDays(request: string): string | undefined {
  if (request.length > MAX_ORDER) return undefined;
  const often = EVERY_DAY.exec(request)?.groups?.["often"];
  const excluded = BUT_NOT_ON.exec(request)?.groups?.["days"];
  if (often === undefined || excluded === undefined || !/\bremind\b/iu.test(request)) return undefined;
  const days = weekdaysIn(/weekday/iu.test(often) ? "every weekday" : "every day");
  const excludedDays = weekdaysIn(excluded);
  const remainingDays = days.filter((day) => !excludedDays.includes(day));
  if (remainingDays.length === 0 || remainingDays.length === days.length) return undefined;
  return request
    .replace(BUT_NOT_ON, "")
    .replace(EVERY_DAY, `every ${remainingDays.slice(0, -1).join(", ")} and ${remainingDays.at(-1) ?? ""}`);
}

const timeOfSchedule = (when: string): string | undefined =>
  / at (?<time>\d{2}:\d{2})/u.exec(when)?.groups?.["time"];

/** True for days that a request excludes: "and never on Wednesdays". */
export const isExcludingDays = (request: string): boolean =>
  request.length <= MAX_ORDER &&
  WITHOUT_DAYS.test(request.trim().replace(/(?:\s(?:either|please|pls|too))?[\s.!]*$/iu, ""));

/** The times of a schedule without days that a request excludes: "not on fridays". */
function readRemainingDays(text: string, { when }: ScheduleSubject): string | undefined {
  const excluded = WITHOUT_DAYS.exec(text.replace(/\s+please$/iu, ""))?.groups?.["days"];
  if (excluded === undefined) return undefined;
  const remainingDays = weekdaysIn(when).filter((day) => !weekdaysIn(excluded).includes(day));
  return remainingDays.length === 0 || remainingDays.length === weekdaysIn(when).length
    ? undefined
    : formatRecurrence(remainingDays, timeOfSchedule(when));
}

const formatRecurrence = (days: readonly string[], time = "09:00"): string =>
  `every ${days.join(" and ")} at ${time}`;

/** The days of the week that words for a recurrence name, from Monday on; none for intervals and days of the month. */
function weekdaysIn(words: string): string[] {
  const [sunday = "", ...others] = WEEKDAYS;
  const week = [...others, sunday];
  if (/\bevery day\b/iu.test(words)) return week;
  if (/\bevery weekday\b/iu.test(words)) return week.slice(0, 5);
  if (/\bweekends?\b/iu.test(words)) return week.slice(5);
  if (/\bevery \d|\bof every\b/iu.test(words)) return [];
  return week.filter((day) => new RegExp(String.raw`\b${day}s?\b`, "iu").test(words));
}

/** A time of the day as `T19:00`; a bare hour that is before noon stays in the half of the day that `before` (`HH:MM`) is in. */
function readClockTime(words: string, timeBefore: string | undefined, state: PlanState): string | undefined {
  const isBare = !/[ap]m|noon|midnight/iu.test(words);
  const parsed = readDateText(
    `today at ${words.replace(/^half\s+(?!past\b)/iu, "half past ")}`,
    clockFor(state),
  );
  if (parsed.kind !== "date" || !parsed.value.includes("T")) return undefined;
  const [hour = "", minute = ""] = formatMoment(parsed.value, state).slice(-"HH:MM".length).split(":");
  if (!isBare || timeBefore === undefined || isAfternoonHour(words)) return `T${hour}:${minute}`;
  const early = Number(hour) % 12;
  // Nobody means the middle of the night.
  const isMorning = timeBefore < "12:00" && early >= EARLIEST_HOUR;
  return `T${String(isMorning ? early : early + 12).padStart(2, "0")}:${minute}`;
}

const EARLIEST_HOUR = 4;
/** "13:30": hours that only the afternoon has, and "0:30". */
const isAfternoonHour = (words: string): boolean =>
  /^(?:at\s+)?(?:1[2-9]|2\d|00?)(?:\D|$)/u.test(words.trim());

/** The day that words mean, as `YYYY-MM-DD`. */
function readDay(words: string, state: PlanState): string | undefined {
  const parsed = readDateText(words, clockFor(state));
  return parsed.kind === "date" ? parsed.value.slice(0, 10) : undefined;
}

const clockFor = ({ requestedAt, timeZone, locale }: PlanState) => ({ now: requestedAt, timeZone, locale });

/** "Instead of 7:15" only names what was before. A plain “not” excludes days. */
const OLD_VALUE = new RegExp(String.raw`\s(?:${INSTEAD_OF}|and\s+not)\s+[^,;.!?]{1,30}$`, "iu");

const STOPS = /^\W*(?:(?:please|pls)\s+)?stop\s+\p{L}+ing\s/iu;

/** Ends the schedule that does what should stop: "stop listing my tasks". Undefined if none does. */
export function decideScheduleEnd(state: PlanState): PlannerDecision | undefined {
  if (!STOPS.test(state.request)) return undefined;
  const request = `${state.request.replace(/[\s.!]+$/u, "")} every day`;
  const reading = interpretAlone({ ...state, request });
  const isOfSchedule = ({ lookup, skill: id }: PlannedCall): boolean =>
    lookup !== undefined && state.skills.some((skill) => skill.id === id && skill.finds?.kind === "schedule");
  if (reading.kind !== "plan" || !reading.calls.some(isOfSchedule)) return undefined;
  const decision = stepOf(reading.calls, state);
  return isStuck(decision) ? undefined : decision;
}

import { oneOf } from "../text/patterns.ts";
import { numberInWords } from "../text/number-words.ts";
import { PART_HOURS } from "../text/recurrence.ts";
import { oneLine } from "../text/format.ts";
import { withoutTrailing } from "../text/words.ts";
import { type Clock, type DateSpan, formatMoment, instantOf, isoDay, wallTimeOf } from "./dates/clock.ts";
import { dateSpans, readDateText } from "./dates/dates.ts";
import type { Interpretation, PlannedCall } from "./grammar/plan.ts";
import { callOf, fromRequest } from "./references/planned.ts";
import { tokenize } from "./tokens/tokens.ts";

const REMINDER =
  /^(?:please\s+)?(?:(?:remind|nudge|ping) me|(?:set|create|add|make) (?:me )?a reminder)\b\s*/iu;
const LINK = /^(?:to|about|of|that|for)\s+/iu;
const ADVANCE = String.raw`(?<half>half an hour)|(?<quarter>(?:a )?quarter of an hour)|(?:(?<amount>an?|the|a couple of|\d{1,3}|(?!the\b|an?\b)\p{L}+)\s+)(?<unit>min(?:ute)?|h(?:ou)?r|day|week|evening|night|morning)s?`;
/** "an hour before the meeting", "the day before": what follows is the event. */
const BEFORE_EVENT = new RegExp(
  String.raw`(?<=^|[\s,])(?:${ADVANCE})\s+(?:before|ahead of|prior to|in advance of)\s+(?=\S)`,
  "iu",
);
/** "…, an hour before", "two days in advance": the event comes first. */
const AFTER_EVENT = new RegExp(
  String.raw`(?<=[\s,])(?:${ADVANCE})\s+(?:before(?:hand)?|earlier|in advance|ahead|ahead of time|prior)$`,
  "iu",
);
const EVERY = /\b(?:every|each|daily|weekly|monthly|always)\b/iu;

const EXAMPLE = "remind me an hour before the meeting on Tuesday at 14:00";

/** How long before an event: minutes, whole days, or the hour of the day before. */
type Advance = { minutes: number } | { days: number } | { hourOfDayBefore: number };

/**
 * Reads a reminder ahead of an event: "remind me an hour before the meeting on Tuesday at 2pm", "remind me to buy flowers
 * the day before the party on 5 June". Not understood without the time that the words count from; undefined for any
 * other request, and for a date alone ("a week before 24 December"), which is a date.
 */
export function readAdvanceReminder(request: string, clock: Clock): Interpretation | undefined {
  const text = withoutTrailing(request.trim(), /[.!\s]/u);
  const reminder = REMINDER.exec(text);
  if (reminder === null) return undefined;
  const content = text.slice(reminder[0].length);
  const found = BEFORE_EVENT.exec(content) ?? AFTER_EVENT.exec(content);
  const advance = found === null ? undefined : advanceOf(found.groups ?? {});
  if (found === null || advance === undefined || EVERY.test(content)) return undefined;
  const ahead = withoutTrailing(content.slice(0, found.index), /[\s,]/u);
  const behind = content.slice(found.index + found[0].length);
  const event = behind === "" ? ahead.replace(LINK, "") : behind;
  const tokens = tokenize(event);
  const date = dateSpans(event, tokens, clock).find(({ question }) => question === undefined);
  const start = tokens[date?.from ?? -1]?.start ?? 0;
  const end = tokens[(date?.to ?? 0) - 1]?.end ?? 0;
  const isDateAlone = date !== undefined && withoutPrepositions(event.slice(0, start)) === "";
  if (behind !== "" && isDateAlone) return undefined;
  const when = date && momentBefore(date, advance, clock);
  if (when === undefined || new Date(when) <= clock.now)
    return {
      kind: "not-understood",
      understood: [],
      unexplained: [found[0].trim()],
      nearest: [EXAMPLE],
      needsModel: false,
    };
  const purpose = event.slice(end).trim().replace(/^,\s*/u, "");
  const reminded =
    behind === "" ? "" : ahead.replace(LINK, "") || (LINK.test(purpose) ? purpose.replace(LINK, "") : "");
  const title = reminded === "" ? event.replace(/^(?:the|my|our)\s+(?=\S)/iu, "") : reminded;
  return {
    kind: "plan",
    calls: [callOf("remind", fromRequest({ text: title, when }), request)],
    readOnly: false,
  };
}

/** "Board meeting Thursday at 18, remind me an hour before": the event, and then what reminds of it. */
const EVENT_FIRST = new RegExp(
  [
    String.raw`^(?<event>[^?!\n]{4,120}?)(?:\s*[,;.:]\s*|\s[-–—]\s|\s)`,
    String.raw`(?:(?:so|and|please|pls|then|can you|could you)\s){0,3}(?:remind|nudge|ping|wake|alert|warn|notify)\sme\b`,
    String.raw`(?<rest>\s[^?!\n,;]{2,80}?)(?:\s(?:please|pls|thanks))?[\s.!]*$`,
  ].join(""),
  "iu",
);
/** What the person only says of the event: "I have a dentist appointment". */
const OWNED =
  /^(?:(?:i|we)(?:['’]ve|\s+have)?\s+(?:got\s+)?(?=(?:an?|the|my|our)\s))?(?:(?:an?|the|my|our)\s+)?/iu;
const HANGING = /(?:\s+(?:is|are|on|at|from|for|['’]s))+$/iu;
const HOUR_MS = 3_600_000;

/** An event with its moment or day, and when the person is to be reminded of it. */
interface EventReminder {
  /** The words before the reminder. */
  event: string;
  reading: Interpretation;
}

/**
 * Reads a reminder after the event that it is for: "vet's coming Tuesday at 2, remind me at 1", "exam on 12 December, remind me a
 * week before". A time alone is the last one before the event. Undefined without a date in the event, and for a moment that is
 * not before it.
 */
export function readEventReminder(request: string, clock: Clock): EventReminder | undefined {
  const { event, rest = "" } = EVENT_FIRST.exec(oneLine(request))?.groups ?? {};
  if (event === undefined) return undefined;
  const tokens = tokenize(event);
  const date = dateSpans(event, tokens, clock).find(({ question }) => question === undefined);
  const [first, last] = [tokens[date?.from ?? -1], tokens[(date?.to ?? 0) - 1]];
  if (date === undefined || first === undefined || last === undefined) return undefined;
  const { 1: times = "", 2: purpose = "" } =
    /^(.*?)(?:\s(?:to|about|of|that)\s(.+))?$/iu.exec(rest.trim()) ?? [];
  const when = momentOfReminder(times, date, clock);
  if (when === undefined || new Date(when) <= clock.now) return undefined;
  const name = `${event.slice(0, first.start)}${event.slice(last.end)}`.replaceAll(/\s+/gu, " ").trim();
  const subject = name.replace(OWNED, "").replace(HANGING, "");
  if (subject === "") return undefined;
  const text = `${purpose === "" ? subject : purpose} (${describeDate(date.value, when, clock)})`;
  return {
    event,
    reading: {
      kind: "plan",
      calls: [callOf("remind", fromRequest({ text, when }), request)],
      readOnly: false,
    },
  };
}

/** When an event is: only its time if the reminder is on the same day, which then may be moved with it. */
function describeDate(value: string, reminder: string, clock: Clock): string {
  if (!value.includes("T")) return value;
  const [day = "", time = ""] = formatMoment(value, clock).split(" ");
  return reminder.includes("T") && formatMoment(reminder, clock).startsWith(day) ? time : `${day} ${time}`;
}

function momentOfReminder(times: string, event: DateSpan, clock: Clock): string | undefined {
  const ahead = AFTER_EVENT.exec(` ${times}`);
  const advance = ahead === null ? undefined : advanceOf(ahead.groups ?? {});
  if (advance !== undefined) return momentBefore(event, advance, clock);
  const read = readDateText(times, clock);
  if (read.kind !== "date" || event.last !== event.value) return undefined;
  const limit = event.value.includes("T") ? event.value : `${event.value}T23:59:59.999Z`;
  const hasDay =
    /\p{L}{3,}day|tomorrow|today|tonight|\d{4}|\d[./]\d|january|february|march|april|may|june|july|august|september|october|november|december/iu.test(
      times,
    );
  if (hasDay) return new Date(read.value) < new Date(limit) ? read.value : undefined;
  if (!event.value.includes("T") || !read.value.includes("T")) return undefined;
  const { hour, minute } = wallTimeOf(new Date(read.value), clock.timeZone);
  const day = wallTimeOf(new Date(event.value), clock.timeZone);
  const isBare = !/[ap]m\b|noon|midnight|morning|evening|night/iu.test(times);
  const hours =
    isBare && hour > 0 && hour <= 12
      ? [hour % 12, (hour % 12) + 12]
      : isBare && hour > 12 && !/1[3-9]|2[0-3]/u.test(times)
        ? [hour - 12, hour]
        : [hour];
  const moments = hours.map((one) => instantOf({ ...day, hour: one, minute }, clock.timeZone).getTime());
  const before = moments.filter((moment) => moment < Date.parse(event.value));
  const latest = Math.max(...before);
  return before.length > 0 && Date.parse(event.value) - latest < 12 * HOUR_MS
    ? new Date(latest).toISOString()
    : undefined;
}

function advanceOf({
  half,
  quarter,
  amount = "",
  unit = "",
}: Partial<Record<string, string>>): Advance | undefined {
  if (half !== undefined) return { minutes: 30 };
  if (quarter !== undefined) return { minutes: 15 };
  const word = amount.toLowerCase();
  const count = /^(?:an?|the)$/u.test(word)
    ? 1
    : word === "a couple of"
      ? 2
      : /^\d/u.test(word)
        ? Number(word)
        : numberInWords(word);
  if (count === undefined || count === 0) return undefined;
  const hour = PART_HOURS[unit.toLowerCase()];
  if (hour !== undefined) return count === 1 ? { hourOfDayBefore: hour } : undefined;
  switch (unit.toLowerCase()[0]) {
    case "m":
      return { minutes: count };
    case "h":
      return { minutes: count * 60 };
    case "d":
      return { days: count };
    default:
      return { days: count * 7 };
  }
}

/** The moment as a timestamp, or the day if the event has no time; undefined for minutes before a whole day. */
function momentBefore({ value }: DateSpan, advance: Advance, { timeZone }: Clock): string | undefined {
  const isMoment = value.includes("T");
  if ("minutes" in advance)
    return isMoment ? new Date(Date.parse(value) - advance.minutes * 60_000).toISOString() : undefined;
  const [year = 0, month = 0, day = 0] = value.split("-").map(Number);
  const wall = isMoment ? wallTimeOf(new Date(value), timeZone) : { year, month, day, hour: 0, minute: 0 };
  if ("hourOfDayBefore" in advance)
    return instantOf(
      { ...wall, day: wall.day - 1, hour: advance.hourOfDayBefore, minute: 0 },
      timeZone,
    ).toISOString();
  const earlier = { ...wall, day: wall.day - advance.days };
  return isMoment ? instantOf(earlier, timeZone).toISOString() : isoDay(earlier);
}

const withoutPrepositions = (words: string): string => words.replace(/\b(?:the|on|at)\b/giu, "").trim();

const CREATE = "task_create";
const DATE_BEGINS_WORDS = oneOf(
  "by|on|at|before|until|till|for|in|next|this|tomorrow|today|tonight",
  String.raw`(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?:st|nd|rd|th)?\s`,
);
/** Words with which a date at the end of a title begins. */
const DATE_BEGINS = new RegExp(String.raw`^${DATE_BEGINS_WORDS}`, "iu");
const MAX_DATE_WORDS = 5;

/**
 * Gives each of several tasks its own date: "order ropes by 10 December, ask the town, close the books by 15 January". The date at the
 * end then is that of the last one. Without another date it is that of all, and the interpretation is returned unchanged.
 */
export function withOwnDates(interpretation: Interpretation, clock: Clock): Interpretation {
  if (interpretation.kind !== "plan") return interpretation;
  const { calls } = interpretation;
  const made = calls.filter(({ skill }) => skill === CREATE);
  const [first] = made;
  const isOneOrder = made.length > 1 && made.every(({ clause }) => clause === first?.clause);
  const read = isOneOrder ? new Map(made.map((call) => [call, ownDate(call, clock)])) : undefined;
  if (read === undefined || ![...read.values()].some((own) => own !== undefined)) return interpretation;
  const last = made.at(-1);
  return {
    ...interpretation,
    calls: calls.map((call) => {
      const own = read.get(call);
      if (!read.has(call) || (own === undefined && call === last)) return call;
      const { due: _shared, ...args } = call.args;
      if (own === undefined) return { ...call, args };
      const { title, due } = own;
      const requested = {
        title: { from: "request", value: title },
        due: { from: "request", value: due },
      } as const;
      return { ...call, args: { ...args, ...requested } };
    }),
  };
}

/** The title without the date at its end, and this date; undefined for a title without one. */
function ownDate({ args }: PlannedCall, clock: Clock): { title: string; due: string } | undefined {
  const given = args["title"];
  if (given?.from !== "request" || typeof given.value !== "string") return undefined;
  const words = given.value.split(/\s+/u);
  for (let count = Math.min(MAX_DATE_WORDS, words.length - 1); count > 0; count--) {
    const tail = words.slice(-count).join(" ");
    if (!DATE_BEGINS.test(`${tail} `)) continue;
    const read = readDateText(tail.replace(/^(?:by|before|for)\s+/iu, ""), clock);
    if (read.kind === "date") return { title: words.slice(0, -count).join(" "), due: read.value };
  }
  return undefined;
}

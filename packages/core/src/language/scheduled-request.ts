import { oneOf } from "../text/patterns.ts";
import { mayRecur, recurrenceAt } from "../text/recurrence.ts";
import { isLongText } from "./tokens/rewritable-text.ts";
import { withoutTrailing } from "../text/words.ts";
import { type Clock, type DateSpan, dayOf } from "./dates/clock.ts";
import { correctDateWords, mayBeCorrected } from "./dates/date-words.ts";
import { readDateText } from "./dates/dates.ts";
import type { InterpretationContext } from "./grammar/match.ts";
import type { SkillGrammar } from "./grammar/phrase.ts";
import type { Interpretation, PlannedCall, PlannedValue } from "./grammar/plan.ts";
import { textBetween } from "./slots/slot-reader.ts";
import { afterFiller, trailingFiller } from "./tokens/filler-phrases.ts";
import { quotationsIn, type Token } from "./tokens/tokens.ts";

/** The skills that schedule recurring or later requests. */
const CREATE = "schedule_create";
const DELETE = "schedule_delete";
const REMIND = "remind";

const POLITE = /^(?:please|could you|can you|would you|i want you to|i would like you to)\s+/iu;
/** "Remind me", "nudge me", "set a reminder": the text of the reminder follows. */
const REMINDER =
  /^(?:(?:remind|nudge|ping) me|(?:set|create|add|make) (?:me )?an? (?:recurring |daily |weekly )?reminder)\b\s*/iu;
const LINK = /^(?:to|about|of|that|for)\s+/iu;
/** A longer request has its recurrence at its beginning, or is a text. */
const MAX_LENGTH = 1_000;
const MAY_BE_ORDER_WORDS = oneOf(
  "is|are|was|were|has|have|had|feels?|seems?|will|would|i|we|you|he|she|it|they|there|nobody|everybody",
  "everyone",
);
/** False for a statement about a day: "every monday is hard", "on mondays I feel tired". */
export const MAY_BE_ORDER = new RegExp(String.raw`^(?!${MAY_BE_ORDER_WORDS}(?![\p{L}'’]))`, "iu");
const OPENER = /^(?:every|each|on)\s/iu;

/**
 * Reads a request with a recurrence: "every weekday at 7:30 summarize a.md into b.md", "remind me every Friday to call
 * mum", "list my tasks every morning". Undefined for any other request. A recurrence at the end or before "and" counts
 * only if `isPlan` accepts the rest as a request.
 */
export function readScheduledRequest(
  request: string,
  { skills, clock, isPlan }: ScheduleReader,
): Interpretation | undefined {
  const text = withoutTrailing(request.trim().replace(POLITE, ""), /[.!\s]/u);
  const limited = withoutUntil(text, clock);
  const read = (words: string) => readRecurring(request, words, { skills, clock, isPlan });
  const whole = limited?.isOfGoal === false ? undefined : read(text);
  // "Every day list the tasks until Friday" is about tasks.
  if (limited === undefined || whole?.kind === "plan") return whole;
  const recurring = read(limited.text);
  if (recurring?.kind !== "plan") return whole ?? read(text);
  const limit = (value: PlannedValue | undefined): PlannedValue => ({
    from: "request",
    value: `${value?.from === "request" ? String(value.value) : ""} until ${limited.until}`,
  });
  return {
    ...recurring,
    calls: recurring.calls.map((call) => ({
      ...call,
      args: { ...call.args, when: limit(call.args["when"]) },
    })),
  };
}

interface ScheduleReader {
  skills: readonly SkillGrammar[];
  clock: Clock;
  /** True for words that are a request by themselves. */
  isPlan: (goal: string) => boolean;
}

const UNTIL = /(?<=^|[\s,])(?:up\s+)?(?:until|till?|through)\s+(?=\S)/giu;
const MAX_UNTIL_WORDS = 6;
/** At the end of these, "until Friday" is never a part of what recurs. */
const REMINDS = /\b(?:remind|nudge|ping|reminder|wake)\b/iu;

/**
 * A text without its last day, "until Christmas", and this day as `YYYY-MM-DD`; `isOfGoal` if the words may belong to what
 * recurs: they do not follow the words for the recurrence. Undefined for a text without a last day.
 */
function withoutUntil(
  text: string,
  clock: Clock,
): { text: string; until: string; isOfGoal: boolean } | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const quotations = quotationsIn(text);
  for (const { 0: link, index } of text.matchAll(UNTIL)) {
    if (quotations.some(({ start, end }) => start < index && index < end)) continue;
    const rest = text.slice(index + link.length);
    const ends = [...rest.matchAll(/\S+/gu)]
      .slice(0, MAX_UNTIL_WORDS)
      .map((word) => word.index + word[0].length);
    for (const end of ends.toReversed()) {
      const read = readDateText(`until ${rest.slice(0, end).replace(/[,.:;]+$/u, "")}`, clock);
      if (read.kind !== "date" || read.value.includes("T")) continue;
      const before = withoutTrailing(text.slice(0, index), /[\s,]/u);
      const after = rest.slice(end).trimStart();
      const isAfterTimes = before === "" || splitRecurrence(`x ${before}`) !== undefined;
      return {
        text: [before, after].filter((part) => part !== "").join(" "),
        until: read.value,
        isOfGoal: after === "" && !isAfterTimes && !REMINDS.test(before),
      };
    }
  }
  return undefined;
}

function readRecurring(
  request: string,
  text: string,
  { skills, isPlan }: ScheduleReader,
): Interpretation | undefined {
  const offers = (id: string) => skills.some((skill) => skill.id === id);
  const reminder = REMINDER.exec(text);
  if (reminder) {
    const content = text
      .slice(reminder[0].length)
      .replace(/^(?:for\s+)(?=every|each)/iu, "")
      .replace(DAYS_OF_WEEK, "every $&");
    return offers(REMIND) ? recurringReminder(request, splitRecurrence(content), content) : undefined;
  }
  if (!offers(CREATE)) return undefined;
  const leading = atBeginning(text);
  const later = leading && REMINDER.exec(leading.rest);
  if (leading && later && offers(REMIND))
    return recurringReminder(request, { ...leading, rest: leading.rest.slice(later[0].length) }, text);
  const waking = WAKES.test(text) ? splitRecurrence(text) : undefined;
  if (waking && ONLY_WAKES.test(waking.rest) && offers(REMIND))
    return plan(request, REMIND, { text: "wake up", when: waking.when }, "text");
  // "Every day please" says when, and not what.
  if (leading && ONLY_FILLER.test(leading.rest)) return notUnderstood(text);
  const isOrder = leading && ((OPENER.test(text) && MAY_BE_ORDER.test(leading.rest)) || isPlan(leading.rest));
  if (leading && isOrder)
    return EXCEPTED_DAY.test(leading.rest) || (TIME_WORD.test(leading.rest) && !isPlan(leading.rest))
      ? notUnderstood(text)
      : plan(request, CREATE, { goal: shownGoal(leading.rest, isPlan), when: leading.when }, "goal");
  const found = [atEnd(text), recurrenceBeforeAnd(text)].flatMap((one) => {
    const goal = one && shownGoal(one.rest, isPlan);
    return one && goal !== undefined && isPlan(goal) ? [{ ...one, rest: goal }] : [];
  })[0];
  return found && plan(request, CREATE, { goal: found.rest, when: found.when }, "goal");
}

/** Words for what is shown at a time, in a form that is not an order by itself: "wake me with the to-do list". */
const DELIVERS = new RegExp(
  [
    String.raw`^(?:(?:wake|greet|surprise) me(?: up)?(?: in the morning)? with`,
    String.raw`(?:start|begin|open) (?:my|the|our) (?:day|morning|week) with`,
    String.raw`(?:send|text|message|mail|email|brief|update|inform|tell) me(?: (?:on|about|of|with))?)\s+`,
  ].join("|"),
  "iu",
);
const WAKES = /\bwake me\b/iu;
const ONLY_WAKES = /^wake me(?: up)?[\s.!]*$/iu;

/** The goal as the order to show what it delivers, if it is not an order by itself and shows something. */
function shownGoal(goal: string, isPlan: (goal: string) => boolean): string {
  const delivered = goal.replace(DELIVERS, "show me ");
  return delivered !== goal && !isPlan(goal) && isPlan(delivered) ? delivered : goal;
}

const ONLY_FILLER = /^(?:(?:please|pls|thanks|thank you|then|too|instead|now|again)[\s,.!]*)*$/iu;

const STOPS = /^stop\s+(?=\p{L}+ing(?!\p{L}))/iu;
/** Without "any more", "don't" forbids what has not begun; with it, the person is asked. */
const FORBIDS =
  /^(?:(?:do not|don['’]?t|no longer)|i (?:do not|don['’]t) want you to)\s+(?=.*\s(?:any\s?more|any longer)$)/iu;
const ANY_MORE = /\s+(?:any\s?more|any longer|from now on)$/iu;
const REMINDED = /^(?:reminding|remind) me\s+/iu;

/**
 * Reads a request that ends what recurs: "stop listing my tasks every day". The words without the recurrence name the
 * schedule. Undefined for any other request.
 */
export function readScheduleEnd(
  request: string,
  skills: readonly SkillGrammar[],
  read: (goal: string) => Interpretation,
): Interpretation | undefined {
  if (!skills.some(({ id }) => id === DELETE) || isLongText(request)) return undefined;
  const text = withoutTrailing(request.trim().replace(POLITE, ""), /[.!\s]/u).replace(/,?\s+please$/iu, "");
  const stops = STOPS.exec(text);
  const words = (stops ?? FORBIDS.exec(text))?.[0];
  if (words === undefined) return undefined;
  const ended = text.slice(words.length).replace(ANY_MORE, "");
  const reminded = ended.replace(REMINDED, "");
  // "Don't remind me about the plants any more" names the reminder without its recurrence.
  const rest = splitRecurrence(reminded)?.rest ?? (reminded === ended || stops ? "" : reminded);
  const name = rest.replace(LINK, "").replace(/^(?:the|my|our)\s+/iu, "");
  if (name === "") return undefined;
  const order = `delete the schedule called ${name}`;
  if (!stops) return { ...notUnderstood(text), instead: [order] };
  const reading = read(order);
  return reading.kind === "plan"
    ? { ...reading, calls: reading.calls.map((call) => ({ ...call, clause: request })) }
    : undefined;
}

/** Words that can only be a recurrence: at the beginning or the end of a reminder's text. */
const HOW_OFTEN = new RegExp(
  [
    String.raw`^(?:every|each|daily|weekly|monthly|yearly|hourly|nightly|fortnightly|bi-?weekly|quarterly|(?:once|twice|\w+ times) (?:an?|per|every|each))\b(?!['’])`,
    String.raw`\b(?:once|twice|\w+ times) (?:an?|per|every|each) (?:day|week|month|year|hour|minute)$`,
  ].join("|"),
  "iu",
);
/** What is left of words for a time in front of what is to be done: "at breakfast to take the pills". */
const TIME_WORD = /^(?:at|on|in|from|between|until|till|before|after|during|except)\b/iu;
/** What is left of several times: "and at 6 pm to stretch", "but not on friday at 8 to walk". */
const REST_OF_LIST = /^(?:but|and|or|not|except|evening|morning|afternoon|night)\b/iu;
/** Days on which something recurring is not to be done. */
const EXCEPTED_DAY =
  /\b(?:not|except|unless|apart from|other than)\b.*\b(?:weekends?|weekdays?|holidays?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b/iu;
const WEEKDAY = String.raw`(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*`;
/** "On Tuesday and Thursday", "Monday, Wednesday and Friday". */
const SEVERAL_DAYS = new RegExp(
  String.raw`^(?:on\s+)?${WEEKDAY}(?:\s*,\s*|,?\s+and\s+)(?:on\s+)?${WEEKDAY}\b`,
  "iu",
);
/** "Remind me Monday to Friday": the days of every week. */
const DAYS_OF_WEEK = new RegExp(
  String.raw`^(?:from\s+)?${WEEKDAY}\s*(?:-|–|\b(?:to|through|thru)\b)\s*${WEEKDAY}\b`,
  "iu",
);
const REST_OF_TIME = new RegExp(`${TIME_WORD.source}.*\\b(?:to|remind me)\\b`, "iu");

/**
 * A recurring reminder. One with a recurrence that is not understood is not understood: a task with these words as its
 * title would look like a success. Undefined for a reminder without a recurrence.
 */
function recurringReminder(
  request: string,
  found: SplitRecurrence | undefined,
  text: string,
): Interpretation | undefined {
  const isPartly = found !== undefined && (REST_OF_TIME.test(found.rest) || REST_OF_LIST.test(found.rest));
  if (found && !isPartly)
    return plan(request, REMIND, { text: found.rest.replace(LINK, ""), when: found.when }, "text");
  // Several days may be those of this week, or of every week.
  if (found === undefined && SEVERAL_DAYS.test(text)) {
    const everyWeek = `remind me every ${text.replace(/^on\s+/iu, "")}`;
    return { ...notUnderstood(text), instead: [everyWeek] };
  }
  if (!isPartly && !HOW_OFTEN.test(text)) return undefined;
  return notUnderstood(text);
}

const notUnderstood = (words: string): Extract<Interpretation, { kind: "not-understood" }> => ({
  kind: "not-understood",
  understood: [],
  unexplained: [words],
  nearest: [
    "remind me every other Monday at 19:00 to put out the bin",
    "remind me twice a day to stretch",
    "every weekday at 7:30 list my tasks",
  ],
  needsModel: false,
});

/** What ends a day or a time in front of an order: "tomorrow at 8: …". */
const SEPARATOR = /^[,:–—-]$/u;

/**
 * Reads a request with a single time: "tomorrow at 8 read a.md", "list my tasks on Friday at 9". Undefined for any
 * other request, without a time of day, and for a moment in the past. At the end, a moment counts only after a request
 * without free text, because a free text often contains it.
 */
export function readLaterRequest(
  context: Pick<InterpretationContext, "request" | "tokens" | "dates" | "clock" | "grammar">,
  read: (goal: string) => Interpretation,
): Interpretation | undefined {
  const { request, tokens, grammar, clock } = context;
  const offers = (id: string) => grammar.skills.some((skill) => skill.id === id);
  if (!offers(CREATE)) return undefined;
  const certain = context.dates().filter(({ question }) => question === undefined);
  const spans = certain
    .filter(({ value }) => value.includes("T") && Date.parse(value) > clock.now.getTime())
    .toSorted((one, other) => other.to - one.to);
  const { at } = afterFiller(tokens, 0, tokens.length);
  const first = /^(?:on|at|in)$/u.test(tokens[at]?.text ?? "") ? at + 1 : at;
  const isFirst = ({ from }: DateSpan): boolean => from === at || from === first;
  const leading = spans.find(isFirst);
  // "In 2 weeks remind me to renew the lease": a day is enough for a reminder.
  const day = leading === undefined ? certain.find(isFirst) : undefined;
  const reminded = day && REMINDER.exec(goalOf(request, tokens, day.to, tokens.length));
  if (day && reminded && day.value > dayOf(clock)) {
    const text = goalOf(request, tokens, day.to, tokens.length).slice(reminded[0].length).replace(LINK, "");
    return text === "" ? undefined : read(`remind me on ${day.value} to ${text}`);
  }
  if (leading) {
    let start = leading.to;
    while (SEPARATOR.test(tokens[start]?.text ?? "")) start++;
    const goal = goalOf(request, tokens, start, tokens.length);
    const reminder = REMINDER.exec(goal);
    if (reminder && offers(REMIND)) {
      const text = goal.slice(reminder[0].length).replace(LINK, "");
      return text === "" ? undefined : plan(request, REMIND, { text, when: leading.value }, "text");
    }
    return goal !== "" && read(goal).kind === "plan"
      ? plan(request, CREATE, { goal, when: leading.value }, "goal")
      : undefined;
  }
  const trailing = spans.find(({ to }) => trailingFiller(tokens, to, tokens.length) !== undefined);
  if (!trailing || trailing.from <= at) return undefined;
  const end = /^(?:on|at|in)$/u.test(tokens[trailing.from - 1]?.text ?? "")
    ? trailing.from - 1
    : trailing.from;
  const goal = goalOf(request, tokens, at, end);
  const later = read(goal);
  return goal !== "" && later.kind === "plan" && later.calls.every(isWhole) && isCertainPlan(later)
    ? plan(request, CREATE, { goal, when: trailing.value }, "goal")
    : undefined;
}

const goalOf = (request: string, tokens: readonly Token[], from: number, to: number): string =>
  withoutTrailing(textBetween(request, tokens, from, to), /[\s.,!]/u);

/** A plan that has to ask for nothing: nobody is there to answer when it is carried out later. */
const isWhole = ({ args }: PlannedCall): boolean =>
  Object.values(args).every(({ from }) => from !== "answer");

/** A plan in which no argument is free text, except web addresses: what follows it cannot be a part of one. */
export function isCertainPlan(interpretation: Interpretation): boolean {
  return (
    interpretation.kind === "plan" &&
    interpretation.calls.every(({ args, freeText }) => freeText.every((name) => isAddress(args[name])))
  );
}

const isAddress = (argument: PlannedValue | undefined): boolean =>
  argument?.from === "request" &&
  typeof argument.value === "string" &&
  /^https?:\/\/\S+$/iu.test(argument.value);

/** Words for a recurrence, and what is left of a text without them. */
interface SplitRecurrence {
  when: string;
  rest: string;
}

/** Removes the words for a recurrence from the beginning or the end of a text; undefined for a text without them. */
export const splitRecurrence = (text: string): SplitRecurrence | undefined =>
  atBeginning(text) ?? atEnd(text);

function atBeginning(text: string): SplitRecurrence | undefined {
  const part = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
  const corrected = correctDateWords(part);
  const found = recurrenceAt(corrected.text);
  if (!found) return undefined;
  const when = corrected.text.slice(0, found.length);
  const after = text.slice(corrected.original(found.length));
  const rest = after.replace(/^[\s,:–—-]+/u, "");
  return rest === "" || !/^[\s,:]/u.test(after) ? undefined : { when, rest };
}

/** The positions at which words end, outside of quotations, which contain no times of the request. */
function gapsBetweenWords(text: string): number[] {
  const quotations = quotationsIn(text);
  return [...text.matchAll(/(?<=\S)\s+(?=\S)/gu)]
    .map(({ index }) => index)
    .filter((index) => !quotations.some(({ start, end }) => start < index && index < end));
}

/** False for a long text, and for one without a word of a recurrence, also a misspelled one. */
const mayHoldRecurrence = (text: string): boolean =>
  text.length <= MAX_LENGTH && (mayRecur(text) || mayBeCorrected(text));

function atEnd(text: string): SplitRecurrence | undefined {
  if (!mayHoldRecurrence(text)) return undefined;
  for (const index of gapsBetweenWords(text)) {
    const tail = correctDateWords(text.slice(index).trimStart()).text;
    if (recurrenceAt(tail)?.length !== tail.length) continue;
    const rest = withoutTrailing(text.slice(0, index), /[\s,]/u);
    return rest === "" ? undefined : { when: tail, rest };
  }
  return undefined;
}

/** "check https://… every hour and tell me when it changes": the recurrence belongs to the whole. */
function recurrenceBeforeAnd(text: string): SplitRecurrence | undefined {
  if (!mayHoldRecurrence(text)) return undefined;
  for (const index of gapsBetweenWords(text)) {
    const tail = text.slice(index).trimStart();
    const corrected = correctDateWords(tail);
    const found = recurrenceAt(corrected.text);
    const after = found && tail.slice(corrected.original(found.length));
    const and = after === undefined ? undefined : /^\s*,?\s*(?=and\s)/iu.exec(after);
    if (!found || after === undefined || !and) continue;
    const before = withoutTrailing(text.slice(0, index), /[\s,]/u);
    return { when: corrected.text.slice(0, found.length), rest: `${before} ${after.slice(and[0].length)}` };
  }
  return undefined;
}

function plan(
  clause: string,
  skill: string,
  args: Readonly<Record<string, string>>,
  freeText: string,
): Interpretation {
  const call: PlannedCall = {
    skill,
    args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { from: "request", value }])),
    clause,
    invented: [],
    freeText: [freeText],
    lookup: undefined,
  };
  return { kind: "plan", calls: [call], readOnly: false };
}

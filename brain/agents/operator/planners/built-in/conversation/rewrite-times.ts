import { oneOf } from "@metahuman/core/text/patterns";
import { addDays, formatDue } from "@metahuman/core/language/dates/clock";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { MONTHS } from "@metahuman/core/contract/calendar-names";
import { dayOfOrdinal, ORDINAL_DAY } from "@metahuman/core/language/dates/date-words";
import type { PlanState } from "../../../planner.ts";
import { TASK_VERB_FIRST } from "../tasks/short-task-orders.ts";
import { phraseTaskOrder, withTitle } from "../tasks/task-order.ts";
import { stripFiller } from "./short-orders.ts";
import { findMeantName, findMentionedName, type Subject, findSubjects } from "./subjects.ts";
import { MAX_REQUEST } from "./limits.ts";
import { SAME_DAY } from "./last-request.ts";

// Rewrites the times of a request: "at the same time" and "the day before" as the time and day that the conversation knows, "on the
// eleventh" as "on the 11th", and "tomorrow at 11 I tune the piano, put it in my tasks" with the order first.

const SAME_TIME = /\b(?:at\s+)?(?:the\s+)?same\s+(?:time|hour)\b/iu;
const NEXT_DAY =
  /\b(?:on\s+)?the\s+(?:day|evening|night)\s+(?<side>before|after)(?=$|[\s.!?,]*$|[\s,]+(?:at|to|in|around|from)\b|[\s,]+\d)/iu;
/** "And the same on saturday" */
const SAME_AGAIN =
  /^(?:and\s+|also\s+|then\s+|now\s+)*(?:do\s+|set\s+|add\s+)?(?:the\s+)?same(?:\s+(?:again|thing|task|reminder|one))?\s+(?<when>(?:on|for|at|next|this|tomorrow|in)\b.{2,60}?)[\s.!]*$/iu;

interface KnownTime {
  title: string;
  /** The local day, if there is one: "2026-12-01". */
  day?: string;
  /** The local time, if there is one: "17:30". */
  time?: string;
  isReminder: boolean;
}

/**
 * The request with the times that it takes from the conversation: "the same time", "that day", "the day before", "and the same on
 * Saturday". Undefined if it takes none, and if the conversation knows none.
 */
export async function rewriteTimes(state: PlanState): Promise<string | undefined> {
  const { request } = state;
  if (request.length > MAX_REQUEST) return undefined;
  const other = rewriteReminder(state) ?? (await rewriteSameForTask(state));
  if (other !== undefined) return other;
  const same = SAME_AGAIN.exec(request.trim())?.groups?.["when"];
  // "Same for me" names no time.
  const timeOfRepeat = same !== undefined && findDateSpans(same, state).length > 0 ? same : undefined;
  const isTimed =
    timeOfRepeat !== undefined || SAME_TIME.test(request) || SAME_DAY.test(request) || NEXT_DAY.test(request);
  if (!isTimed) return undefined;
  const knownTimes = (await findSubjects(state)).flatMap((subject) => timesOfSubject(subject, state));
  const titles = knownTimes.map(({ title }) => title);
  const knownTime =
    knownTimes.find(({ title }) => title === findMentionedName(request, titles)) ?? knownTimes[0];
  if (knownTime === undefined) return undefined;
  const { title, day, time, isReminder } = knownTime;
  if (timeOfRepeat !== undefined) {
    const isTimeNamed = /\d[:.]\d|\bat\s+\d|\d\s?[ap]m\b/iu.test(timeOfRepeat);
    const when = time === undefined || isTimeNamed ? timeOfRepeat : `${timeOfRepeat} at ${time}`;
    return isReminder ? `remind me ${when} to ${title}` : `add a task ${title} ${when}`;
  }
  let replaced = request;
  if (time !== undefined) replaced = replaced.replace(SAME_TIME, `at ${time}`);
  if (day !== undefined)
    replaced = replaced
      .replace(SAME_DAY, `on ${day}`)
      .replace(NEXT_DAY, (_, side: string) => `on ${addDays(day, /before/iu.test(side) ? -1 : 1)}`);
  return replaced === request ? undefined : replaced;
}

/** "Remind tomorrow 8 am charge battery", "reminder also monday 17 00 pay the phone": who is reminded is left out, or the hour is written apart. */
const REMINDS =
  /^(?:(?:and|also|please|pls|plz|then|ok|okay|now|oh)[\s,]+)*(?:remind(?<me>\s+me)?|reminder)\s+(?:(?:also|too|again|please|pls|plz)\s+)*(?<rest>\S[^\n?]*)$/iu;
const TIME_APART =
  /(?<![\p{L}\d.:,]|(?<!\d)\d{1,2}\s)(?<hour>[01]?\d|2[0-3])\s(?<minutes>[0-5]\d)(?![\p{L}\d.:,%€$£]|\s\d)/u;

/** A reminder whose time comes first, in the usual words; undefined for any other request, and for one in the usual words already. */
function rewriteReminder(state: PlanState): string | undefined {
  const { me, rest = "" } = REMINDS.exec(state.request.trim())?.groups ?? {};
  const timed = rest.replace(TIME_APART, "$<hour>:$<minutes>");
  if (rest === "" || (me !== undefined && timed === rest)) return undefined;
  for (const words of new Set([timed, rest])) {
    const [first] = findDateSpans(words, state);
    const isFirst =
      first !== undefined && /^(?:(?:on|at|by|for|in)\s+)?$/iu.test(words.slice(0, first.start));
    const isWhole = words === rest || first === undefined || words.indexOf(":") < first.end;
    const what = words.slice(first?.end).trim();
    if (!isFirst || !isWhole || what === "") continue;
    // "Tomorrow 9 call Bob"
    const [, hour, act = ""] = /^(\d{1,2})\s+(.+)$/u.exec(what) ?? [];
    return hour !== undefined && TASK_VERB_FIRST.test(act)
      ? `remind me ${words.slice(0, first.end)} at ${hour} to ${act}`
      : `remind me ${words}`;
  }
  return undefined;
}

/** "Same for the dentist" */
const SAME_FOR =
  /^(?:and\s+|also\s+|then\s+|now\s+)*(?:do\s+|make\s+)?(?:the\s+)?same\s+(?:again\s+)?(?:for|with|to)\s+(?<what>\S[^?\n]{1,60}?)(?:\s+(?:too|please|pls|as\s+well))*[\s.!]*$/iu;

/** The change that the last request made to one task, for another task of the conversation. */
async function rewriteSameForTask(state: PlanState): Promise<string | undefined> {
  const what = SAME_FOR.exec(state.request.trim())?.groups?.["what"];
  const last = what === undefined ? undefined : (await state.earlier?.())?.[0]?.calls.at(-1);
  if (what === undefined || last?.outputs === undefined) return undefined;
  const titles = (await findSubjects(state)).flatMap((subject) =>
    subject.kind === "task" ? [subject.title] : [],
  );
  const title = findMeantName(what.replace(/^(?:the|my)\s+|\s+(?:one|task|reminder)$/giu, ""), titles);
  if (title === undefined || title.includes('"')) return undefined;
  const task = withTitle(title);
  const due = last.skill === "task_update" ? last.args["due"] : undefined;
  if (typeof due === "string") return phraseTaskOrder({ kind: "set-due", task, due: formatDue(due, state) });
  if (last.skill === "task_update_status" && last.args["status"] === "done")
    return phraseTaskOrder({ kind: "finish", task });
  return last.skill === "task_delete" ? phraseTaskOrder({ kind: "delete", task }) : undefined;
}

/** Where the dates are in a text; those that have to be asked about are left out. */
export function findDateSpans(
  text: string,
  { requestedAt, timeZone, locale }: PlanState,
): readonly { start: number; end: number }[] {
  const tokens = tokenize(text);
  return dateSpans(text, tokens, { now: requestedAt, timeZone, locale })
    .filter(({ question }) => question === undefined)
    .map(({ from, to }) => ({ start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? text.length }));
}

function timesOfSubject(subject: Subject, { timeZone }: PlanState): KnownTime[] {
  if (subject.kind === "task") {
    const { title, due, isReminder } = subject;
    if (due === undefined) return [];
    const [day = "", time] = formatDue(due, { timeZone }).split(" ");
    return [{ title, day, ...(time !== undefined && { time }), isReminder }];
  }
  if (subject.kind !== "schedule") return [];
  const time = /\b\d{2}:\d{2}\b/u.exec(subject.when)?.[0];
  return [{ title: subject.title, ...(time !== undefined && { time }), isReminder: true }];
}

const PUTS = String.raw`(?:put|add|note|enter|write)\s+(?:it|this|that)\s+(?:in|into|on|onto|to|down\s+in)\s+(?:my|the)\s+`;
const PLANNER = String.raw`(?:tasks?|task\s+list|list\s+of\s+tasks|to-?dos?|to-?do\s+list|calendar|diary|planner|agenda)`;
/** "Tomorrow at 11 I tune in Philharmonic Street, put this in my tasks", "bus inspection on the 9th at 8:30, remind me" */
const ORDER_BEHIND = new RegExp(
  String.raw`^(?<what>[^?\n]{5,160}?)\s*[,;.–-]\s*(?:and\s+|so\s+|please\s+|can\s+you\s+)*(?:(?<reminds>remind\s+me(?:\s+(?:of|about)\s+(?:it|this|that))?)|${PUTS}${PLANNER}|make\s+(?:it|this|that)\s+a\s+(?:task|reminder))(?:\s+please)?[\s.!]*$`,
  "iu",
);
/** "I should like to be reminded on the 18th to post the parcels" */
const WISHES_REMINDER =
  /^(?:(?:i|we)(?:\s+(?:should|would)|['’]d)?\s+(?:like|want|need|love)|i['’]d\s+like)\s+(?:you\s+)?to\s+(?:be\s+reminded|remind\s+me)\s+(?=\S)/iu;
/** "Put in shearing at Gallaghers, Monday 7 in the morning" */
const PUTS_IN = /^(?:put|pencil|book|get)\s+(?:me\s+)?(?:in|down)\s+(?:for\s+)?(?<what>[^?\n]{5,160})$/iu;
/** "Make it a task for Saturday", after something that should be done some day. */
const MAKES_TASK =
  /^(?:make|turn)\s+(?:it|that|this)\s+(?:in)?(?:to\s+)?a\s+(?<kind>task|reminder|to-?do)(?:\s+(?<when>\S.{1,60}?))?[\s.!]*$/iu;
const SHOULD_DO =
  /\b(?:i|we)\s+(?:should|must|need\s+to|have\s+to|ought\s+to|gotta|got\s+to|want\s+to)\s+(?:really\s+|also\s+)?(?<what>[^.!?\n]{4,120}?)(?:\s+(?:some\s?day|some\s?time|one\s+day|soon))?[\s.!]*$/iu;
const SUBJECT =
  /^(?:i|we)(?:['’](?:m|re|ve|ll))?\s+(?:(?:have|will|am|are|must|should|need\s+to|have\s+to)\s+)?(?:an?\s+)?/iu;

/** Puts the order first in a request that ends with it; undefined for any other request. */
export async function rewriteOrderBehindTime(state: PlanState): Promise<string | undefined> {
  if (state.request.length > MAX_REQUEST) return undefined;
  const { text } = stripFiller(state.request);
  if (WISHES_REMINDER.test(text)) return text.replace(WISHES_REMINDER, "remind me ");
  const taskMade = MAKES_TASK.exec(text)?.groups;
  if (taskMade !== undefined) {
    const [last] = (await state.earlier?.()) ?? [];
    const what = last && SHOULD_DO.exec(last.request)?.groups?.["what"];
    if (what === undefined) return undefined;
    const order = taskMade["kind"] === "reminder" ? "remind me to" : "add a task to";
    return `${order} ${what}${taskMade["when"] === undefined ? "" : ` ${taskMade["when"]}`}`;
  }
  const dated = await rewriteDateFirst(text, state);
  if (dated !== undefined) return dated;
  const { what, reminds } = (ORDER_BEHIND.exec(text) ?? PUTS_IN.exec(text))?.groups ?? {};
  if (what === undefined) return undefined;
  const spans = findDateSpans(what, state);
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const { start } = first;
  const { end } = last;
  const when = what.slice(start, end);
  const title = `${what.slice(0, start)} ${what.slice(end)}`
    .trim()
    .replaceAll(/^[\s,;:–-]+|[\s,;:–-]+$|\s+(?:on|at|for|by)(?:\s+the)?$/giu, "")
    .replace(SUBJECT, "");
  if (title === "" || /[,;]/u.test(title)) return undefined;
  return reminds === undefined ? `add a task ${title} ${when}` : `remind me ${when} about ${title}`;
}

/** "Also Wednesday at 9:30 call the office", after another task or reminder. */
async function rewriteDateFirst(text: string, state: PlanState): Promise<string | undefined> {
  const [span] = findDateSpans(text, state);
  // "And at 9 to call the school" is on the day of the last one.
  if (span === undefined || span.start > 0 || ONLY_TIME.test(text.slice(0, span.end))) return undefined;
  const rest = text.slice(span.end).replace(/^[\s,:–-]+(?:to\s+)?/u, "");
  // "Tomorrow at 8 read plan.md" is an order for that time.
  if (!TASK_VERB_FIRST.test(rest) || /\.\p{L}{2,4}\b/u.test(rest) || /\b(?:me|us|you)[\s.!]*$/iu.test(rest))
    return undefined;
  const [newest] = await findSubjects(state);
  if (newest?.kind !== "task" && newest?.kind !== "schedule") return undefined;
  const when = text.slice(0, span.end);
  return newest.kind === "schedule" || newest.isReminder
    ? `remind me ${when} to ${rest}`
    : `add a task to ${rest} ${when}`;
}

const ONLY_TIME = /^(?:at\s+)?\d{1,2}(?:[:.]\d{2})?(?:\s?[ap]m)?$/iu;

const MONTH = `(?:${MONTHS.join("|")})`;
const ON_ORDINAL_DAY_WORDS = oneOf(
  "at|in|and|or|but|for|from|to|until|till|with|i|we|he|she|they|not|instead|as|about|please|then|so",
  "half|if|when|after|before",
);
/** "On the eleventh", "the twelfth of December": a day, and no place in a list. */
const ON_ORDINAL_DAY = new RegExp(
  String.raw`(?:\b(?<before>on|by|until|till|for|from|to|due)\s+)?\bthe\s+(?<word>${ORDINAL_DAY})\b(?<month>\s+(?:of\s+)?${MONTH}\b)?(?!\s+(?!${ON_ORDINAL_DAY_WORDS}\b)\p{L})`,
  "giu",
);

/** The request with the days of a month in digits: "on the eleventh" is on the 11th. */
export const rewriteDaysInDigits = (request: string): string =>
  request.length > MAX_REQUEST
    ? request
    : request.replaceAll(
        ON_ORDINAL_DAY,
        (all, before: string | undefined, word: string, month: string | undefined) => {
          if (before === undefined && month === undefined) return all;
          const day = dayOfOrdinal(word);
          const ending =
            day % 10 === 1 && day !== 11
              ? "st"
              : day % 10 === 2 && day !== 12
                ? "nd"
                : day % 10 === 3 && day !== 13
                  ? "rd"
                  : "th";
          return `${before === undefined ? "" : `${before} `}the ${String(day)}${ending}${month ?? ""}`;
        },
      );

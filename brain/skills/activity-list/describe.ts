import { isoDay, wallTimeOf, formatLocalTime, localDay } from "@metahuman/core/language/dates/clock";
import type { Region } from "@metahuman/core/contract/region";
import type { DoneRequest } from "@metahuman/core/runs/activity";
import { capitalize, formatCount, truncateLine } from "@metahuman/core/text/format";
import { escapeInline } from "../markdown.ts";
import { endSentence } from "../support/phrasing.ts";
import type { Activity } from "./activity.ts";

/** The maximum number of lines of an answer; the rest is counted. */
const MAX_LINES = 40;
const MAX_REQUEST = 160;

type Zone = Pick<Region, "timeZone">;

function dayInWords(day: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return format.format(new Date(`${day}T12:00:00Z`));
}

/** "today", "yesterday", "on Monday, 23 November 2026", "from … to …". */
export function periodInWords(
  { from, until }: { from: string; until: string },
  now: Date,
  zone: Zone,
): string {
  const first = localDay(from, zone.timeZone);
  const last = localDay(new Date(Date.parse(until) - 1), zone.timeZone);
  const today = localDay(now, zone.timeZone);
  const wall = wallTimeOf(now, zone.timeZone);
  const yesterday = isoDay({ ...wall, day: wall.day - 1 });
  const nameOf = (day: string): string =>
    day === today ? "today" : day === yesterday ? "yesterday" : dayInWords(day);
  const [start, end] = [formatLocalTime(from, zone), formatLocalTime(until, zone)];
  const isWhole = start === "00:00" && end === "00:00";
  if (first !== last) return `from ${nameOf(first)} to ${last > today ? "today" : nameOf(last)}`;
  const day = first === today || first === yesterday ? nameOf(first) : `on ${nameOf(first)}`;
  return isWhole ? day : `${day} between ${start} and ${end === "00:00" ? "24:00" : end}`;
}

/** "2026-11-27 09:12", or only the time within a period of one day. */
function momentIn({ period }: Activity, at: string, zone: Zone): string {
  const isOneDay =
    period &&
    localDay(period.from, zone.timeZone) === localDay(new Date(Date.parse(period.until) - 1), zone.timeZone);
  return isOneDay ? formatLocalTime(at, zone) : `${localDay(at, zone.timeZone)} ${formatLocalTime(at, zone)}`;
}

const quoteRequest = (request: string): string => `“${escapeInline(truncateLine(request, MAX_REQUEST))}”`;

function bullets(lines: readonly string[]): string {
  const rest = lines.length - MAX_LINES;
  return [
    ...lines.slice(0, MAX_LINES).map((line) => `- ${line}`),
    ...(rest > 0 ? [`- … and ${rest} more; all of them are on the page Runs.`] : []),
  ].join("\n");
}

const label = ({ period }: Activity): string =>
  period === undefined ? "in all stored requests" : period.label;

/** Says that nothing is stored for the period, and since when anything is. */
export function describeEmptyPeriod(activity: Activity, zone: Zone): string {
  const { oldest } = activity;
  const stored =
    oldest === undefined
      ? "No earlier request is stored."
      : `The oldest stored request is from ${localDay(oldest, zone.timeZone)} ${formatLocalTime(oldest, zone)}; those of deleted conversations are gone.`;
  return `No request is stored ${activity.period === undefined ? "yet" : `from ${activity.period.label.replace(/^(?:on|from) /u, "")}`}. ${stored}`;
}

const own = ({ requests }: Activity): DoneRequest[] => requests.filter(({ isScheduled }) => !isScheduled);

/** What was done: each change in a sentence, then what was only answered or not done. */
export function describeDone(activity: Activity, zone: Zone, onlyChanges = false): string {
  const { requests, tasks } = activity;
  const ordered = requests.toReversed();
  const changing = ordered.filter(({ changes }) => changes.length > 0);
  const lines = changing.flatMap((request) =>
    request.changes.map(
      ({ sentence: text }) =>
        `${momentIn(activity, request.at, zone)}${request.isScheduled ? " (scheduled)" : ""}: ${endSentence(escapeInline(text))}`,
    ),
  );
  const finished = (tasks ?? []).map(
    ({ at, title }) => `${momentIn(activity, at, zone)}: “${escapeInline(title)}” was finished.`,
  );
  if (requests.length === 0 && finished.length === 0) return describeEmptyPeriod(activity, zone);
  const answered = ordered.filter(({ changes, outcome }) => changes.length === 0 && outcome === "answered");
  const undone = ordered.filter(
    ({ changes, outcome }) => changes.length === 0 && outcome !== "answered" && outcome !== undefined,
  );
  const count = formatCount(lines.length, "change");
  const head =
    lines.length === 0
      ? `${capitalize(label(activity))}, nothing was changed.`
      : `${capitalize(label(activity))}, ${count} ${lines.length === 1 ? "was" : "were"} made:`;
  const rest = onlyChanges
    ? []
    : [
        ...(answered.length === 0
          ? []
          : [
              `${formatCount(answered.length, "request")} ${answered.length === 1 ? "was" : "were"} answered without a change.`,
            ]),
        ...(undone.length === 0
          ? []
          : [["Not done:", bullets(undone.map(({ request }) => quoteRequest(request)))].join("\n")]),
      ];
  return [
    lines.length === 0 ? head : `${head}\n${bullets(lines)}`,
    ...(finished.length === 0 ? [] : [`Tasks:\n${bullets(finished)}`]),
    ...rest,
  ].join("\n\n");
}

/** What was done with one file: the changes, else the requests that named it. */
export function describeDoneWith(activity: Activity, zone: Zone): string {
  const { requests, query = "" } = activity;
  if (requests.some(({ changes }) => changes.length > 0)) return describeDone(activity, zone, true);
  if (requests.length === 0) return `No stored request is about “${escapeInline(query)}”.`;
  const named = requests
    .toReversed()
    .map(
      ({ at, request }) =>
        `- ${momentIn(activity, at, zone)}: “${escapeInline(truncateLine(request, MAX_REQUEST))}”`,
    );
  return [`Nothing was changed in “${escapeInline(query)}”. These requests name it:`, ...named].join("\n");
}

/** The requests of the person. */
export function describeAsked(activity: Activity, zone: Zone): string {
  const asked = own(activity).toReversed();
  if (asked.length === 0) return describeEmptyPeriod(activity, zone);
  const lines = asked.map(({ at, request }) => `${momentIn(activity, at, zone)}: ${quoteRequest(request)}`);
  return `${capitalize(label(activity))}, you asked ${formatCount(asked.length, "time")}:\n${bullets(lines)}`;
}

export function describeCount(activity: Activity, zone: Zone): string {
  const count = own(activity).length;
  return count === 0
    ? describeEmptyPeriod(activity, zone)
    : `${capitalize(label(activity))}, you asked ${formatCount(count, "time")}.`;
}

export function describeLast(activity: Activity, zone: Zone): string {
  const [last] = own(activity);
  if (last === undefined) return describeEmptyPeriod(activity, zone);
  return `You asked ${quoteRequest(last.request)} (${localDay(last.at, zone.timeZone)} ${formatLocalTime(last.at, zone)}).`;
}

/** What was done for the last request and, if that changed nothing, for the last one that changed something. */
export function describeJustDone(activity: Activity, zone: Zone): string {
  const { requests } = activity;
  const [last] = requests;
  if (last === undefined) return describeEmptyPeriod(activity, zone);
  const done = ({ request, changes }: DoneRequest): string =>
    `for ${quoteRequest(request)}: ${changes.map(({ sentence: text }) => endSentence(escapeInline(text))).join(" ")}`;
  if (last.changes.length > 0) return capitalize(done(last));
  const how = last.outcome === "answered" ? "answered without a change" : "not done";
  const before = requests.find(({ changes }) => changes.length > 0);
  return `${quoteRequest(last.request)} was ${how}.${before ? ` Before that, ${done(before)}` : ""}`;
}

/** The conversations, each with its requests. */
export function describeTalk(activity: Activity, zone: Zone): string {
  const asked = own(activity).toReversed();
  if (asked.length === 0) return describeEmptyPeriod(activity, zone);
  const conversations = [...Map.groupBy(asked, ({ conversationId }) => conversationId).values()];
  const lines = conversations.flatMap((requests) => {
    const [first] = requests;
    return first === undefined
      ? []
      : [
          `${momentIn(activity, first.at, zone)}, ${quoteRequest(first.conversation)}: ${requests.map(({ request }) => quoteRequest(request)).join(", ")}`,
        ];
  });
  return `${capitalize(label(activity))}, there ${lines.length === 1 ? "was" : "were"} ${formatCount(lines.length, "conversation")}:\n${bullets(lines)}`;
}

/** Of so many files, each change is listed; of more, the last one of each. */
const MAX_DETAILED_FILES = 3;
const MAX_EARLIER = 15;

/** The files that changed, each with its changes, the last one first. */
export function describeFiles(activity: Activity, zone: Zone): string {
  const { files = [] } = activity;
  if (files.length === 0) {
    const none = `${capitalize(label(activity))}, no file was ${activity.did === "delete" ? "deleted" : activity.did === "create" ? "created" : "changed"}.`;
    return activity.requests.length === 0 ? `${none} ${describeEmptyPeriod(activity, zone)}` : none;
  }
  const lines = files.map(({ path, at, sentence: text, earlier }) => {
    const listed = files.length > MAX_DETAILED_FILES ? [] : earlier.slice(0, MAX_EARLIER);
    const rest = earlier.length - listed.length;
    return [
      `${path} (${momentIn(activity, at, zone)}): ${endSentence(escapeInline(text))}`,
      ...listed.map(
        (one) => `${momentIn(activity, one.at, zone)}: ${endSentence(escapeInline(one.sentence))}`,
      ),
      ...(rest > 0 ? [`${formatCount(rest, "earlier change")}.`] : []),
    ].join("\n  - ");
  });
  return `${capitalize(label(activity))}, ${formatCount(files.length, "file")}:\n${bullets(lines)}`;
}

export function describeTasks(activity: Activity, zone: Zone): string {
  const { tasks = [], did } = activity;
  const verb = did === "create" ? "added" : "finished";
  if (tasks.length === 0) return `${capitalize(label(activity))}, no task was ${verb}.`;
  const lines = tasks.map(({ title, at }) => `${momentIn(activity, at, zone)}: “${escapeInline(title)}”`);
  return `${capitalize(label(activity))}, ${formatCount(tasks.length, "task")} ${tasks.length === 1 ? "was" : "were"} ${verb}:\n${bullets(lines)}`;
}

import { keepCitations } from "@metahuman/core/contract/citation";
import type { Occurrence, Schedule } from "@metahuman/core/contract/schedule";
import type { Run } from "@metahuman/core/contract/run";
import type { NewNotice } from "@metahuman/core/notices/notice-port";
import { describeMoment } from "@metahuman/core/contract/describe-when";
import { describeDelay, type DueRow } from "@metahuman/core/schedules/due-moments";
import { quietHoursEnd } from "@metahuman/core/schedules/quiet-hours";
import { truncate } from "@metahuman/core/text/format";
import { stripMarkdown } from "@metahuman/core/text/strip-markdown";

/** The maximum length of an answer in a notice, in characters. */
const MAX_TEXT = 1_000;
/** The delay in milliseconds from which a notice mentions it. */
const LATE_MS = 120_000;

/** An answer as text: neither the page nor a channel renders the Markdown of a notice, or links its citations. */
const bodyOf = (answer: string): string =>
  truncate(stripMarkdown(keepCitations(answer, new Set())).toWellFormed(), MAX_TEXT);

/** When a notice is sent, and the time zone that the person has set, if any. */
export interface SendingTime {
  now: Date;
  ownZone: string | undefined;
}

export async function sendingTime(options: {
  clock: () => Date;
  ownZone: () => Promise<string | undefined>;
}): Promise<SendingTime> {
  return { now: options.clock(), ownZone: await options.ownZone() };
}

/** The notice of a reminder. Like all notices of schedules, it has a key, so that it is sent once by one of several processes. */
export function reminderNotice(
  schedule: Schedule,
  { dueAt }: Occurrence,
  { now, ownZone }: SendingTime,
): NewNotice {
  const { what, title } = schedule;
  const at = new Date(dueAt);
  const lateMs = now.getTime() - at.getTime();
  const late = lateMs > LATE_MS ? ` It is ${describeDelay(lateMs)} late: nothing ran at that time.` : "";
  return {
    title: what.kind === "reminder" ? what.text : title,
    body: `Reminder for ${momentIn(schedule, at, ownZone)}.${late}`,
    link: linkTo(schedule),
    urgency: "high",
    ...common(schedule, `reminder/${schedule.id}/${dueAt}`, now),
  };
}

export function missedNotice(
  schedule: Schedule,
  rows: readonly DueRow[],
  { now, ownZone }: SendingTime,
): NewNotice | undefined {
  const missed = rows.filter(({ state }) => state === "missed");
  const [first] = missed;
  const last = missed.at(-1);
  if (!first || !last) return undefined;
  const when = (row: DueRow) => momentIn(schedule, new Date(row.dueAt), ownZone);
  const body =
    missed.length === 1
      ? `It was due on ${when(first)}. ${first.reason ?? ""}`
      : `It was due ${missed.length} times from ${when(first)} to ${when(last)}. ${last.reason ?? ""}`;
  return {
    title: `Missed: ${schedule.title}`,
    body: body.trim(),
    link: linkTo(schedule),
    ...common(schedule, `missed/${schedule.id}/${first.dueAt}`, now),
  };
}

export function succeededNotice(
  schedule: Schedule,
  { dueAt, runId }: Occurrence,
  text: string,
  now: Date,
): NewNotice {
  return {
    title: `Done: ${schedule.title}`,
    body: bodyOf(text),
    link: linkTo(schedule, runId),
    urgency: "low",
    ...common(schedule, `done/${schedule.id}/${dueAt}`, now),
  };
}

/** The notice of a changed page. Urgent like a reminder, because the person asked for it. */
export function changedNotice(
  schedule: Schedule,
  { dueAt, runId }: Occurrence,
  { text, urls }: { text: string; urls: readonly string[] },
  now: Date,
): NewNotice {
  return {
    title: `Changed: ${urls.map((url) => url.replace(/^https?:\/\//u, "").replace(/\/$/u, "")).join(", ")}`,
    body: bodyOf(text),
    link: linkTo(schedule, runId),
    urgency: "high",
    ...common(schedule, `done/${schedule.id}/${dueAt}`, now),
  };
}

export function failedNotice(
  schedule: Schedule,
  { dueAt, runId }: Occurrence,
  { state, reason }: { state: "failed" | "skipped"; reason: string },
  { now, ownZone }: SendingTime,
): NewNotice {
  return {
    title: `${state === "failed" ? "Failed" : "Skipped"}: ${schedule.title}`,
    body: `Due on ${momentIn(schedule, new Date(dueAt), ownZone)}. ${toSentence(reason)}`,
    link: linkTo(schedule, runId),
    urgency: state === "failed" ? "high" : "normal",
    ...common(schedule, `${state}/${schedule.id}/${dueAt}`, now),
  };
}

export function pausedNotice(
  schedule: Schedule,
  { dueAt }: Occurrence,
  reason: string,
  now: Date,
): NewNotice {
  return {
    title: `Paused: ${schedule.title}`,
    body: `${reason} Resume it on the Automations page once the cause is fixed.`,
    link: linkTo(schedule),
    urgency: "high",
    ...common(schedule, `paused/${schedule.id}/${dueAt}`, now),
  };
}

export function waitingNotice(
  schedule: Schedule,
  { dueAt }: Occurrence,
  run: Run,
  { now, ownZone }: SendingTime,
): NewNotice {
  const until = new Date(Date.parse(run.updatedAt) + schedule.approvalMinutes * 60_000);
  const asks = run.pending?.kind === "question" ? run.pending.question : run.pending?.title;
  return {
    title: `Waiting for you: ${schedule.title}`,
    body: `${asks ?? "It needs a decision."} Without an answer it ends on ${momentIn(schedule, until, ownZone)}.`,
    link: run.pending?.kind === "approval" ? "/approvals" : linkTo(schedule, run.id),
    urgency: "high",
    ...common(schedule, `waiting/${schedule.id}/${dueAt}/${run.lastSeq}`, now),
  };
}

function common({ quietHours, timeZone }: Schedule, dedupeKey: string, now: Date): Partial<NewNotice> {
  const end = quietHoursEnd(quietHours, now, timeZone);
  return { dedupeKey, ...(end && { visibleAt: end.toISOString() }) };
}

/** With the time zone of the schedule if it is not the person's own. */
function momentIn({ timeZone }: Schedule, at: Date, ownZone: string | undefined): string {
  const zone = ownZone === undefined || timeZone === ownZone ? "" : ` (${timeZone})`;
  return `${describeMoment(at, timeZone)}${zone}`;
}

function linkTo({ id }: Schedule, runId?: string): string {
  return runId === undefined ? `/automations?id=${id}` : `/runs?run=${runId}`;
}

function toSentence(text: string): string {
  const [first = ""] = text;
  return `${first.toUpperCase()}${text.slice(1)}${/[.!?]$/u.test(text) ? "" : "."}`;
}

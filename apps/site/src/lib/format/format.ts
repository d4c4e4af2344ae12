import type { Run, RunOutcome } from "@metahuman/core/contract/run";
import { MONTHS, WEEKDAYS } from "@metahuman/core/contract/calendar-names";

/** "just now", "12 min ago", "yesterday", then a date, in the time zone of the browser. */
export function formatRelativeTime(at: string, now: Date): string {
  const then = new Date(at);
  const seconds = Math.round((then.getTime() - now.getTime()) / 1_000);
  if (Math.abs(seconds) < 45) return "just now";
  if (Math.abs(seconds) < 3_600) return agoOrIn(Math.round(seconds / 60), "min");
  if (Math.abs(seconds) < 12 * 3_600) return agoOrIn(Math.round(seconds / 3_600), "h");
  const days = Math.round((startOfDay(then) - startOfDay(now)) / 86_400_000);
  if (days === 0) return formatClock(then);
  if (days === -1) return `yesterday, ${formatClock(then)}`;
  return formatDay(then, now);
}

/** "Friday 20 November 2026, 14:30", in the time zone of the browser. */
export function formatDateTime(at: string): string {
  const date = new Date(at);
  return `${formatWholeDay(date)}, ${formatClock(date)}`;
}

/** "Friday 20 November 2026 at 14:30", in the time zone of the browser. */
export function formatMoment(at: Date): string {
  return `${formatWholeDay(at)} at ${formatClock(at)}`;
}

/** The moment of a step or a log line: "20 Nov 2026, 14:30:05", in the time zone of the browser. */
export function formatLogTime(at: string): string {
  const date = new Date(at);
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]?.slice(0, 3)} ${date.getFullYear()}`;
  return `${day}, ${formatClock(date)}:${twoDigits(date.getSeconds())}`;
}

/** When a task is due: a calendar day ("tomorrow", "21 Nov") or a moment. */
export function formatDueDate(due: string, now = new Date()): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(due);
  // Parsed as UTC, a calendar day would be another day in half of the time zones.
  const date = new Date(isDay ? `${due}T00:00` : due);
  const days = Math.round((startOfDay(date) - startOfDay(now)) / 86_400_000);
  const near = { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days];
  const day = near ?? formatDay(date, now);
  return isDay ? day : `${day}, ${formatClock(date)}`;
}

/** Whether a calendar day has passed, or a moment. */
export function isOverdue(due: string, now = new Date()): boolean {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(due);
  return isDay ? startOfDay(new Date(`${due}T00:00`)) < startOfDay(now) : new Date(due) < now;
}

// Without `Intl`: a slow phone takes 70 ms to create the first formatter, and every page shows times.

function agoOrIn(count: number, unit: string): string {
  return count < 0 ? `${-count} ${unit} ago` : `in ${count} ${unit}`;
}

function formatClock(date: Date): string {
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function formatWholeDay(date: Date): string {
  return `${WEEKDAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

/** "14 Nov", with the year if it is not the current one. */
function formatDay(date: Date, now: Date): string {
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]?.slice(0, 3)}`;
  return date.getFullYear() === now.getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** The beginning of a local day, in milliseconds. */
export function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** "12 ms", "0.2 s", "14 s", "3 min 5 s". */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const rest = whole % 60;
  return rest === 0 ? `${Math.floor(whole / 60)} min` : `${Math.floor(whole / 60)} min ${rest} s`;
}

/** Whether a text is a number, an amount, a share, a size or a duration, such as "1,204", "€5" or "12 ms". */
export function isNumeric(text: string): boolean {
  if (DOTTED_DATE.test(text)) return false;
  return /^[-+−]?[$€£]?\d[\d,.\u00A0 ]*\s?(?:%|€|[kMGT]?B|bytes|ms|s)?$/u.test(text);
}

/** A date such as "1.11.2026". */
const DOTTED_DATE = /^\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})?$/u;

/** The display name of an embedder: "the built-in embedder". */
export function embedderLabel(id: string): string {
  return id.startsWith("built-in") ? "the built-in embedder" : id;
}

/** What decides how a run ended. */
type RunEnd = Pick<Run, "status" | "outcome" | "offers">;

/** Whether a run has done nothing but offer functions. */
const onlyOffers = ({ outcome, offers = [] }: RunEnd): boolean => outcome === "answered" && offers.length > 0;

/** `stuck` also holds for a request that was not understood and for a call that the person denied. */
const OUTCOME_LABELS = {
  answered: "answered",
  stopped: "stopped",
  stuck: "not completed",
  failed: "failed",
  cancelled: "cancelled",
} as const satisfies Record<RunOutcome, string>;

/** The outcome of an ended run, or its status. */
export function runStatusLabel(run: RunEnd): string {
  const { status, outcome } = run;
  if (status !== "ended") {
    return { queued: "queued", running: "running", waiting: "waiting for you", interrupted: "interrupted" }[
      status
    ];
  }
  if (onlyOffers(run)) return "offered";
  return outcome === undefined ? "ended" : OUTCOME_LABELS[outcome];
}

export type Variant = "neutral" | "success" | "warning" | "danger";

export function runVariant(run: RunEnd): Variant {
  const { status, outcome } = run;
  if (status === "interrupted" || status === "waiting") return "warning";
  if (status !== "ended") return "neutral";
  switch (outcome) {
    case "answered":
      return onlyOffers(run) ? "neutral" : "success";
    case "failed":
      return "danger";
    case "stuck":
    case "stopped":
      return "warning";
    case "cancelled":
    case undefined:
      return "neutral";
    default:
      return outcome satisfies never;
  }
}

/** A label for a match score from 0 to 1. */
export function matchLabel(score: number): string {
  if (score >= 0.75) return "strong match";
  return score >= 0.5 ? "good match" : "weak match";
}

/** The words in the id of a memory, which begins with its time: "evt-20261123T045858000Z-garage-code" → "garage code". */
export function wordsOfId(id: string): string {
  const words = id
    .replace(/^evt-\d+T\d+Z-/u, "")
    .replaceAll("-", " ")
    .trim();
  return words === "" ? id : words;
}

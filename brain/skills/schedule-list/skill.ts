import { type Occurrence, OccurrenceState, type ScheduleItem } from "@metahuman/core/contract/schedule";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { type PastPeriod, readPastPeriod } from "@metahuman/core/language/dates/past-periods";
import type { Finder, Phrase } from "@metahuman/core/language/grammar/phrase";
import { formatCount } from "@metahuman/core/text/format";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { escapeInline, table } from "../markdown.ts";
import { candidatesIn, textField } from "../outputs.ts";
import {
  describeLast,
  describeSummary,
  isResuming,
  MAX_FOUND,
  ScheduleSummary,
  skippedText,
  summaryOf,
} from "../support/schedules.ts";
import { joinNames } from "../support/phrasing.ts";

const things = "(=schedules|=automations|=reminders|scheduled things|list of schedules)";

const phrases: readonly (string | Phrase)[] = [
  "what is scheduled [now|for me|next|at the moment]",
  "what (have I|did I) scheduled",
  "what do you do (automatically|on a schedule)",
  `(list|show|see|view) [me] [all] my ${things}`,
  `(list|show|see|view) [me] [all] the ${things}`,
  `(list|show|see|view) [me] [all] [of] the ${things} [that|which] (are set|are set up|are active|are left|are running|are planned|I have|I have got|I have set|I set|I set up) [up] [now|at the moment]`,
  `(list|show) [me] what is scheduled`,
  `(what|which|how many) [of] [my] (=schedules|=automations|=reminders) (are there|are set|are set up|are active|are left|do I have|do I have set|have I|have I got|did I get|exist) [set|left|now|at the moment|still|running|set up]`,
  `(what|which|how many) (=schedules|=automations|=reminders) I (have|got|set|have got|have set)`,
  `(do I have|have I got|are there|have I) [any|some] (=schedules|=automations|=reminders) [set|left|now|at the moment|still|running|set up]`,
  `[all] my (=schedules|=automations|=reminders)`,
  `(which|what) are my ${things}`,
  `(which|what) (=schedules|=automations|=reminders) [of mine] (is|are) [there|still|now] (set|=on|=active|running|scheduled|planned|left)`,
  `(which|what) (=schedules|=automations|=reminders) (have I|did I) set [up]`,
  {
    template: "(when|what|which) is (the|my) next (=reminder|=schedule|=automation|scheduled thing) [due]",
    args: { limit: 1 },
  },
  {
    template: "when does {query} (run|come|due|go off|scheduled|next|happen) [next|again|exactly]",
    slots: { query: { type: "reference", kind: "schedule", pronounOnly: true, sample: "it" } },
  },
];

const finds: Finder = {
  kind: "schedule",
  by: "query",
  candidates: (outputs) =>
    candidatesIn(outputs, "schedules", "title", (schedule) => textField(schedule, "when")),
};

/** The maximum number of outcomes of one schedule that are listed; all are counted. */
const MAX_OUTCOMES = 50;
/** The maximum number of outcomes of one schedule that are read. */
const MAX_READ = 500;

/** What happened at the due moments of a schedule in a period. */
const History = z.strictObject({
  counts: z.partialRecord(OccurrenceState, z.int().positive()),
  outcomes: z.array(z.string()).describe("In words with the reason, newest first"),
});
const ListedSchedule = z.strictObject({ ...ScheduleSummary.shape, history: History.optional() });
type ListedSchedule = z.infer<typeof ListedSchedule>;

/** "2 failed, 5 succeeded" */
function countsInWords({ counts }: z.infer<typeof History>): string {
  const states = Object.entries(counts).map(([state, count]) => `${String(count)} ${state}`);
  return states.length === 0 ? "nothing was due" : states.join(", ");
}

function formatHistory({ title, history }: ListedSchedule): string {
  if (history === undefined) return "";
  const lines = history.outcomes.map((outcome) => `\n- ${escapeInline(outcome)}`);
  return `\n\n“${escapeInline(title)}” in that period: ${countsInWords(history)}.${lines.join("")}`;
}

function formatSchedules(schedules: readonly ListedSchedule[], total: number, withIds: boolean): string {
  if (schedules.length === 0) return "Nothing is scheduled.";
  const hasRun = schedules.some(({ last }) => last !== undefined);
  const rows = schedules.map(({ id, title, when, next, last, enabled, skipped }) => [
    title,
    [when, skippedText(skipped)].filter((part) => part !== "").join(", "),
    enabled ? (next ?? "ended") : "paused",
    ...(hasRun ? [last ?? ""] : []),
    ...(withIds ? [id] : []),
  ]);
  const head = ["Title", "When", "Next", ...(hasRun ? ["Last"] : []), ...(withIds ? ["Id"] : [])];
  return `${table(head, rows)}\n\n${formatCount(total, "schedule")}.${schedules.map(formatHistory).join("")}`;
}

function historyOf(
  occurrences: readonly Occurrence[],
  { from, until }: PastPeriod,
  timeZone: string,
): z.infer<typeof History> {
  const within = occurrences.filter(({ dueAt }) => dueAt >= from && dueAt < until);
  const counts: Partial<Record<OccurrenceState, number>> = {};
  for (const { state } of within) counts[state] = (counts[state] ?? 0) + 1;
  return { counts, outcomes: within.slice(0, MAX_OUTCOMES).map((one) => describeLast(one, timeZone)) };
}

function summaryWithLast(item: ScheduleItem, now: Date): ScheduleSummary {
  const { lastOccurrence: last, next, timeZone } = item;
  return { ...summaryOf(item, next, now), ...(last && { last: describeLast(last, timeZone) }) };
}

export const scheduleList = defineSkill({
  id: "schedule_list",
  summary:
    "List scheduled reminders, requests and functions; with period, how often each ran or failed, and why",
  category: "schedules",
  input: z.strictObject({
    query: z.string().trim().min(1).max(200).optional().describe("Only those that contain these words"),
    period: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("today, this week, since monday: with every outcome then"),
    limit: z.int().positive().max(500).default(100),
  }),
  output: z.strictObject({ schedules: z.array(ListedSchedule), total: z.int().nonnegative() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  finds,
  narrate: ({ schedules, total }, region) =>
    total === 0
      ? "Nothing is scheduled."
      : `${formatCount(total, "schedule")}: ${joinNames(
          schedules.map(({ history, ...schedule }) =>
            [describeSummary(schedule, region), ...(history ? [countsInWords(history)] : [])].join(", "),
          ),
          total,
        )}.`,
  structure: ({ schedules, total }) => formatSchedules(schedules, total, false),
  observed: ({ schedules, total }) => formatSchedules(schedules, total, true),
  async run({ query, period: words, limit }, { ports: { schedules }, now, timeZone }) {
    const period = words === undefined ? undefined : readPastPeriod(words, { now, timeZone });
    if (words !== undefined && period === undefined)
      throw new InvalidArgsError(`“${words}” is not a period that has begun.`, {
        suggestions: ["Give a period such as today, this week, or since monday."],
      });
    const listed = async (item: ScheduleItem): Promise<ListedSchedule> => {
      const summary = summaryWithLast(item, now);
      if (period === undefined) return summary;
      const { items } = await schedules.occurrences(item.id, { limit: MAX_READ });
      return { ...summary, history: historyOf(items, period, item.timeZone) };
    };
    if (query === undefined) {
      const { items, total } = await schedules.list({ limit });
      // What only ends the pause of another one is a part of it.
      const own = items.filter((item) => !isResuming(item));
      return { schedules: await Promise.all(own.map(listed)), total: total - (items.length - own.length) };
    }
    if (query.startsWith("sched-")) {
      const { schedule, next, lastOccurrence } = await schedules.get(query);
      return { schedules: [await listed({ ...schedule, next, lastOccurrence })], total: 1 };
    }
    const found = await schedules.find(query, MAX_FOUND);
    if (found.length === 0) {
      const { items } = await schedules.list({ limit: 3 });
      throw new NotFoundError(`No schedule matches “${query}”.`, {
        suggestions: items.map(({ title, id }) => `“${title}” has the id ${id}.`),
      });
    }
    return { schedules: await Promise.all(found.map(listed)), total: found.length };
  },
});

import type { ScheduleItem } from "@metahuman/core/contract/schedule";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { Finder, Phrase } from "@metahuman/core/language/grammar/phrase";
import { formatCount } from "@metahuman/core/text/format";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { table } from "../markdown.ts";
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

function formatSchedules(schedules: readonly ScheduleSummary[], total: number, withIds: boolean): string {
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
  return `${table(head, rows)}\n\n${formatCount(total, "schedule")}.`;
}

function summaryWithLast(item: ScheduleItem, now: Date): ScheduleSummary {
  const { lastOccurrence: last, next, timeZone } = item;
  return { ...summaryOf(item, next, now), ...(last && { last: describeLast(last, timeZone) }) };
}

export const scheduleList = defineSkill({
  id: "schedule_list",
  summary: "List scheduled reminders, requests and functions",
  category: "schedules",
  input: z.strictObject({
    query: z.string().trim().min(1).max(200).optional().describe("Only those that contain these words"),
    limit: z.int().positive().max(500).default(100),
  }),
  output: z.strictObject({ schedules: z.array(ScheduleSummary), total: z.int().nonnegative() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  finds,
  narrate: ({ schedules, total }, region) =>
    total === 0
      ? "Nothing is scheduled."
      : `${formatCount(total, "schedule")}: ${joinNames(
          schedules.map((schedule) => describeSummary(schedule, region)),
          total,
        )}.`,
  structure: ({ schedules, total }) => formatSchedules(schedules, total, false),
  observed: ({ schedules, total }) => formatSchedules(schedules, total, true),
  async run({ query, limit }, { ports, now }) {
    if (query === undefined) {
      const { items, total } = await ports.schedules.list({ limit });
      // What only ends the pause of another one is a part of it.
      const own = items.filter((item) => !isResuming(item));
      return {
        schedules: own.map((item) => summaryWithLast(item, now)),
        total: total - (items.length - own.length),
      };
    }
    if (query.startsWith("sched-")) {
      const { schedule, next, lastOccurrence } = await ports.schedules.get(query);
      return { schedules: [summaryWithLast({ ...schedule, next, lastOccurrence }, now)], total: 1 };
    }
    const found = await ports.schedules.find(query, MAX_FOUND);
    if (found.length === 0) {
      const { items } = await ports.schedules.list({ limit: 3 });
      throw new NotFoundError(`No schedule matches “${query}”.`, {
        suggestions: items.map(({ title, id }) => `“${title}” has the id ${id}.`),
      });
    }
    return { schedules: found.map((item) => summaryWithLast(item, now)), total: found.length };
  },
});

import type { Page } from "../contract/http.ts";
import type { Schedule, ScheduleItem } from "../contract/schedule.ts";
import { decodeCursor, pageOf } from "../database/rows.ts";
import { contentStems, foldText } from "../text/words.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";
import { nextOf } from "./schedule-moments.ts";
import type { ScheduleRecords } from "./schedule-records.ts";

/** How many next moments a schedule is shown with. */
export const PREVIEWED_MOMENTS = 5;

interface Stores {
  records: Pick<ScheduleRecords, "list">;
  ledger: OccurrenceLedger;
}

/** Every schedule with its next moments, the next one first; paused and ended ones last. */
export async function listItems({ records, ledger }: Stores): Promise<ScheduleItem[]> {
  const [all, moments, latest] = await Promise.all([records.list(), ledger.moments(), ledger.latest()]);
  const stored = new Map(moments.map((moment) => [moment.scheduleId, moment]));
  return all
    .map((schedule) => ({
      ...schedule,
      next: nextOf(schedule, stored.get(schedule.id), PREVIEWED_MOMENTS),
      lastOccurrence: latest.get(schedule.id) ?? null,
    }))
    .sort((a, b) => compareKeys(keysOf(a), keysOf(b)));
}

/** One page of the schedules whose words contain every word of the query. */
export async function listPage(
  stores: Stores,
  { query = "", limit, cursor }: { query?: string; limit: number; cursor?: string },
): Promise<Page<ScheduleItem>> {
  const words = foldText(query).split(/\s+/u).filter(Boolean);
  const found = (await listItems(stores)).filter((item) =>
    words.every((word) => foldText(textOf(item)).includes(word)),
  );
  const after = cursor === undefined ? undefined : decodeCursor(cursor, 2);
  const rest = after ? found.filter((item) => compareKeys(keysOf(item), after) > 0) : found;
  return pageOf(rest.slice(0, limit + 1), { limit, total: found.length, keys: keysOf });
}

/** The schedules that these words of a person mean, at most `limit`. */
export async function findSchedules(stores: Stores, words: string, limit: number): Promise<ScheduleItem[]> {
  const wanted = contentStems(words);
  const all = wanted.size === 0 ? [] : await listItems(stores);
  const found = all.filter((item) => isWithin(wanted, contentStems(textOf(item))));
  // The whole title means that schedule, even if other titles contain these words, too.
  const named = found.filter(({ title }) => isWithin(contentStems(title), wanted));
  return (named.length > 0 ? named : found).slice(0, limit);
}

function textOf({ title, what }: Pick<Schedule, "title" | "what">): string {
  switch (what.kind) {
    case "reminder":
      return `${title}\n${what.text}`;
    case "request":
      return `${title}\n${what.goal}`;
    case "function":
      return title;
    default:
      return what satisfies never;
  }
}

function isWithin(words: ReadonlySet<string>, text: ReadonlySet<string>): boolean {
  return [...words].every((word) => text.has(word));
}

const keysOf = ({ next, createdAt, id }: ScheduleItem): [string, string] => [next[0] ?? `~${createdAt}`, id];

function compareKeys([a = "", b = ""]: readonly string[], [c = "", d = ""]: readonly string[]): number {
  if (a !== c) return a < c ? -1 : 1;
  return b === d ? 0 : b < d ? -1 : 1;
}

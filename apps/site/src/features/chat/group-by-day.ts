import { lazy } from "../../lib/format/lazy.ts";

/** Items of one day or period, under its name. */
export interface DayGroup<Item> {
  label: string;
  items: Item[];
}

const DAY_MS = 86_400_000;
const monthFormat = lazy(() => new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" }));

/** Groups items, newest first, by the calendar of this browser: today, yesterday, the last 7 and 30 days, then months. */
export function groupByDay<Item>(
  items: readonly Item[],
  dateOf: (item: Item) => string,
  now: Date,
): DayGroup<Item>[] {
  const groups: DayGroup<Item>[] = [];
  for (const item of items) {
    const label = labelOf(new Date(dateOf(item)), now);
    const last = groups.at(-1);
    if (last?.label === label) last.items.push(item);
    else groups.push({ label, items: [item] });
  }
  return groups;
}

function labelOf(date: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / DAY_MS);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Last 7 days";
  if (days <= 30) return "Last 30 days";
  return monthFormat().format(date);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

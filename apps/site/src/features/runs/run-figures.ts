import type { RunSummary } from "@metahuman/core/contract/run";

/** Requests that are one and the same to the person who asks: by the function that serves them, or by their words. */
export interface Repeated {
  key: string;
  title: string;
  /** The function that serves them, where there is one. */
  functionId?: string;
  /** Oldest first. */
  runs: readonly { id: string; at: string; planningCalls: number; succeeded: boolean; followed: boolean }[];
}

/** The runs of one calendar day, as this clock sees it. */
export interface Day {
  /** Midnight, where it began. */
  date: Date;
  answered: number;
  other: number;
}

/** What was asked more than once, the most asked first. Runs that go on say nothing yet. */
export function repeatedRequests(runs: readonly RunSummary[]): Repeated[] {
  const groups = new Map<string, Repeated & { runs: Repeated["runs"][number][] }>();
  for (const run of oldestFirst(runs)) {
    if (run.status !== "ended") continue;
    const followed = run.functionsUsed.find((one) => one.followed);
    const served = followed ?? run.learnedFunction;
    const key = served?.id ?? words(run.goal);
    const group = groups.get(key) ?? {
      key,
      title: served?.title ?? run.goal,
      ...(served && { functionId: served.id }),
      runs: [],
    };
    group.runs.push({
      id: run.id,
      at: run.createdAt,
      planningCalls: run.usage.planningCalls,
      succeeded: run.outcome === "answered",
      followed: followed !== undefined,
    });
    groups.set(key, group);
  }
  return [...groups.values()]
    .filter((group) => group.runs.length > 1)
    .sort((one, other) => other.runs.length - one.runs.length);
}

/** The last `count` days, oldest first, days without a run among them. */
export function runsByDay(runs: readonly RunSummary[], count: number, now: Date): Day[] {
  const days = Array.from({ length: count }, (_, index): Day => {
    const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index));
    return { date, answered: 0, other: 0 };
  });
  for (const run of runs) {
    if (run.status !== "ended") continue;
    const at = new Date(run.createdAt);
    const day = days.findLast(({ date }) => date <= at);
    if (!day) continue;
    if (run.outcome === "answered") day.answered += 1;
    else day.other += 1;
  }
  return days;
}

function oldestFirst(runs: readonly RunSummary[]): RunSummary[] {
  return [...runs].sort((one, other) => one.createdAt.localeCompare(other.createdAt));
}

/** The words of a request, whatever their case and the spaces and signs between them. */
function words(request: string): string {
  return request
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(" ");
}

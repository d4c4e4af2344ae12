import type { RunSummary } from "@metahuman/core/contract/run";

/** Requests that are equivalent for a person: served by the same function, or with the same words. */
export interface Repeated {
  key: string;
  title: string;
  /** The function that serves them, if any. */
  functionId?: string;
  /** Oldest first. */
  runs: readonly { id: string; at: string; planningCalls: number; succeeded: boolean; followed: boolean }[];
}

/** The runs of one calendar day, in the browser's time zone. */
export interface Day {
  /** Midnight at its start. */
  date: Date;
  answered: number;
  other: number;
}

/** The requests that occurred more than once, the most frequent first. Runs in progress are excluded. */
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

/** The last `count` days, oldest first, including days without a run. */
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

/** Normalizes the words of a request: case, spaces and punctuation do not matter. */
function words(request: string): string {
  return request
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(" ");
}

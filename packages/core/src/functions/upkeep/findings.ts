import type { FunctionMemory } from "../../contract/function.ts";
import { successText } from "../../contract/function-report.ts";
import type { UpkeepFinding } from "../../contract/function-upkeep.ts";
import { isFailing } from "./success-bound.ts";
import { contentStems } from "../../text/words.ts";

const DAY_MS = 86_400_000;
/** The title similarity from which functions with the same skill sequence count as duplicates. */
const SAME_TITLE = 0.7;
const STALE_DAYS = 180;
const UNUSED_DAYS = 90;

/** The maintenance findings, worst first. A pure function. */
export function findingsOf(functions: readonly FunctionMemory[], now: Date): UpkeepFinding[] {
  const inService = functions.filter(({ status }) => status === "active" || status === "pending_approval");
  return [...failing(inService), ...duplicates(inService), ...idle(inService, now)];
}

function failing(functions: readonly FunctionMemory[]): UpkeepFinding[] {
  return functions
    .filter(({ stats }) => isFailing(stats))
    .map(({ id, title, stats: { executions, successes, lastFailure } }) => ({
      kind: "failing",
      functionId: id,
      title,
      reason: `It ${successText({ executions, successes })}${lastFailure === undefined ? "" : `; last: ${lastFailure}`}.`,
      action: "disable",
      done: false,
    }));
}

/** Compares only functions with the same skill sequence, so that each group is small. */
function duplicates(functions: readonly FunctionMemory[]): UpkeepFinding[] {
  const groups = new Map<string, FunctionMemory[]>();
  for (const each of functions) {
    const key = JSON.stringify([each.kind, each.skillsUsed]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const distinct: FunctionMemory[] = [];
    const found: UpkeepFinding[] = [];
    for (const each of group.sort(byTrustAndUse)) {
      const same = distinct.find(
        (other) => titleSimilarity(other.title, each.title) >= SAME_TITLE && haveSameParameters(other, each),
      );
      if (!same) {
        distinct.push(each);
        continue;
      }
      found.push({
        kind: "duplicate",
        functionId: each.id,
        title: each.title,
        otherId: same.id,
        reason: `It does what “${same.title}” does.`,
        action: "propose-merge",
        done: false,
      });
    }
    return found;
  });
}

function idle(functions: readonly FunctionMemory[], now: Date): UpkeepFinding[] {
  const isOlder = (at: string, days: number): boolean => now.getTime() - Date.parse(at) > days * DAY_MS;
  return functions.flatMap(({ id, title, usageCount, lastUsedAt, createdAt }): UpkeepFinding[] => {
    if (usageCount === 0 && isOlder(createdAt, UNUSED_DAYS))
      return [note("unused", id, title, `It has not been used since ${createdAt.slice(0, 10)}.`)];
    if (lastUsedAt !== undefined && isOlder(lastUsedAt, STALE_DAYS))
      return [note("stale", id, title, `It was last used on ${lastUsedAt.slice(0, 10)}.`)];
    return [];
  });
}

function note(kind: "unused" | "stale", functionId: string, title: string, reason: string): UpkeepFinding {
  return { kind, functionId, title, reason, action: "none", done: false };
}

/** Sorts by trust and use, so that duplicates are merged into the best function. */
function byTrustAndUse(a: FunctionMemory, b: FunctionMemory): number {
  const rankDuplicate = ({ trust, usageCount }: FunctionMemory): number =>
    (trust === "verified" ? 1e9 : 0) + usageCount;
  return rankDuplicate(b) - rankDuplicate(a) || (a.createdAt < b.createdAt ? -1 : 1);
}

function haveSameParameters(one: FunctionMemory, other: FunctionMemory): boolean {
  const shape = ({ parameters }: FunctionMemory): string =>
    parameters
      .map(({ type, required }) => `${type}${required ? "" : "?"}`)
      .sort()
      .join(" ");
  return shape(one) === shape(other);
}

/** The Jaccard similarity of the titles' stems, 0–1. */
function titleSimilarity(one: string, other: string): number {
  const [a, b] = [contentStems(one), contentStems(other)];
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const stem of a) if (b.has(stem)) shared += 1;
  return shared / (a.size + b.size - shared);
}

import type { UseCounts } from "@metahuman/core/contract/memory";
import { formatDateTime } from "../../lib/format/format.ts";

const KINDS = [
  ["cited", "cited in an answer"],
  ["followed", "followed by an action"],
  ["opened", "opened from a search"],
  ["useful", "found useful"],
  ["not_useful", "found not useful"],
] as const;

/** How often a memory was of use, as a sentence. */
export function usageSentence(uses: UseCounts, importance: number): string {
  const told = KINDS.filter(([kind]) => uses[kind] > 0).map(
    ([kind, words]) => `${words} ${uses[kind] === 1 ? "once" : `${String(uses[kind])} times`}`,
  );
  const first = told.length === 0 ? "Not used yet" : sentence(told.join(", "));
  const last = uses.lastUsedAt === undefined ? "" : `, last ${formatDateTime(uses.lastUsedAt)}`;
  return `${first}${last}. Importance ${importance.toFixed(2)}.`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

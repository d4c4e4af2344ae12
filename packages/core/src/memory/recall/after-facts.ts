import type { Scored } from "./candidate.ts";

/** What an earlier exchange loses of its score where a memory that is no talk fits as well. */
const LOST = 0.4;

/**
 * Takes from the score of earlier exchanges, as a part of its own, when something else fits: who asks again has the words
 * of the first question in them, and would be answered with that question instead of with what is known.
 */
export function afterFacts(scored: readonly Scored[]): readonly Scored[] {
  const isKnown = scored.some((one) => !isTalk(one) && one.fit >= 1);
  if (!isKnown) return scored;
  return scored.map((one) => {
    if (!isTalk(one)) return one;
    const value = -LOST * one.score;
    const part = { name: "talk", value, detail: "an earlier exchange; what is known comes first" } as const;
    return { ...one, score: one.score + value, parts: [...one.parts, part] };
  });
}

function isTalk({ candidate }: Scored): boolean {
  return candidate.entry.type === "conversation";
}

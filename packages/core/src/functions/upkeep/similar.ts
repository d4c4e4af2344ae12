import { stemOf } from "../../memory/text/stem.ts";
import { contentWords } from "../../memory/text/words.ts";

/** How alike two titles are: shared stems as a share of all (Jaccard), 0–1. */
export function titleSimilarity(one: string, other: string): number {
  const [a, b] = [stemsOf(one), stemsOf(other)];
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const stem of a) if (b.has(stem)) shared += 1;
  return shared / (a.size + b.size - shared);
}

function stemsOf(title: string): Set<string> {
  return new Set(contentWords(title).map(stemOf));
}

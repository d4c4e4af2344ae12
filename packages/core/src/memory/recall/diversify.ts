import type { Scored } from "./candidate.ts";

/** Texts with this share of words in common say the same. */
const SAME = 0.95;

/**
 * Puts what only repeats a better one behind everything else, so that ten copies of one conversation do not fill a list
 * (after maximal marginal relevance, Carbonell & Goldstein 1998). Expects and keeps the order by score otherwise.
 */
export function diversify(scored: readonly Scored[]): Scored[] {
  const chosen: { scored: Scored; stems: Set<string> }[] = [];
  const repeated: Scored[] = [];
  for (const each of scored) {
    const stems = new Set(each.candidate.entry.stems);
    if (chosen.some((other) => overlap(other.stems, stems) >= SAME)) repeated.push(each);
    else chosen.push({ scored: each, stems });
  }
  return [...chosen.map((each) => each.scored), ...repeated];
}

/** Shared words as a share of all (Jaccard). */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  if (Math.min(one.size, other.size) < SAME * Math.max(one.size, other.size)) return 0;
  let shared = 0;
  for (const stem of one) if (other.has(stem)) shared += 1;
  return shared / (one.size + other.size - shared);
}

import { distance } from "fastest-levenshtein";

/** Longer words are compared by their first characters only: the distance costs the product of both lengths. */
const COMPARED = 200;

const fold = (text: string): string => text.normalize("NFKC").toLowerCase().slice(0, COMPARED);

/** Single changes that make one word the other; letters in the wrong order count as one of them. */
function slips(word: string, other: string): number {
  const letters = (text: string): string => Array.from(text).sort().join("");
  const reordered = word !== other && word.length === other.length && letters(word) === letters(other);
  return distance(word, other) - (reordered ? 1 : 0);
}

/**
 * The candidates a slip of the pen away from `written`, best first: for suggestions in errors. A candidate counts when
 * at most 40 % of the longer word differs, or when one contains the other (three characters at least).
 */
export function nearest(written: string, candidates: Iterable<string>, limit = 3): string[] {
  const word = fold(written);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const other = fold(candidate);
    const length = Math.max(word.length, other.length);
    const shorter = Math.min(word.length, other.length);
    const contained = shorter >= 3 && (word.includes(other) || other.includes(word));
    const share = length === 0 ? 1 : slips(word, other) / length;
    if (share <= 0.4 || contained)
      scored.push({ candidate, score: contained ? Math.min(share, 0.4) : share });
  }
  return scored
    .sort((a, b) => a.score - b.score || a.candidate.localeCompare(b.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

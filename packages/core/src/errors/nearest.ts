import { distance } from "fastest-levenshtein";

/** Longer words are compared by their first characters only, because the distance is quadratic. */
const MAX_COMPARED_LENGTH = 200;

const fold = (text: string): string => text.normalize("NFKC").toLowerCase().slice(0, MAX_COMPARED_LENGTH);

/** Returns the edit distance; transposed letters count as one edit. */
function editDistance(word: string, other: string): number {
  const letters = (text: string): string => Array.from(text).sort().join("");
  const isReordered = word !== other && word.length === other.length && letters(word) === letters(other);
  return distance(word, other) - (isReordered ? 1 : 0);
}

/**
 * Returns the candidates similar to `written`, best first, for suggestions in errors. A candidate qualifies if at
 * most `maxShare` of the longer word differs or if one contains the other (at least three characters).
 */
export function nearest(
  written: string,
  candidates: Iterable<string>,
  limit = 3,
  { maxShare = 0.4 }: { maxShare?: number } = {},
): string[] {
  const word = fold(written);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const other = fold(candidate);
    const length = Math.max(word.length, other.length);
    const shorter = Math.min(word.length, other.length);
    const isContained = shorter >= 3 && (word.includes(other) || other.includes(word));
    const share = length === 0 ? 1 : editDistance(word, other) / length;
    if (share <= maxShare || isContained)
      scored.push({ candidate, score: isContained ? Math.min(share, maxShare) : share });
  }
  return scored
    .sort((a, b) => a.score - b.score || a.candidate.localeCompare(b.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

import type { Calibration } from "./calibration.ts";
import type { Features, ScorePart } from "./candidate.ts";

/** How steeply a place in an order loses its worth (reciprocal rank fusion, Cormack et al. 2009, there 60). */
const RANK_CONSTANT = 10;
/** How much places count, beside strengths: places alone forget that the first is far ahead of the second. */
const RANKS = 0.3;
/** What words and meaning make up together at most; the priors have the rest. */
const RELEVANCE = 0.85;

/**
 * Merges the orders by words and by meaning: weighted reciprocal ranks, together with each score as a share of the best
 * in its order. A memory that is first in both has the full `RELEVANCE`.
 */
export function fuse(
  candidates: readonly Features[],
  calibration: Calibration,
): (candidate: Features) => ScorePart[] {
  const bestScore = Math.max(...candidates.map(({ words }) => words?.score ?? 0));
  const bestSimilarity = Math.max(...candidates.map(({ meaning }) => meaning?.similarity ?? 0));
  const byMeaning = bestSimilarity > 0;
  const rankWeight = byMeaning ? calibration.meaningByRank : 0;
  const strengthWeight = byMeaning ? calibration.meaningByStrength : 0;
  const ofRank = (rank: number): number => (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank);

  const combine = (rank: number, strength: number, weightOfRank: number, weightOfStrength: number): number =>
    RELEVANCE *
    ((RANKS * ofRank(rank) * weightOfRank) / (1 + rankWeight) +
      ((1 - RANKS) * Math.max(0, strength) * weightOfStrength) / (1 + strengthWeight));

  return ({ words, meaning }) => {
    const parts: ScorePart[] = [];
    if (words) {
      parts.push({
        name: "words",
        value: combine(words.rank, words.score / bestScore, 1, 1),
        detail: `place ${words.rank} by words (${words.matched.join(", ")}), ${Math.round(words.coverage * 100)} % of what was asked`,
      });
    }
    if (meaning && byMeaning) {
      parts.push({
        name: "meaning",
        value: combine(meaning.rank, meaning.similarity / bestSimilarity, rankWeight, strengthWeight),
        detail: `place ${meaning.rank} by meaning, similarity ${meaning.similarity.toFixed(2)}`,
      });
    }
    return parts;
  };
}

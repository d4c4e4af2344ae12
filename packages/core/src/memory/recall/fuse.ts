import type { Calibration } from "./calibration.ts";
import type { Features, ScorePart, Strongest } from "./candidate.ts";

/** The constant of reciprocal rank fusion (Cormack et al. 2009 use 60); smaller values favor the first ranks. */
const RANK_CONSTANT = 10;
/** The weight of ranks against scores: ranks alone ignore how far the first is ahead of the second. */
const RANK_SHARE = 0.3;
/** The maximum of keyword and semantic relevance together; priors add the rest. */
const RELEVANCE = 0.85;

/** The best features of some candidates. */
export function strongestOf(candidates: readonly Features[]): Strongest {
  return {
    score: Math.max(0, ...candidates.map(({ words }) => words?.score ?? 0)),
    similarity: Math.max(0, ...candidates.map(({ meaning }) => meaning?.similarity ?? 0)),
  };
}

/**
 * Fuses the keyword and the semantic ranking: weighted reciprocal ranks plus each score as a share of the best in its
 * ranking. A memory that is first in both has the full `RELEVANCE`.
 */
export function fuse(strongest: Strongest, calibration: Calibration): (candidate: Features) => ScorePart[] {
  const byMeaning = strongest.similarity > 0;
  const rankWeight = byMeaning ? calibration.meaningByRank : 0;
  const strengthWeight = byMeaning ? calibration.meaningByStrength : 0;
  const ofRank = (rank: number): number => (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank);

  const combine = (rank: number, strength: number, weightOfRank: number, weightOfStrength: number): number =>
    RELEVANCE *
    ((RANK_SHARE * ofRank(rank) * weightOfRank) / (1 + rankWeight) +
      ((1 - RANK_SHARE) * Math.max(0, strength) * weightOfStrength) / (1 + strengthWeight));

  return ({ words, meaning }) => {
    const parts: ScorePart[] = [];
    if (words) {
      parts.push({
        name: "words",
        value: combine(words.rank, words.score / strongest.score, 1, 1),
        detail: () => `has ${Math.round(words.coverage * 100)} % of the words of the request`,
      });
    }
    if (meaning && byMeaning) {
      parts.push({
        name: "meaning",
        value: combine(meaning.rank, meaning.similarity / strongest.similarity, rankWeight, strengthWeight),
        detail: () => `similar in meaning (${meaning.similarity.toFixed(2)} of 1)`,
      });
    }
    return parts;
  };
}

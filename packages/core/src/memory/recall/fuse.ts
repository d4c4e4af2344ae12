import type { Calibration } from "./calibration.ts";
import type { Features, Scored, ScorePart, Strongest } from "./candidate.ts";

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

/** The overlap that texts on one subject usually have. Only overlap above it is penalized. */
const COMMON_OVERLAP = 0.6;
/** Texts with at least this overlap are duplicates. */
const DUPLICATE_OVERLAP = 0.95;
/** The share of the score that near duplicates and duplicates lose. */
const NEAR_DUPLICATE_PENALTY = 0.3;
const DUPLICATE_PENALTY = 0.85;
/** The number of results to diversify; later ones keep their order. */
const MAX_DIVERSIFIED = 40;

interface Choice {
  scored: Scored;
  stems: Uint32Array;
  /** The largest overlap with a selected text. */
  maxOverlap: number;
  /** The score after the penalty for this overlap. */
  score: number;
}

/**
 * Lowers the score of results that repeat better ones and yields all in the new order, so that ten copies of one conversation do not fill
 * a list (maximal marginal relevance, Carbonell & Goldstein 1998). The penalty is a score part of its own. Expects results
 * sorted by score.
 */
export function* diversify(scored: readonly Scored[]): Generator<Scored, undefined> {
  const rest = scored.slice(0, MAX_DIVERSIFIED).map((each): Choice => ({
    scored: each,
    stems: each.candidate.entry.stems,
    maxOverlap: 0,
    score: each.score,
  }));
  const later = scored.slice(MAX_DIVERSIFIED).values();
  let next = later.next();
  while (rest.length > 0) {
    const best = rest.reduce((one, other) => (other.score > one.score ? other : one));
    for (; next.done !== true && next.value.score > best.score; next = later.next()) yield next.value;
    rest.splice(rest.indexOf(best), 1);
    yield penalize(best);
    for (const other of rest) {
      const shared = overlap(best.stems, other.stems);
      if (shared <= other.maxOverlap) continue;
      other.maxOverlap = shared;
      other.score = penalizedScore(other);
    }
  }
  for (; next.done !== true; next = later.next()) yield next.value;
}

function penalizedScore({ scored, maxOverlap }: Pick<Choice, "scored" | "maxOverlap">): number {
  if (maxOverlap < COMMON_OVERLAP) return scored.score;
  const lost =
    maxOverlap >= DUPLICATE_OVERLAP
      ? DUPLICATE_PENALTY
      : (NEAR_DUPLICATE_PENALTY * (maxOverlap - COMMON_OVERLAP)) / (DUPLICATE_OVERLAP - COMMON_OVERLAP);
  return scored.score * (1 - lost);
}

function penalize({ scored, maxOverlap, score }: Choice): Scored {
  if (score === scored.score) return scored;
  const detail = () => `${Math.round(maxOverlap * 100)} % of its words are in a better match`;
  const part = { name: "repetition", value: score - scored.score, detail } as const;
  return { ...scored, score, parts: [...scored.parts, part] };
}

/** The Jaccard index of ascending hashes; 0 as soon as it cannot reach `COMMON_OVERLAP`, which ends most after a few. */
function overlap(one: Uint32Array, other: Uint32Array): number {
  if (one.length === 0 || other.length === 0) return 0;
  const all = one.length + other.length;
  /** The maximum number of hashes that only one of them may have. */
  const mostAlone = all - (2 * COMMON_OVERLAP * all) / (1 + COMMON_OVERLAP);
  if (Math.abs(one.length - other.length) > mostAlone) return 0;
  let shared = 0;
  let alone = 0;
  for (let mine = 0, theirs = 0; mine < one.length && theirs < other.length;) {
    const first = one[mine] ?? 0;
    const second = other[theirs] ?? 0;
    if (first === second) shared += 1;
    else if ((alone += 1) > mostAlone) return 0;
    if (first <= second) mine += 1;
    if (second <= first) theirs += 1;
  }
  return shared / (one.length + other.length - shared);
}

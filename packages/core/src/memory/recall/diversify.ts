import type { Scored } from "./candidate.ts";

/** Texts of one subject share words: only what they share beyond this share of all counts against the later one. */
const USUAL = 0.6;
/** Texts with this share of words in common say the same. */
const SAME = 0.95;
/** What a text loses of its score for saying nearly what a better one says, and for saying just the same. */
const LOST_BY_LIKENESS = 0.3;
const LOST_BY_SAMENESS = 0.85;
/** Places that are looked at; what stands further back is not moved. */
const PLACES = 40;

interface Choice {
  scored: Scored;
  stems: ReadonlySet<string>;
  /** The largest share of words in common with one that was chosen. */
  repeats: number;
}

/**
 * Takes from the score of what repeats better ones, as a part of its own, and orders by what is left, so that ten copies
 * of one conversation do not fill a list (maximal marginal relevance, Carbonell & Goldstein 1998). Expects the order by
 * score.
 */
export function diversify(scored: readonly Scored[]): Scored[] {
  const rest = scored
    .slice(0, PLACES)
    .map((each): Choice => ({ scored: each, stems: new Set(each.candidate.entry.stems), repeats: 0 }));
  const chosen: Scored[] = [];
  while (rest.length > 0) {
    const best = rest.reduce((one, other) => (worthOf(other) > worthOf(one) ? other : one));
    rest.splice(rest.indexOf(best), 1);
    chosen.push(withoutRepetition(best));
    for (const other of rest) other.repeats = Math.max(other.repeats, overlap(best.stems, other.stems));
  }
  return [...chosen, ...scored.slice(PLACES)].sort((a, b) => b.score - a.score);
}

function worthOf({ scored, repeats }: Choice): number {
  if (repeats < USUAL) return scored.score;
  const lost = repeats >= SAME ? LOST_BY_SAMENESS : (LOST_BY_LIKENESS * (repeats - USUAL)) / (SAME - USUAL);
  return scored.score * (1 - lost);
}

function withoutRepetition(choice: Choice): Scored {
  const { scored, repeats } = choice;
  const score = worthOf(choice);
  if (score === scored.score) return scored;
  const detail = `${Math.round(repeats * 100)} % of its words are in a better one`;
  const part = { name: "repetition", value: score - scored.score, detail } as const;
  return { ...scored, score, parts: [...scored.parts, part] };
}

/** Shared words as a share of all (Jaccard). */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  if (Math.min(one.size, other.size) < USUAL * Math.max(one.size, other.size)) return 0;
  let shared = 0;
  for (const stem of one) if (other.has(stem)) shared += 1;
  return shared / (one.size + other.size - shared);
}

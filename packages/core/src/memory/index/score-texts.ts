import { B, K1, type QueryTerm, SAME_FORM } from "./keyword-score.ts";
import { eachDocument } from "./postings.ts";
import {
  createTextScores,
  type LengthNormalization,
  type ScoreOptions,
  type SearchedTerm,
  type SearchedVariant,
} from "./text-scores.ts";
import type { WordIndex } from "./word-table.ts";

/** A text with one of the words of a query. */
export interface ScoredText {
  document: number;
  score: number;
  coverage: number;
  matched: string[];
}

/** A term in fewer texts is added without looking whether it can still change the result. */
const MIN_COMMON = 1_000;

/**
 * Scores all texts by BM25, term by term over the postings, those first that add much to few texts. Once no text
 * without the terms so far can be among the best, further terms only add to the texts that still can (MaxScore, Turtle
 * & Flood 1995), so the best are exact. Looks up the matched terms for the best texts only. Keeps the arrays, by
 * document number, between calls.
 */
export function createTextScorer(): (
  terms: readonly QueryTerm[],
  index: WordIndex,
  options: ScoreOptions,
) => ScoredText[] {
  const scores = createTextScores();

  return (terms, index, options) => {
    const normalization = lengthNormalization(index);
    scores.begin({ last: index.last, lengths: index.lengths, normalization });
    const searchedTerms = terms.map((term) => searchedTermIn(index, term, normalization));
    let rest = searchedTerms.reduce((sum, { most }) => sum + most, 0);
    let left: Uint32Array | undefined;
    for (const term of searchedTerms.toSorted(byYield)) {
      if (term.texts > MIN_COMMON) left = scores.contenders(options, rest, left) ?? left;
      scores.add(term, left);
      rest -= term.most;
    }
    const best = scores.best(options, left).documents.sort((one, other) => one - other);
    const matches = matchesOf(Uint32Array.from(best), searchedTerms);
    const found = best.map((document, index): ScoredText => {
      const { coverage = 0, matched = [] } = matches[index] ?? {};
      return { document, score: scores.of(document), coverage, matched };
    });
    scores.clear();
    return found;
  };
}

const NO_FORMS: ReadonlySet<string> = new Set();

function searchedTermIn(
  index: WordIndex,
  { stem, forms, spellings, synonyms, inverseFrequency: rarity }: QueryTerm,
  { fixed, perWord }: LengthNormalization,
): SearchedTerm {
  const variants: SearchedVariant[] = [];
  const sum = { texts: 0, most: 0, perWord: 0, weight: 0 };
  let hasForm = false;
  for (const { term, weight } of [...spellings, ...synonyms]) {
    const { texts, most, wordsEach } = index.factsOf(term);
    if (texts === 0) continue;
    const postings = index.postingsOf(term);
    const asked = term === stem ? forms : NO_FORMS;
    variants.push({ postings, weight, asked });
    hasForm ||= asked.size > 0 && postings.some(({ names }) => names.some((name) => asked.has(name)));
    sum.texts += texts;
    sum.most += most;
    sum.perWord += 1 / wordsEach;
    sum.weight = Math.max(sum.weight, weight);
  }
  if (sum.texts === 0) return { stem, variants, rarity, most: 0, texts: 0 };
  // A text with several variants counts the occurrences of each.
  const mostFrequent = (K1 + 1) / (1 + fixed / sum.most + perWord / sum.perWord);
  const most = rarity * (sum.weight + (hasForm ? SAME_FORM : 0)) * mostFrequent;
  return { stem, variants, rarity, most, texts: sum.texts };
}

/**
 * Terms that add much to few texts come first, so that most texts are ruled out before common terms: on texts with
 * Zipf's word frequencies, 40 % fewer postings are read than in the order of rarity, because a misspelled word counts
 * as rare although many texts may have it.
 */
function byYield(one: SearchedTerm, other: SearchedTerm): number {
  return other.most / Math.sqrt(1 + other.texts) - one.most / Math.sqrt(1 + one.texts);
}

function lengthNormalization({ averageLength }: WordIndex): LengthNormalization {
  return averageLength > 0
    ? { fixed: K1 * (1 - B), perWord: (K1 * B) / averageLength }
    : { fixed: K1, perWord: 0 };
}

/** The matched terms of some documents, which ascend, and the share of the query's rarity that those have. */
function matchesOf(
  documents: Uint32Array,
  terms: readonly SearchedTerm[],
): { coverage: number; matched: string[] }[] {
  const total = terms.reduce((sum, { rarity }) => sum + rarity, 0);
  const matches = Array.from(documents, () => ({ coverage: 0, matched: Array<string>() }));
  const weights = new Float64Array(documents.length);
  for (const { stem, variants, rarity } of terms) {
    weights.fill(0);
    for (const { postings, weight } of variants)
      for (const block of postings)
        eachDocument(block, { among: documents }, (_document, _count, _same, at) => {
          weights[at] = Math.max(weights[at] ?? 0, weight);
        });
    for (const [index, match] of matches.entries()) {
      const weight = weights[index] ?? 0;
      if (weight === 0) continue;
      match.coverage += (rarity * weight) / total;
      match.matched.push(stem);
    }
  }
  return matches;
}

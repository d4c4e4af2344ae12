import { contentWords, stemOf } from "../../text/words.ts";
import { isTypo } from "../../language/tokens/spelling.ts";

/** BM25 with the constants of Robertson & Zaragoza (2009). */
const K1 = 1.2;
const B = 0.75;
/** What the very same form of a word adds to its stem: "running" is nearer to "running" than to "run". */
const SAME_FORM = 0.5;
/** A word found in one of three records is no common word yet: small collections count as this large. */
const SMALLEST_COLLECTION = 200;
/** Longer requests are known by their rarest words. */
export const MOST_QUERY_STEMS = 48;

/** One word of a query: the indexed terms that stand for it, each with how well it does (1 is the stem itself). */
export interface QueryTerm {
  stem: string;
  forms: ReadonlySet<string>;
  variants: readonly { term: string; weight: number }[];
  inverseFrequency: number;
}

export interface KeywordScore {
  score: number;
  coverage: number;
  matched: string[];
}

/** The distinct stems of a query, each with the forms it was written in. */
export function queryStems(query: string): Map<string, Set<string>> {
  const stems = new Map<string, Set<string>>();
  for (const word of contentWords(query)) {
    const stem = stemOf(word);
    const forms = stems.get(stem);
    if (forms) forms.add(word);
    else stems.set(stem, new Set([word]));
  }
  return stems;
}

/** Texts that count beside those of a collection, so that a small one does not take a common word for a rare one. */
export interface Background {
  texts: number;
  /** How many of them have the stem. */
  count(stem: string): number;
}

/** How rare a word is: ln(1 + (N − n + ½) / (n + ½)). */
export function inverseFrequency(
  entries: number,
  entriesWithTerm: number,
  { stem, background }: { stem: string; background?: Background | undefined },
): number {
  if (background) {
    const withTerm = entriesWithTerm + background.count(stem);
    return Math.log(1 + (entries + background.texts - withTerm + 0.5) / (withTerm + 0.5));
  }
  const collection = Math.max(entries, SMALLEST_COLLECTION);
  return Math.log(1 + (collection - entriesWithTerm + 0.5) / (entriesWithTerm + 0.5));
}

/** What one word of a text does for one term of the query. */
interface Contribution {
  term: number;
  weight: number;
  sameForm: boolean;
}

/** Scores texts, given as their indexed words, for one query. Looks each distinct word up once, however many texts have it. */
export function createKeywordScorer(
  terms: readonly QueryTerm[],
  averageLength: number,
): (words: readonly string[]) => KeywordScore {
  const contributions = new Map<string, readonly Contribution[]>();
  const asked = terms.reduce((sum, { inverseFrequency: rarity }) => sum + rarity, 0);

  // No stemming changes how a word begins: most words need not be stemmed to see that they do not count.
  const initials = new Set(terms.flatMap(({ variants }) => variants.map(({ term }) => term.charCodeAt(0))));

  function contributionsOf(word: string): readonly Contribution[] {
    if (!initials.has(word.charCodeAt(0))) return [];
    const known = contributions.get(word);
    if (known) return known;
    const stem = stemOf(word);
    const found = terms.flatMap(({ variants, forms }, term) => {
      const variant = variants.find((each) => each.term === stem);
      return variant ? [{ term, weight: variant.weight, sameForm: forms.has(word) }] : [];
    });
    contributions.set(word, found);
    return found;
  }

  return (words) => {
    const frequencies = new Float64Array(terms.length);
    const sameForms = new Float64Array(terms.length);
    const weights = new Float64Array(terms.length);
    for (const word of words) {
      for (const { term, weight, sameForm } of contributionsOf(word)) {
        frequencies[term] = (frequencies[term] ?? 0) + 1;
        if (sameForm) sameForms[term] = (sameForms[term] ?? 0) + 1;
        weights[term] = Math.max(weights[term] ?? 0, weight);
      }
    }
    const relativeLength = averageLength > 0 ? words.length / averageLength : 1;
    const saturated = (frequency: number): number =>
      (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeLength));

    let score = 0;
    let found = 0;
    const matched: string[] = [];
    for (const [at, { stem, inverseFrequency: rarity }] of terms.entries()) {
      const weight = weights[at] ?? 0;
      if (weight === 0) continue;
      matched.push(stem);
      found += rarity * weight;
      score +=
        rarity * (weight * saturated(frequencies[at] ?? 0) + SAME_FORM * saturated(sameForms[at] ?? 0));
    }
    return { score, coverage: asked > 0 ? found / asked : 0, matched };
  };
}

const PREFIX_WEIGHT = 0.8;
const SLIP_WEIGHT = 0.75;
const MOST_VARIANTS = 24;

/**
 * Which of the indexed terms may stand for a query word that none of them equals: those it begins, and those a slip of
 * the pen away. `terms` are the ones with the same first character.
 */
export function looseVariants(stem: string, terms: Iterable<string>): { term: string; weight: number }[] {
  const variants: { term: string; weight: number }[] = [];
  for (const term of terms) {
    if (stem.length >= 2 && term.startsWith(stem)) variants.push({ term, weight: PREFIX_WEIGHT });
    else if (isTypo(stem, term)) variants.push({ term, weight: SLIP_WEIGHT });
  }
  return variants
    .sort((a, b) => b.weight - a.weight || a.term.length - b.term.length)
    .slice(0, MOST_VARIANTS);
}

/** A slip in the first character is rare: only terms that share it are looked at. */
export function firstCharacter(stem: string): string {
  return String.fromCodePoint(stem.codePointAt(0) ?? 0);
}

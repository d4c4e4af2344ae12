import { contentWords, indexedWords, stemOf } from "../../text/words.ts";
import { typoTest } from "../../language/tokens/spelling.ts";
import type { SearchMode } from "./search-index.ts";
import { synonymsOf } from "./synonyms.ts";

/** BM25 with the constants of Robertson & Zaragoza (2009). */
export const K1 = 1.2;
export const B = 0.75;
/** The bonus for the same form of a word: "running" matches "running" better than "run". */
export const SAME_FORM = 0.5;
/** The minimum collection size for rarity: a word in one of three records is not a common word. */
const MIN_COLLECTION = 200;
/** Longer requests are reduced to their rarest words. */
const MAX_QUERY_STEMS = 48;
/** The number of stems whose rarity is computed for a long request. */
const MAX_WEIGHED_STEMS = 400;

/** An indexed term that matches a word of a query: 1 is the stem itself. */
interface Variant {
  term: string;
  weight: number;
}

/** One word of a query with the indexed terms that match it. */
export interface QueryTerm {
  stem: string;
  forms: ReadonlySet<string>;
  spellings: readonly Variant[];
  /** Other words for it, with the number of their entries. */
  synonyms: readonly (Variant & { count: number })[];
  inverseFrequency: number;
  /** The number of entries with the stem. */
  count: number;
}

/** The statistics of the indexed stems. */
export interface Vocabulary {
  entries: number;
  /** The number of entries with a stem. */
  countOf: (stem: string) => number;
  /** The stems that begin with a character. */
  startingWith: (character: string) => Iterable<string>;
  background?: Background | undefined;
}

/** The words of a query, rarest first; for a long query, only the rarest. Only a loose search corrects typos. */
export function queryTerms(query: string, mode: SearchMode, vocabulary: Vocabulary): QueryTerm[] {
  const { entries, countOf, startingWith, background } = vocabulary;
  const terms = [...queryStems(query)].slice(0, MAX_WEIGHED_STEMS).map(([stem, forms]): QueryTerm => {
    const count = countOf(stem);
    const synonyms = synonymsOf(stem)
      .map(({ stem: term, weight }) => ({ term, weight, count: countOf(term) }))
      .filter((synonym) => synonym.count > 0);
    const spellings =
      mode === "loose" && count === 0
        ? looseVariants(stem, startingWith(firstCharacter(stem)))
        : [{ term: stem, weight: 1 }];
    // A word that no entry has is as rare as its synonyms, by which it is found.
    const found = count > 0 ? count : synonyms.reduce((sum, synonym) => sum + synonym.count, 0);
    const rarity = inverseFrequency(entries, found, { stem, background });
    return { stem, forms, spellings, synonyms, count, inverseFrequency: rarity };
  });
  return terms.sort((a, b) => b.inverseFrequency - a.inverseFrequency).slice(0, MAX_QUERY_STEMS);
}

export interface KeywordScore {
  score: number;
  coverage: number;
  matched: string[];
}

/** The distinct stems of a query, each with its written forms. */
function queryStems(query: string): Map<string, Set<string>> {
  const stems = new Map<string, Set<string>>();
  for (const word of contentWords(query)) {
    const stem = stemOf(word);
    const forms = stems.get(stem);
    if (forms) forms.add(word);
    else stems.set(stem, new Set([word]));
  }
  return stems;
}

/** Background texts for word frequencies, so that a common word is not rare in a small collection. */
export interface Background {
  texts: number;
  /** The number of texts that contain the stem. */
  count(stem: string): number;
}

/** The inverse document frequency of a word: ln(1 + (N − n + ½) / (n + ½)). */
export function inverseFrequency(
  entries: number,
  entriesWithTerm: number,
  { stem, background }: { stem: string; background?: Background | undefined },
): number {
  if (background) {
    const withTerm = entriesWithTerm + background.count(stem);
    return Math.log(1 + (entries + background.texts - withTerm + 0.5) / (withTerm + 0.5));
  }
  const collection = Math.max(entries, MIN_COLLECTION);
  return Math.log(1 + (collection - entriesWithTerm + 0.5) / (entriesWithTerm + 0.5));
}

/** The indexed words of a text and their stems, in order, each enclosed in spaces (`indexedText`). */
export interface IndexedText {
  words: string;
  stems: string;
  /** The number of words. */
  length: number;
}

/** Prepares a text for the index, so that no search has to split or stem it again. */
export function indexedText(text: string): IndexedText {
  const words = indexedWords(text);
  return { words: enclosed(words), stems: enclosed(words.map(stemOf)), length: words.length };
}

function enclosed(words: readonly string[]): string {
  return ` ${words.join(" ")} `;
}

/** The occurrences of ` word ` in enclosed words; neighbors share a space. */
function occurrences(text: string, spacedWord: string): number {
  let count = 0;
  for (
    let index = text.indexOf(spacedWord);
    index !== -1;
    index = text.indexOf(spacedWord, index + spacedWord.length - 1)
  )
    count += 1;
  return count;
}

/** BM25's saturated frequency of a term in a text, by the length of the text as a share of the average. */
function saturated(frequency: number, relativeLength: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeLength));
}

/** Scores indexed texts for one query. */
export function createKeywordScorer(
  terms: readonly QueryTerm[],
  averageLength: number,
): (text: IndexedText) => KeywordScore {
  const totalRarity = terms.reduce((sum, { inverseFrequency: rarity }) => sum + rarity, 0);
  const searched = terms.map(({ stem, forms, spellings, synonyms, inverseFrequency: rarity }) => ({
    stem,
    rarity,
    forms: [...forms].map((form) => ` ${form} `),
    variants: [...spellings, ...synonyms].map(({ term, weight }) => ({ term: ` ${term} `, weight })),
  }));

  return ({ words, stems, length }) => {
    const relativeLength = averageLength > 0 ? length / averageLength : 1;
    let score = 0;
    let found = 0;
    const matched: string[] = [];
    for (const { stem, rarity, forms, variants } of searched) {
      let frequency = 0;
      let weight = 0;
      for (const variant of variants) {
        const count = occurrences(stems, variant.term);
        if (count === 0) continue;
        frequency += count;
        weight = Math.max(weight, variant.weight);
      }
      if (frequency === 0) continue;
      let sameForm = 0;
      for (const form of forms) sameForm += occurrences(words, form);
      matched.push(stem);
      found += rarity * weight;
      score +=
        rarity *
        (weight * saturated(frequency, relativeLength) + SAME_FORM * saturated(sameForm, relativeLength));
    }
    return { score, coverage: totalRarity > 0 ? found / totalRarity : 0, matched };
  };
}

const PREFIX_WEIGHT = 0.8;
const TYPO_WEIGHT = 0.75;
const MAX_VARIANTS = 24;

/**
 * The indexed terms that approximate a query word: those it is a prefix of, and those one typo away. `terms` must share
 * its first character.
 */
function looseVariants(stem: string, terms: Iterable<string>): Variant[] {
  const variants: Variant[] = [];
  const isTypo = typoTest(stem);
  for (const term of terms) {
    if (stem.length >= 2 && term.startsWith(stem)) variants.push({ term, weight: PREFIX_WEIGHT });
    else if (isTypo(term)) variants.push({ term, weight: TYPO_WEIGHT });
  }
  return variants.sort((a, b) => b.weight - a.weight || a.term.length - b.term.length).slice(0, MAX_VARIANTS);
}

/** The character that variants share with the word: typos in the first character are rare. */
export function firstCharacter(stem: string): string {
  return String.fromCodePoint(stem.codePointAt(0) ?? 0);
}

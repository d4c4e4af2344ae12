import { B, K1, type QueryTerm, SAME_FORM } from "./keyword-score.ts";
import type { Postings } from "./postings.ts";
import type { WordIndex } from "./word-table.ts";

/** A text with one of the words of a query. */
export interface ScoredText {
  document: number;
  score: number;
  coverage: number;
  matched: string[];
}

export interface ScoreOptions {
  limit: number;
  /** Whether a document counts, by its number. */
  accepts: (document: number) => boolean;
}

/** What one term adds to the score of a document at most: the weight 1, and endless repetitions of the same form. */
const MOST_OF_RARITY = (K1 + 1) * (1 + SAME_FORM);
/** A term in fewer texts is added without looking whether it can still change the result. */
const MIN_COMMON = 2_000;
const BITS = 32;

/**
 * Scores all texts by BM25, term by term over the postings, the rarest first. Once no text without the terms so far can
 * be among the best, common terms only add to the texts already found (MaxScore, Turtle & Flood 1995), so the best are
 * exact. The arrays, by document number, are kept between calls.
 */
export function createTextScorer(): (
  terms: readonly QueryTerm[],
  index: WordIndex,
  options: ScoreOptions,
) => ScoredText[] {
  let capacity = 0;
  let scores = new Float64Array();
  let covered = new Float64Array();
  let low = new Int32Array();
  let high = new Int32Array();
  let touched = new Uint32Array();
  let size = 0;
  let merged = createMerger(0);

  function reserve(documents: number): void {
    if (documents <= capacity) return;
    capacity = Math.max(documents, 2 * capacity, 1_024);
    [scores, covered] = [new Float64Array(capacity), new Float64Array(capacity)];
    [low, high, touched] = [new Int32Array(capacity), new Int32Array(capacity), new Uint32Array(capacity)];
    merged = createMerger(capacity);
  }

  /** Adds a term to the scores of its documents, or of those that have a score already. */
  function add(
    { documents, counts, forms, isSame, weights }: WeighedPostings,
    { rarity, place, onlyKnown }: { rarity: number; place: number; onlyKnown: boolean },
    { lengths, averageLength }: WordIndex,
  ): void {
    const bits = place < BITS ? low : high;
    const bit = 1 << (place % BITS);
    const perWord = averageLength > 0 ? (K1 * B) / averageLength : 0;
    const fixed = averageLength > 0 ? K1 * (1 - B) : K1;
    for (let at = 0; at < documents.length; at += 1) {
      const document = documents[at] ?? 0;
      const length = lengths[document] ?? 0;
      let score = scores[document] ?? 0;
      if (length === 0 || (onlyKnown && score === 0)) continue;
      const weight = weights === undefined ? 1 : (weights[at] ?? 0);
      let count = counts[at] ?? 0;
      let same = (isSame[forms[at] ?? 0] ?? 0) * count;
      // The other forms of the document.
      for (; documents[at + 1] === document; at += 1) {
        const more = counts[at + 1] ?? 0;
        count += more;
        same += (isSame[forms[at + 1] ?? 0] ?? 0) * more;
      }
      if (score === 0) {
        touched[size] = document;
        size += 1;
      }
      const damping = fixed + perWord * length;
      score += rarity * weight * ((count * (K1 + 1)) / (count + damping));
      if (same > 0) score += rarity * SAME_FORM * ((same * (K1 + 1)) / (same + damping));
      scores[document] = score;
      covered[document] = (covered[document] ?? 0) + rarity * weight;
      bits[document] = (bits[document] ?? 0) | bit;
    }
  }

  /** The best documents so far, in no order, and the score that the last of them has; 0 while they are fewer. */
  function best({ limit, accepts }: ScoreOptions): { documents: number[]; threshold: number } {
    let documents: number[] = [];
    let threshold = 0;
    const truncate = (): void => {
      documents = documents
        .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || other - one)
        .slice(0, limit);
      if (documents.length === limit) threshold = scores[documents.at(-1) ?? 0] ?? 0;
    };
    for (let at = 0; at < size; at += 1) {
      const document = touched[at] ?? 0;
      if ((scores[document] ?? 0) < threshold || !accepts(document)) continue;
      documents.push(document);
      if (documents.length >= 2 * limit + 64) truncate();
    }
    truncate();
    return { documents, threshold };
  }

  function clear(): void {
    for (let at = 0; at < size; at += 1) {
      const document = touched[at] ?? 0;
      scores[document] = covered[document] = low[document] = high[document] = 0;
    }
    size = 0;
  }

  return (terms, index, options) => {
    reserve(index.last + 1);
    let rest = terms.reduce((sum, { inverseFrequency }) => sum + inverseFrequency, 0);
    const total = rest;
    let onlyKnown = false;
    for (const [place, term] of terms.entries()) {
      onlyKnown ||= term.count > MIN_COMMON && size > 0 && best(options).threshold > rest * MOST_OF_RARITY;
      for (const postings of merged.of(term, index))
        add(postings, { rarity: term.inverseFrequency, place, onlyKnown }, index);
      rest -= term.inverseFrequency;
    }
    const found = best(options).documents.map((document): ScoredText => ({
      document,
      score: scores[document] ?? 0,
      coverage: total > 0 ? (covered[document] ?? 0) / total : 0,
      matched: terms
        .filter((_, place) => (((place < BITS ? low : high)[document] ?? 0) & (1 << (place % BITS))) !== 0)
        .map(({ stem }) => stem),
    }));
    clear();
    return found;
  };
}

/** Occurrences by document and form, and the weight of each document. */
interface WeighedPostings {
  documents: Uint32Array;
  counts: Uint8Array | Uint32Array;
  forms: Uint8Array;
  /** By form, 1 if the query has it, else 0. */
  isSame: Uint8Array;
  /** 1 for each if there are none. */
  weights?: Float64Array;
}

/** Joins the stems that stand for one word of a query, by document. */
function createMerger(capacity: number) {
  const others = new Uint32Array(capacity);
  const sames = new Uint32Array(capacity);
  const weights = new Float64Array(capacity);
  const documents = new Uint32Array(capacity);

  function addAll(
    { documents: added, counts, forms }: Postings,
    isSame: Uint8Array,
    weight: number,
    size: number,
  ) {
    let end = size;
    for (let at = 0; at < added.length; at += 1) {
      const document = added[at] ?? 0;
      if (document >= capacity) continue;
      if (weights[document] === 0) {
        documents[end] = document;
        end += 1;
      }
      const sums = isSame[forms[at] ?? 0] === 1 ? sames : others;
      sums[document] = (sums[document] ?? 0) + (counts[at] ?? 0);
      if (weight > (weights[document] ?? 0)) weights[document] = weight;
    }
    return end;
  }

  /** One posting for the forms of the query and one for all others, where there are both. */
  function ofVariants(
    { stem, forms: asked, spellings, synonyms }: QueryTerm,
    index: WordIndex,
  ): WeighedPostings {
    let size = 0;
    for (const { term, weight } of [...spellings, ...synonyms])
      for (const postings of index.postingsOf(term))
        size = addAll(postings, sameForms(postings, term === stem ? asked : undefined), weight, size);
    const found = documents.subarray(0, size);
    const joined = {
      documents: new Uint32Array(2 * size),
      counts: new Uint32Array(2 * size),
      forms: new Uint8Array(2 * size),
      weights: new Float64Array(2 * size),
    };
    for (const [at, document] of found.entries()) {
      joined.documents.fill(document, 2 * at, 2 * at + 2);
      joined.weights.fill(weights[document] ?? 0, 2 * at, 2 * at + 2);
      joined.counts[2 * at] = others[document] ?? 0;
      joined.counts[2 * at + 1] = sames[document] ?? 0;
      joined.forms[2 * at + 1] = 1;
      others[document] = sames[document] = weights[document] = 0;
    }
    return { ...joined, isSame: Uint8Array.of(0, 1) };
  }

  return {
    of(term: QueryTerm, index: WordIndex): WeighedPostings[] {
      const { spellings, synonyms, stem, forms: asked } = term;
      const [only] = spellings;
      if (spellings.length + synonyms.length !== 1 || only?.term !== stem) return [ofVariants(term, index)];
      return index.postingsOf(stem).map((postings) => ({ ...postings, isSame: sameForms(postings, asked) }));
    },
  };
}

/** For each form of the postings, 1 if the query has it. */
function sameForms({ names }: Postings, asked: ReadonlySet<string> | undefined): Uint8Array {
  return Uint8Array.from(names, (name) => (asked?.has(name) === true ? 1 : 0));
}

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

/** A term in fewer texts is added without looking whether it can still change the result. */
const MIN_COMMON = 1_000;
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
  const scores = createScores();
  let merged = createMerger(0);

  return (terms, index, options) => {
    scores.reserve(index.last + 1);
    if (merged.capacity <= index.last) merged = createMerger(2 * (index.last + 1));
    const { lengths } = index;
    const damping = dampingIn(index);
    const bounds = terms.map((term, place) => ({ term, place, ...boundsOf(term, index, damping) }));
    const total = terms.reduce((sum, { inverseFrequency }) => sum + inverseFrequency, 0);
    let rest = bounds.reduce((sum, { most }) => sum + most, 0);
    let left: Uint32Array | undefined;
    for (const { term, place, texts, most } of bounds.toSorted(byYield)) {
      if (texts > MIN_COMMON) left ??= scores.contenders(options, rest);
      const how = { rarity: term.inverseFrequency, place, ...damping, lengths };
      for (const postings of merged.of(term, index, left)) scores.add({ postings, ...how }, left);
      rest -= most;
    }
    const found = scores.best(options, left).documents.map((document): ScoredText => {
      const { score, rarity, low, high } = scores.of(document);
      return {
        document,
        score,
        coverage: total > 0 ? rarity / total : 0,
        matched: matchedIn(terms, low, high),
      };
    });
    scores.clear();
    return found;
  };
}

/** The scores of texts for one query, by document number. The arrays are kept for the next query. */
function createScores() {
  let capacity = 0;
  let scores = new Float64Array();
  let covered = new Float64Array();
  let low = new Int32Array();
  let high = new Int32Array();
  let touched = new Uint32Array();
  let possible = new Uint32Array();
  let size = 0;
  let highest = 0;

  /** Makes room for documents with numbers below a limit. */
  function reserve(documents: number): void {
    if (documents <= capacity) return;
    capacity = Math.max(documents, 2 * capacity, 1_024);
    [scores, covered] = [new Float64Array(capacity), new Float64Array(capacity)];
    [low, high] = [new Int32Array(capacity), new Int32Array(capacity)];
    [touched, possible] = [new Uint32Array(capacity), new Uint32Array(capacity)];
  }

  /** Adds the occurrences in the document at a place of the postings. Returns the place of the last one. */
  function addAt(
    place: number,
    { postings, rarity, place: termPlace, fixed, perWord, lengths }: Addition,
  ): number {
    const { documents, counts, forms, isSame, weights } = postings;
    const document = documents[place] ?? 0;
    let at = place;
    let count = counts[at] ?? 0;
    let same = (isSame[forms[at] ?? 0] ?? 0) * count;
    // The other forms of the document.
    for (; documents[at + 1] === document; at += 1) {
      const more = counts[at + 1] ?? 0;
      count += more;
      same += (isSame[forms[at + 1] ?? 0] ?? 0) * more;
    }
    const weight = weights === undefined ? 1 : (weights[place] ?? 0);
    const damping = fixed + perWord * (lengths[document] ?? 0);
    let score = (scores[document] ?? 0) + rarity * weight * ((count * (K1 + 1)) / (count + damping));
    if (same > 0) score += rarity * SAME_FORM * ((same * (K1 + 1)) / (same + damping));
    scores[document] = score;
    if (score > highest) highest = score;
    covered[document] = (covered[document] ?? 0) + rarity * weight;
    const bits = termPlace < BITS ? low : high;
    bits[document] = (bits[document] ?? 0) | (1 << (termPlace % BITS));
    return at;
  }

  /** Adds a term to the scores of its documents, or of some of them, which ascend as the postings do. */
  function add(addition: Addition, some: Uint32Array | undefined): void {
    const { documents } = addition.postings;
    if (some) {
      let at = 0;
      for (let next = 0; next < some.length; next += 1) {
        const document = some[next] ?? 0;
        at = firstFrom(documents, document, at);
        if (documents[at] === document) at = addAt(at, addition) + 1;
      }
      return;
    }
    for (let at = 0; at < documents.length; at += 1) {
      const document = documents[at] ?? 0;
      if ((addition.lengths[document] ?? 0) === 0) continue;
      if (scores[document] === 0) {
        touched[size] = document;
        size += 1;
      }
      at = addAt(at, addition);
    }
  }

  /** The best documents so far, in no order, and the score that the last of them has; 0 while they are fewer. */
  function best(
    { limit, accepts }: ScoreOptions,
    among: Uint32Array = touched.subarray(0, size),
  ): { documents: number[]; threshold: number } {
    let documents: number[] = [];
    let threshold = 0;
    const truncate = (): void => {
      documents = documents
        .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || other - one)
        .slice(0, limit);
      if (documents.length === limit) threshold = scores[documents.at(-1) ?? 0] ?? 0;
    };
    // By index, because iterating over a typed array creates an object for each value.
    for (let at = 0; at < among.length; at += 1) {
      const document = among[at] ?? 0;
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
    size = highest = 0;
  }

  /** The documents that can be among the best when the terms left add `rest` at most; undefined if others can, too. */
  function contenders(options: ScoreOptions, rest: number): Uint32Array | undefined {
    if (highest <= rest) return undefined;
    const { threshold } = best(options);
    if (threshold <= rest) return undefined;
    let count = 0;
    for (let at = 0; at < size; at += 1) {
      const document = touched[at] ?? 0;
      if ((scores[document] ?? 0) + rest < threshold || !options.accepts(document)) continue;
      possible[count] = document;
      count += 1;
    }
    return possible.subarray(0, count).sort();
  }

  return {
    reserve,
    add,
    best,
    contenders,
    clear,
    /** The score, the rarity of the terms found, and their marks. */
    of: (document: number) => ({
      score: scores[document] ?? 0,
      rarity: covered[document] ?? 0,
      low: low[document] ?? 0,
      high: high[document] ?? 0,
    }),
  };
}

/** The stems of the terms that are marked. */
function matchedIn(terms: readonly QueryTerm[], low: number, high: number): string[] {
  return terms
    .filter((_, place) => ((place < BITS ? low : high) & (1 << (place % BITS))) !== 0)
    .map(({ stem }) => stem);
}

/** The postings of a term, and what their scores depend on. */
interface Addition {
  postings: WeighedPostings;
  rarity: number;
  /** The place of the term in the query. */
  place: number;
  /** The damping of a frequency: a part that is fixed, and one for each word of the document. */
  fixed: number;
  perWord: number;
  lengths: Uint32Array;
}

function dampingIn({ averageLength }: WordIndex): Pick<Addition, "fixed" | "perWord"> {
  return averageLength > 0
    ? { fixed: K1 * (1 - B), perWord: (K1 * B) / averageLength }
    : { fixed: K1, perWord: 0 };
}

/** What is known of a term before its postings are read. */
interface Bounds {
  /** What it adds to the score of a document at most. */
  most: number;
  /** The number of its texts. */
  texts: number;
}

/**
 * First what adds much to few texts, so that common terms come when most texts are ruled out: on texts with Zipf's word
 * frequencies, 40 % fewer postings are read than in the order of rarity, because a misspelled word counts as rare although
 * many texts may have it.
 */
function byYield(one: Bounds, other: Bounds): number {
  return other.most / Math.sqrt(1 + other.texts) - one.most / Math.sqrt(1 + one.texts);
}

/** A text with several of a term's spellings and synonyms counts for each. */
function boundsOf(
  { stem, forms, spellings, synonyms, inverseFrequency }: QueryTerm,
  index: WordIndex,
  { fixed, perWord }: Pick<Addition, "fixed" | "perWord">,
): Bounds {
  const sum = { texts: 0, most: 0, perWord: 0, weight: 0 };
  for (const { term, weight } of [...spellings, ...synonyms]) {
    const { texts, most, wordsEach } = index.factsOf(term);
    if (texts === 0) continue;
    sum.texts += texts;
    sum.most += most;
    sum.perWord += 1 / wordsEach;
    sum.weight = Math.max(sum.weight, weight);
  }
  if (sum.texts === 0) return { most: 0, texts: 0 };
  const mostFrequent = (K1 + 1) / (1 + fixed / sum.most + perWord / sum.perWord);
  const hasForm =
    spellings.some(({ term }) => term === stem) &&
    index.postingsOf(stem).some(({ names }) => names.some((name) => forms.has(name)));
  return {
    most: inverseFrequency * (sum.weight + (hasForm ? SAME_FORM : 0)) * mostFrequent,
    texts: sum.texts,
  };
}

/** Whether a term is found as itself only. */
function isAlone({ spellings, synonyms, stem }: QueryTerm): boolean {
  return spellings.length === 1 && synonyms.length === 0 && spellings[0]?.term === stem;
}

/** The first place, from one on, with a number of at least `least`; the length of the list if there is none. */
function firstFrom(ascending: Uint32Array, least: number, from: number): number {
  let low = from;
  let step = 1;
  while (low + step < ascending.length && (ascending[low + step] ?? 0) < least) {
    low += step;
    step *= 2;
  }
  let high = Math.min(ascending.length, low + step + 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
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

  /** Adds the occurrences at a place. Returns the number of documents so far. */
  function addAt(
    { documents: added, counts, forms }: Postings,
    at: number,
    { isSame, weight }: { isSame: Uint8Array; weight: number },
    size: number,
  ): number {
    const document = added[at] ?? 0;
    const sums = isSame[forms[at] ?? 0] === 1 ? sames : others;
    sums[document] = (sums[document] ?? 0) + (counts[at] ?? 0);
    const known = weights[document] ?? 0;
    if (weight > known) weights[document] = weight;
    if (known > 0) return size;
    documents[size] = document;
    return size + 1;
  }

  /** Adds the occurrences in all documents, or in some that ascend. Returns the number of documents so far. */
  function addAll(
    postings: Postings,
    how: { isSame: Uint8Array; weight: number },
    some: Uint32Array | undefined,
    size: number,
  ): number {
    const { documents: added } = postings;
    let end = size;
    let at = 0;
    if (!some) {
      for (; at < added.length; at += 1) if ((added[at] ?? 0) < capacity) end = addAt(postings, at, how, end);
      return end;
    }
    for (let next = 0; next < some.length; next += 1) {
      const document = some[next] ?? 0;
      for (at = firstFrom(added, document, at); added[at] === document; at += 1)
        end = addAt(postings, at, how, end);
    }
    return end;
  }

  /** One posting for the forms of the query and one for all others, where there are both. */
  function ofVariants(
    { stem, forms: asked, spellings, synonyms }: QueryTerm,
    index: WordIndex,
    some: Uint32Array | undefined,
  ): WeighedPostings {
    let size = 0;
    for (const { term, weight } of [...spellings, ...synonyms])
      for (const postings of index.postingsOf(term)) {
        const isSame = sameForms(postings, term === stem ? asked : undefined);
        size = addAll(postings, { isSame, weight }, some, size);
      }
    const found = documents.subarray(0, size);
    if (some) found.sort();
    const joined = {
      documents: new Uint32Array(2 * size),
      counts: new Uint32Array(2 * size),
      forms: new Uint8Array(2 * size),
      weights: new Float64Array(2 * size),
    };
    for (let at = 0; at < found.length; at += 1) {
      const document = found[at] ?? 0;
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
    capacity,
    /** The postings of a term. Those of several stems are in no order, or of `some` documents only and ascend. */
    of(term: QueryTerm, index: WordIndex, some: Uint32Array | undefined): WeighedPostings[] {
      const { stem, forms: asked } = term;
      if (!isAlone(term)) return [ofVariants(term, index, some)];
      return index.postingsOf(stem).map((postings) => ({ ...postings, isSame: sameForms(postings, asked) }));
    },
  };
}

/** For each form of the postings, 1 if the query has it. */
function sameForms({ names }: Postings, asked: ReadonlySet<string> | undefined): Uint8Array {
  return Uint8Array.from(names, (name) => (asked?.has(name) === true ? 1 : 0));
}

import { K1, SAME_FORM } from "./keyword-score.ts";
import { eachDocument, inRangeOf, LOOKUP_COST, type Postings, sameForms } from "./postings.ts";

export interface ScoreOptions {
  limit: number;
  /** Whether a document counts, by its number. */
  accepts: (document: number) => boolean;
}

/** A query term with its statistics in the index. */
export interface SearchedTerm {
  stem: string;
  /** The indexed stems that match it. */
  variants: readonly SearchedVariant[];
  /** The inverse document frequency. */
  rarity: number;
  /** The maximum that it adds to the score of a document. */
  most: number;
  /** The number of its texts; one with several variants counts for each. */
  texts: number;
}

export interface SearchedVariant {
  postings: readonly Postings[];
  /** The share of the term's rarity that it has. */
  weight: number;
  /** The written forms in the query; none for another stem than that of the query. */
  asked: ReadonlySet<string>;
}

/** How BM25 reduces a term frequency in long documents: by a fixed amount, and by one for each word of the document. */
export interface LengthNormalization {
  fixed: number;
  perWord: number;
}

/** From this share of all documents on, those with a score are put in order by going through all instead of by sorting. */
const SORTED_SHARE = 1 / 32;

/** The texts of a query, by document number. */
interface ScoredTexts {
  /** The highest document number. */
  last: number;
  /** The number of words of each document; 0 for a removed one. */
  lengths: Uint32Array;
  normalization: LengthNormalization;
}

/** The scores of texts for one query at a time, by document number. The arrays are kept for the next query. */
export interface TextScores {
  /** Begins a query. The scores must be clear. */
  begin(texts: ScoredTexts): void;
  /** Adds a term to the scores of its documents; with `some`, which ascend, at least to those among them. */
  add(term: SearchedTerm, some: Uint32Array | undefined): void;
  /** The best documents so far, in no order, and the score that the last of them has; 0 while they are fewer. */
  best(options: ScoreOptions, among?: Uint32Array): { documents: number[]; threshold: number };
  /**
   * The documents of `among` that can be among the best when the terms left add `rest` at most, in ascending order;
   * undefined if others can, too. Valid until the next call.
   */
  contenders(options: ScoreOptions, rest: number, among: Uint32Array | undefined): Uint32Array | undefined;
  of(document: number): number;
  clear(): void;
}

/** All documents up to `last` with such a score, in their order: quicker than sorting many. */
function allAtLeast(least: number, last: number, scores: Float64Array, into: Uint32Array): Uint32Array {
  let count = 0;
  for (let document = 0; document <= last; document += 1) {
    if ((scores[document] ?? 0) < least) continue;
    into[count] = document;
    count += 1;
  }
  return into.subarray(0, count);
}

/** How a block of postings adds to the scores. */
interface AddedBlock {
  /** For each of its forms, 1 if the query has it. */
  isSame: Uint8Array;
  /** The factor of an occurrence, and that of one in a form of the query. */
  weighted: number;
  bonus: number;
  /** Only documents that have a score count. */
  isKnown: boolean;
}

export function createTextScores(): TextScores {
  let texts: ScoredTexts = { last: 0, lengths: new Uint32Array(), normalization: { fixed: 0, perWord: 0 } };
  let scores = new Float64Array();
  /** The documents with a score, in no order. */
  let touched = new Uint32Array();
  let size = 0;
  let possible = new Uint32Array();
  let highest = 0;
  /** The minimum score of the best documents when they were last selected: those of later selections have at least this. */
  let reached = 0;
  let joined = createJoined(0);

  /** Adds to the score of a document, unless it was removed. Of its `count` occurrences, `same` are in a form of the query. */
  function addTo(document: number, count: number, same: number, weight: number, rarity: number): void {
    const length = texts.lengths[document] ?? 0;
    if (length === 0) return;
    const { fixed, perWord } = texts.normalization;
    const damped = fixed + perWord * length;
    const before = scores[document] ?? 0;
    let score = before + rarity * weight * ((count * (K1 + 1)) / (count + damped));
    if (same > 0) score += rarity * SAME_FORM * ((same * (K1 + 1)) / (same + damped));
    scores[document] = score;
    if (score > highest) highest = score;
    if (before > 0) return;
    touched[size] = document;
    size += 1;
  }

  /** Adds postings in their order. */
  function addInOrder(
    { documents, counts, forms }: Postings,
    { isSame, weighted, bonus, isKnown }: AddedBlock,
  ): void {
    // Local, because they are read for each of many postings.
    const [sums, { lengths, normalization }] = [scores, texts];
    const { fixed, perWord } = normalization;
    const all = documents.length;
    let [end, top] = [size, highest];
    for (let index = 0; index < all; index += 1) {
      const document = documents[index] ?? 0;
      const before = sums[document] ?? 0;
      if (before === 0 && isKnown) continue;
      const length = lengths[document] ?? 0;
      if (length === 0) continue;
      let count = counts[index] ?? 0;
      let same = (isSame[forms[index] ?? 0] ?? 0) * count;
      // The other forms of the document. Reading beyond the end would make every read of the loop slower.
      for (; index + 1 < all && documents[index + 1] === document; index += 1) {
        const more = counts[index + 1] ?? 0;
        count += more;
        same += (isSame[forms[index + 1] ?? 0] ?? 0) * more;
      }
      const damped = fixed + perWord * length;
      let score = before + (weighted * count) / (count + damped);
      if (same > 0) score += (bonus * same) / (same + damped);
      sums[document] = score;
      if (score > top) top = score;
      if (before > 0) continue;
      touched[end] = document;
      end += 1;
    }
    [size, highest] = [end, top];
  }

  function addAlone(variant: SearchedVariant, rarity: number, some?: Uint32Array): void {
    const { weight } = variant;
    const weighted = rarity * weight * (K1 + 1);
    const bonus = rarity * SAME_FORM * (K1 + 1);
    readPostings(variant, some, {
      inOrder: (block, isSame) => addInOrder(block, { isSame, weighted, bonus, isKnown: some !== undefined }),
      each: (document, count, same) => addTo(document, count, same, weight, rarity),
    });
  }

  /** Counts the occurrences of all variants together, with the largest weight. */
  function addJoined({ variants, rarity }: SearchedTerm, some?: Uint32Array): void {
    for (const variant of variants) {
      const { weight } = variant;
      readPostings(variant, some, {
        inOrder: (block, isSame) => joined.addInOrder(block, { isSame, weight, known: some && scores }),
        each: (document, count, same) => joined.add(document, count, same, weight),
      });
    }
    joined.take((document, count, same, weight) => addTo(document, count, same, weight, rarity));
  }

  return {
    begin(begun) {
      texts = begun;
      if (begun.last < scores.length) return;
      const capacity = Math.max(begun.last + 1, 2 * scores.length, 1_024);
      scores = new Float64Array(capacity);
      [touched, possible] = [new Uint32Array(capacity), new Uint32Array(capacity)];
      joined = createJoined(capacity);
    },
    add(term, some) {
      const [variant, ...others] = term.variants;
      if (variant && others.length === 0) addAlone(variant, term.rarity, some);
      else addJoined(term, some);
    },
    best: (options, among = touched.subarray(0, size)) => bestOf(among, scores, { ...options, reached }),
    contenders(options, rest, among) {
      if (highest <= rest) return undefined;
      const { threshold } = bestOf(among ?? touched.subarray(0, size), scores, { ...options, reached });
      reached = threshold;
      if (threshold <= rest) return undefined;
      const least = threshold - rest;
      if (among) return atLeast(least, among, scores, possible);
      if (size <= SORTED_SHARE * texts.last)
        return atLeast(least, touched.subarray(0, size), scores, possible).sort();
      return allAtLeast(least, texts.last, scores, possible);
    },
    of: (document) => scores[document] ?? 0,
    clear() {
      for (let index = 0; index < size; index += 1) scores[touched[index] ?? 0] = 0;
      size = highest = reached = 0;
    },
  };
}

/** Reads the postings of a variant block by block: in their order, or only those of documents among `some`. */
function readPostings(
  { postings, asked }: SearchedVariant,
  some: Uint32Array | undefined,
  read: {
    /** Receives a block, and for each of its forms, 1 if the query has it. */
    inOrder: (block: Postings, isSame: Uint8Array) => void;
    each: (document: number, count: number, same: number) => void;
  },
): void {
  for (const block of postings) {
    const among = some && inRangeOf(block, some);
    if (isQuickerInOrder(block, among)) read.inOrder(block, sameForms(block, asked));
    else eachDocument(block, { among, asked }, read.each);
  }
}

/** Looking up `among` in a block takes longer than reading the block in order. */
function isQuickerInOrder({ documents }: Postings, among: Uint32Array | undefined): boolean {
  return among === undefined || among.length * LOOKUP_COST > documents.length;
}

/**
 * The best of some documents, in no order, and the score that the last of them has; 0 while they are fewer. At least `limit`
 * of them must have the score `reached`, unless that is 0.
 */
function bestOf(
  among: Uint32Array,
  scores: Float64Array,
  { limit, accepts, reached }: ScoreOptions & { reached: number },
): { documents: number[]; threshold: number } {
  const best = createHeap(limit, scores);
  let threshold = reached;
  // By index, because iterating over a typed array creates an object for each value.
  for (let index = 0; index < among.length; index += 1) {
    const document = among[index] ?? 0;
    if ((scores[document] ?? 0) < threshold || !accepts(document)) continue;
    best.add(document);
    threshold = Math.max(threshold, best.threshold());
  }
  return { documents: best.documents(), threshold };
}

/**
 * The `limit` documents with the highest scores, of equal ones the newest: a binary heap whose first document is the one to
 * replace, so that hardly more than the best are added.
 */
function createHeap(limit: number, scores: Float64Array) {
  const heap = new Uint32Array(limit);
  let size = 0;

  function isBelow(one: number, other: number): boolean {
    const [score, otherScore] = [scores[one] ?? 0, scores[other] ?? 0];
    return score < otherScore || (score === otherScore && one < other);
  }

  /** Puts a document at a free place, or above it. */
  function rise(place: number, document: number): void {
    for (; place > 0; place = (place - 1) >>> 1) {
      const above = heap[(place - 1) >>> 1] ?? 0;
      if (isBelow(above, document)) break;
      heap[place] = above;
    }
    heap[place] = document;
  }

  /** Puts a document at the first place, or below it. */
  function sink(document: number): void {
    let place = 0;
    for (let next = 1; next < size; next = 2 * place + 1) {
      if (next + 1 < size && isBelow(heap[next + 1] ?? 0, heap[next] ?? 0)) next += 1;
      const below = heap[next] ?? 0;
      if (isBelow(document, below)) break;
      heap[place] = below;
      place = next;
    }
    heap[place] = document;
  }

  return {
    add(document: number): void {
      if (size < limit) {
        rise(size, document);
        size += 1;
      } else if (isBelow(heap[0] ?? 0, document)) sink(document);
    },
    /** The score to reach once there are `limit` documents; 0 before. */
    threshold: (): number => (size < limit ? 0 : (scores[heap[0] ?? 0] ?? 0)),
    documents: (): number[] => [...heap.subarray(0, size)],
  };
}

/** Writes those of some documents that have at least a score into `found`, which may begin with the same memory. */
function atLeast(score: number, some: Uint32Array, scores: Float64Array, found: Uint32Array): Uint32Array {
  let count = 0;
  for (let index = 0; index < some.length; index += 1) {
    const document = some[index] ?? 0;
    if ((scores[document] ?? 0) < score) continue;
    found[count] = document;
    count += 1;
  }
  return found.subarray(0, count);
}

/** The occurrences of several variants of one term, by document. */
function createJoined(capacity: number) {
  const counts = new Uint32Array(capacity);
  const sameFormCounts = new Uint32Array(capacity);
  const weights = new Float64Array(capacity);
  const documents = new Uint32Array(capacity);
  let size = 0;

  function add(document: number, count: number, same: number, weight: number): void {
    // Another process may have added it since.
    if (document >= capacity) return;
    const known = weights[document] ?? 0;
    counts[document] = (counts[document] ?? 0) + count;
    if (same > 0) sameFormCounts[document] = (sameFormCounts[document] ?? 0) + same;
    if (weight > known) weights[document] = weight;
    if (known > 0) return;
    documents[size] = document;
    size += 1;
  }

  return {
    add,
    /** Adds postings in their order; with `known` scores, only those of documents that have one. */
    addInOrder(
      postings: Postings,
      { isSame, weight, known }: { isSame: Uint8Array; weight: number; known: Float64Array | undefined },
    ): void {
      for (let index = 0; index < postings.documents.length; index += 1) {
        const document = postings.documents[index] ?? 0;
        if (known && known[document] === 0) continue;
        const count = postings.counts[index] ?? 0;
        add(document, count, (isSame[postings.forms[index] ?? 0] ?? 0) * count, weight);
      }
    },
    /** Calls `work` for each document and forgets it. */
    take(work: (document: number, count: number, same: number, weight: number) => void): void {
      for (let index = 0; index < size; index += 1) {
        const document = documents[index] ?? 0;
        work(document, counts[document] ?? 0, sameFormCounts[document] ?? 0, weights[document] ?? 0);
        counts[document] = sameFormCounts[document] = weights[document] = 0;
      }
      size = 0;
    },
  };
}

import { stemOf } from "../../text/words.ts";

/**
 * The occurrences of one stem: positions, frequency, and written forms. Document numbers ascend; a number repeats if
 * its text has several forms of the stem.
 */
export interface Postings {
  documents: Uint32Array;
  /** Occurrences, at most 255. */
  counts: Uint8Array;
  /** The form of each as its index in `names`. */
  forms: Uint8Array;
  names: readonly string[];
}

const MAX_BYTE = 255;
const BYTES_EACH = 6;

/** Reads stored postings; they may share the memory of the blob. */
export function decodePostings(blob: Uint8Array, names: string): Postings {
  const size = blob.byteLength / BYTES_EACH;
  const { buffer, byteOffset } = blob.byteOffset % 4 === 0 ? blob : new Uint8Array(blob);
  return {
    documents: new Uint32Array(buffer, byteOffset, size),
    counts: new Uint8Array(buffer, byteOffset + 4 * size, size),
    forms: new Uint8Array(buffer, byteOffset + 5 * size, size),
    names: names.split(" "),
  };
}

export function encodePostings({ documents, counts, forms }: Omit<Postings, "names">): Buffer {
  const blob = Buffer.allocUnsafeSlow(documents.length * BYTES_EACH);
  blob.set(new Uint8Array(documents.buffer, documents.byteOffset, documents.byteLength));
  blob.set(counts, documents.byteLength);
  blob.set(forms, documents.byteLength + counts.byteLength);
  return blob;
}

/** The totals of the postings of a stem. */
export interface StemFacts {
  texts: number;
  /** The maximum number of occurrences in a text. */
  most: number;
  /** The minimum number of words of a text for each occurrence. */
  wordsEach: number;
}

/** Adds the facts of postings to those of others. Omits removed documents, whose length is 0. */
export function stemFacts(
  { documents, counts }: Postings,
  lengths: Uint32Array,
  { texts, most, wordsEach }: StemFacts = { texts: 0, most: 0, wordsEach: Infinity },
): StemFacts {
  for (let index = 0; index < documents.length; index += 1) {
    const document = documents[index] ?? 0;
    const length = lengths[document] ?? 0;
    if (length === 0) continue;
    let count = counts[index] ?? 0;
    // The other forms of the document.
    for (; documents[index + 1] === document; index += 1) count += counts[index + 1] ?? 0;
    texts += 1;
    if (count > most) most = count;
    if (length < wordsEach * count) wordsEach = length / count;
  }
  return { texts, most, wordsEach };
}

export function sumOfFacts(some: readonly Postings[], lengths: Uint32Array): StemFacts {
  return some.reduce<StemFacts>((sum, postings) => stemFacts(postings, lengths, sum), {
    texts: 0,
    most: 0,
    wordsEach: Infinity,
  });
}

/** Parts of at least `size` postings, except the last. No document is in two parts. */
export function* splitPostings(postings: Postings, size: number): Iterable<Postings> {
  const { documents } = postings;
  for (let start = 0; start < documents.length;) {
    let end = Math.min(documents.length, start + size);
    while (end < documents.length && documents[end] === documents[end - 1]) end += 1;
    yield partOf(postings, start, end);
    start = end;
  }
}

/** Looking up one document in postings takes about as long as reading this many of them in order. */
export const LOOKUP_COST = 8;

interface DocumentFilter {
  /** Only these documents, which ascend; all by default. */
  among?: Uint32Array | undefined;
  /** The forms to count as the same; none by default. */
  asked?: ReadonlySet<string>;
}

/**
 * Calls `work` for each document of the postings with its occurrences in all forms, those in the forms `asked`, and its
 * index in `among`.
 */
export function eachDocument(
  { documents, counts, forms, names }: Postings,
  { among, asked }: DocumentFilter,
  work: (document: number, count: number, same: number, index: number) => void,
): void {
  const isSame = sameForms({ names }, asked);
  let index = 0;
  const steps = among?.length ?? Infinity;
  for (let position = 0; position < steps && index < documents.length; position += 1) {
    if (among) {
      const wanted = among[position] ?? 0;
      index = firstFrom(documents, wanted, index);
      if (documents[index] !== wanted) continue;
    }
    const document = documents[index] ?? 0;
    let [count, same] = [0, 0];
    for (; documents[index] === document; index += 1) {
      const more = counts[index] ?? 0;
      count += more;
      if (isSame[forms[index] ?? 0] === 1) same += more;
    }
    work(document, count, same, position);
  }
}

/** For each form of the postings, 1 if it is `asked`, else 0. */
export function sameForms(
  { names }: Pick<Postings, "names">,
  asked: ReadonlySet<string> | undefined,
): Uint8Array {
  return Uint8Array.from(names, (name) => (asked?.has(name) === true ? 1 : 0));
}

/** Those of some documents, which ascend, that are between the first and the last document of postings. */
export function inRangeOf({ documents }: Pick<Postings, "documents">, some: Uint32Array): Uint32Array {
  const first = firstFrom(some, documents[0] ?? 0, 0);
  return some.subarray(first, firstFrom(some, (documents.at(-1) ?? 0) + 1, first));
}

/** The first position, from one on, with a number of at least `least`; the length of the list if there is none. */
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

/** The postings of a stem while texts are added. */
interface GrowingPostings {
  names: string[];
  /** The row of its last posting. */
  last: number;
}

/**
 * Builds the postings of many stems, text by text. All postings are rows of a few growing arrays, in the order in which they are
 * added, and each knows the one of its stem before: an array for each stem would take longer to fill, and five times the memory.
 */
export function createPostingsBuilder() {
  const stems = new Map<string, GrowingPostings>();
  /** The stem of each word and the place of the word in its names, so that a word is stemmed once. */
  const known = new Map<string, { postings: GrowingPostings; place: number }>();
  let documents = new Uint32Array(MIN_ROWS);
  let counts = new Uint8Array(MIN_ROWS);
  let forms = new Uint8Array(MIN_ROWS);
  /** The row before of the same stem; 0 for the first one, because there is no row 0. */
  let before = new Uint32Array(MIN_ROWS);
  let rows = 1;

  function grow(): void {
    const capacity = 2 * documents.length;
    [documents, before] = [enlarged(documents, capacity), enlarged(before, capacity)];
    [counts, forms] = [enlarged(counts, capacity), enlarged(forms, capacity)];
  }

  function place(word: string): { postings: GrowingPostings; place: number } {
    const stem = stemOf(word);
    let postings = stems.get(stem);
    if (!postings) stems.set(stem, (postings = { names: [], last: 0 }));
    const found = { postings, place: placeOf(word, postings.names) };
    known.set(word, found);
    return found;
  }

  /** The row of a stem with this document and form; 0 if there is none. */
  function rowOf(last: number, document: number, form: number): number {
    let row = last;
    while (row !== 0 && documents[row] === document && forms[row] !== form) row = before[row] ?? 0;
    return documents[row] === document ? row : 0;
  }

  return {
    /** Adds the words of a document; documents come in ascending order. */
    add(document: number, words: readonly string[]): void {
      for (const word of words) {
        if (word === "") continue;
        const { postings, place: form } = known.get(word) ?? place(word);
        const row = rowOf(postings.last, document, form);
        if (row > 0) {
          counts[row] = Math.min(MAX_BYTE, (counts[row] ?? 0) + 1);
          continue;
        }
        if (rows === documents.length) grow();
        documents[rows] = document;
        counts[rows] = 1;
        forms[rows] = form;
        before[rows] = postings.last;
        postings.last = rows;
        rows += 1;
      }
    },
    stems: (): Iterable<string> => stems.keys(),
    /** The postings of a stem of the documents after `first` and up to `last`, all by default; undefined if there are none. */
    of(stem: string, first = 0, last = Infinity): Postings | undefined {
      const { names = [], last: newest = 0 } = stems.get(stem) ?? {};
      let end = newest;
      while ((documents[end] ?? 0) > last) end = before[end] ?? 0;
      let size = 0;
      for (let row = end; (documents[row] ?? 0) > first; row = before[row] ?? 0) size += 1;
      if (size === 0) return undefined;
      const postings = emptyPostings(size, names);
      for (let row = end; size > 0; row = before[row] ?? 0) {
        size -= 1;
        postings.documents[size] = documents[row] ?? 0;
        postings.counts[size] = counts[row] ?? 0;
        postings.forms[size] = forms[row] ?? 0;
      }
      return postings;
    },
  };
}

/** The rows for which there is room at first. */
const MIN_ROWS = 1_024;

/** A copy of an array with room for more. */
export function enlarged<Numbers extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  small: Numbers,
  capacity: number,
): Numbers;
export function enlarged(
  small: Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
  capacity: number,
): Uint8Array | Uint32Array {
  const large = small instanceof Uint8Array ? new Uint8Array(capacity) : new Uint32Array(capacity);
  large.set(small);
  return large;
}

/** The place of a form in `names`, to which it is added. More than 256 forms of one stem share the last place. A stem has few, so a list is quick and small. */
function placeOf(form: string, names: string[]): number {
  const known = names.indexOf(form);
  if (known !== -1) return known;
  if (names.length > MAX_BYTE) return MAX_BYTE;
  names.push(form);
  return names.length - 1;
}

function emptyPostings(size: number, names: readonly string[]): Postings {
  return {
    documents: new Uint32Array(size),
    counts: new Uint8Array(size),
    forms: new Uint8Array(size),
    names,
  };
}

/** The postings of the wanted documents of some postings, which follow each other, with their forms only. */
export function joinPostings(some: readonly Postings[], isWanted: (document: number) => boolean): Postings {
  const names: string[] = [];
  const joined = emptyPostings(
    some.reduce((sum, { documents }) => sum + documents.length, 0),
    names,
  );
  let size = 0;
  for (const { documents, counts, forms, names: own } of some) {
    const places = new Int16Array(own.length).fill(-1);
    for (let index = 0; index < documents.length; index += 1) {
      const document = documents[index] ?? 0;
      if (!isWanted(document)) continue;
      const form = forms[index] ?? 0;
      let place = places[form] ?? 0;
      if (place === -1) places[form] = place = placeOf(own[form] ?? "", names);
      joined.documents[size] = document;
      joined.counts[size] = counts[index] ?? 0;
      joined.forms[size] = place;
      size += 1;
    }
  }
  return size === joined.documents.length ? joined : partOf(joined, 0, size);
}

function partOf({ documents, counts, forms, names }: Postings, start: number, end: number): Postings {
  return {
    documents: documents.subarray(start, end),
    counts: counts.subarray(start, end),
    forms: forms.subarray(start, end),
    names,
  };
}

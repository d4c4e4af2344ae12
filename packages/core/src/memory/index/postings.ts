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
  /** The number of texts. */
  texts: number;
  /** The most occurrences in a text. */
  most: number;
  /** The fewest words of a text for each occurrence. */
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
export function* inBlocks(postings: Postings, size: number): Iterable<Postings> {
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

/** Postings that grow text by text. */
export class PostingsBuilder {
  readonly #names: string[] = [];
  readonly #documents: number[] = [];
  readonly #counts: number[] = [];
  readonly #forms: number[] = [];

  /** Adds an occurrence; documents come in ascending order. */
  add(document: number, form: string): void {
    const place = placeOf(form, this.#names);
    for (let at = this.#documents.length - 1; this.#documents[at] === document; at -= 1) {
      if (this.#forms[at] !== place) continue;
      this.#counts[at] = Math.min(MAX_BYTE, (this.#counts[at] ?? 0) + 1);
      return;
    }
    this.#documents.push(document);
    this.#counts.push(1);
    this.#forms.push(place);
  }

  /** Those of the documents after `first` and up to `last`. */
  range(first: number, last: number): Postings {
    const [start, end] = [this.#firstAfter(first), this.#firstAfter(last)];
    const postings = emptyPostings(end - start, this.#names);
    for (let index = start; index < end; index += 1) {
      postings.documents[index - start] = this.#documents[index] ?? 0;
      postings.counts[index - start] = this.#counts[index] ?? 0;
      postings.forms[index - start] = this.#forms[index] ?? 0;
    }
    return postings;
  }

  /** The place of the first posting of a document after this one. */
  #firstAfter(document: number): number {
    let [low, high] = [0, this.#documents.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#documents[middle] ?? 0) > document) high = middle;
      else low = middle + 1;
    }
    return low;
  }
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

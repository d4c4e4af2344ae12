import {
  createPostingsBuilder,
  decodePostings,
  enlarged,
  type Postings,
  type StemFacts,
  stemFacts,
  sumOfFacts,
} from "./postings.ts";
import type { WordState, WordStatements } from "./word-sql.ts";

/** The documents of one stored page; their numbers begin at a multiple of it. */
const PAGE = 1_024;
/** Item, kind and length. */
const COLUMNS = 3;
const KINDS = PAGE;
const LENGTHS = 2 * PAGE;

/** Item, kind and length of each document, in memory. */
export function createDocuments(
  sql: Pick<
    WordStatements,
    "documentsBetween" | "removedAfter" | "pages" | "page" | "lastPage" | "putPage" | "state"
  >,
) {
  /** The highest document number that this process has read. */
  let last = 0;
  /** The number of the last removal that this process has read; undefined before the first load. */
  let removed: number | undefined;
  let lengths = new Uint32Array(PAGE);
  let items = new Uint32Array(PAGE);
  let kinds = new Uint32Array(PAGE);

  function reserve(size: number): void {
    if (size <= lengths.length) return;
    const capacity = Math.max(size, 2 * lengths.length);
    lengths = enlarged(lengths, capacity);
    items = enlarged(items, capacity);
    kinds = enlarged(kinds, capacity);
  }

  function loadPages(): void {
    for (const { page, data } of sql.pages.all()) {
      const first = page * PAGE;
      const columns = columnsOf(data);
      reserve(first + PAGE);
      items.set(columns.subarray(0, KINDS), first);
      kinds.set(columns.subarray(KINDS, LENGTHS), first);
      lengths.set(columns.subarray(LENGTHS), first);
      last = first + PAGE - 1;
    }
  }

  function loadAfter(document: number): void {
    const added = sql.documentsBetween.get(document + 1, Number.MAX_SAFE_INTEGER);
    reserve((added?.docs.at(-1) ?? 0) + 1);
    for (const [at, doc] of added?.docs.entries() ?? []) {
      lengths[doc] = added?.lengths[at] ?? 0;
      items[doc] = added?.items[at] ?? 0;
      kinds[doc] = added?.kinds[at] ?? 0;
      last = doc;
    }
  }

  function load(): void {
    lengths.fill(0);
    last = 0;
    loadPages();
    loadAfter(last);
  }

  return {
    /** False for a document that was removed. */
    isKept: (document: number): boolean => (lengths[document] ?? 0) !== 0,
    catchUp(state: WordState): void {
      // The log may no longer reach back to the last known change.
      if (removed === undefined || removed < state.firstRemoved - 1) load();
      else {
        if (state.last > last) loadAfter(last);
        if (state.removed > removed)
          for (const doc of sql.removedAfter.get(removed)?.docs ?? [])
            if (doc < lengths.length) lengths[doc] = 0;
      }
      removed = state.removed;
    },
    arrays: () => ({ last, lengths, items, kinds }),
    /** The next page that is not stored although no document will be added to it. */
    nextPage(): number | undefined {
      const next = (sql.lastPage.get()?.found ?? -1) + 1;
      return last >= (next + 1) * PAGE ? next : undefined;
    },
    /** Stores a page, as its documents are in the table. */
    storePage(page: number): void {
      const columns = new Uint32Array(COLUMNS * PAGE);
      const first = page * PAGE;
      const found = sql.documentsBetween.get(first, first + PAGE - 1);
      for (const [at, doc] of found?.docs.entries() ?? []) {
        columns[doc - first] = found?.items[at] ?? 0;
        columns[KINDS + doc - first] = found?.kinds[at] ?? 0;
        columns[LENGTHS + doc - first] = found?.lengths[at] ?? 0;
      }
      sql.putPage.run(page, new Uint8Array(columns.buffer));
    },
    /** Clears a removed document in its page, if that is stored. */
    clearInPage(document: number): void {
      const stored = sql.page.get(Math.floor(document / PAGE));
      if (!stored) return;
      const columns = columnsOf(stored.data);
      for (const start of [0, KINDS, LENGTHS]) columns[start + (document % PAGE)] = 0;
      sql.putPage.run(stored.page, new Uint8Array(columns.buffer, columns.byteOffset, columns.byteLength));
    },
  };
}

function columnsOf(blob: Uint8Array): Uint32Array {
  // `slice` of a Buffer would not copy.
  const { buffer, byteOffset, byteLength } = blob.byteOffset % 4 === 0 ? blob : new Uint8Array(blob);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The words of documents that are not merged, in memory. */
export function createUnmergedWords(sql: Pick<WordStatements, "waitingAfter">) {
  let postings = createPostingsBuilder();
  let last = 0;
  let size = 0;
  let mergedHere = 0;
  /** The stems in order, for one merge. */
  let sorted: { upTo: number; stems: readonly string[] } | undefined;

  return {
    /** Reads the words of at most `most` further documents. */
    catchUp(state: WordState, most: number): void {
      if (state.merged !== mergedHere) {
        postings = createPostingsBuilder();
        sorted = undefined;
        size = 0;
        last = mergedHere = state.merged;
      }
      if (state.last <= last || most === 0) return;
      for (const { doc, words } of sql.waitingAfter.all(last, most)) {
        postings.add(doc, words.split(" "));
        last = doc;
        size += 1;
      }
    },
    /** The last document whose words this process has read. */
    last: (): number => last,
    size: () => size,
    /** The postings of the documents after `first` and up to `last`, all by default; undefined if there are none. */
    of: (stem: string, first?: number, upTo?: number): Postings | undefined => postings.of(stem, first, upTo),
    startingWith: (prefix: string): string[] =>
      [...postings.stems()].filter((stem) => stem.startsWith(prefix)),
    /** The stems of documents up to one, in the order of their code units; perhaps some more. */
    stemsUpTo(document: number): readonly string[] {
      if (sorted?.upTo !== document) sorted = { upTo: document, stems: [...postings.stems()].sort() };
      return sorted.stems;
    },
  };
}

/** The maximum number of prefixes whose stems are cached between searches. */
const MAX_PREFIXES = 64;
/** The last code point sorts after every stem with the same beginning. */
const LAST_CHARACTER = "\u{10ffff}";
/** The memory for cached postings, in bytes. */
const MAX_KEPT_BYTES = 32 * 2 ** 20;
/** The memory of an entry besides its postings. */
const ENTRY_BYTES = 512;
/** The maximum number of stems whose totals are cached, a tenth of a kB each: many more than those whose postings are. */
const MAX_COUNTED = 20_000;

/** The stored postings of a stem. */
interface StoredPostings {
  blocks: readonly Postings[];
  last: number;
  bytes: number;
}

/** The totals of the stored postings of a stem, and their last document. */
interface StoredFacts {
  last: number;
  sum: StemFacts;
}

/** Adds the stems of a prefix to a cache and removes the oldest one that is too many. Returns the stems. */
function cachePrefix(
  cache: Map<string, readonly string[]>,
  prefix: string,
  stems: readonly string[],
): readonly string[] {
  cache.set(prefix, stems);
  const [oldest] = cache.keys();
  if (oldest !== undefined && cache.size > MAX_PREFIXES) cache.delete(oldest);
  return stems;
}

/** Reads the stored postings together with those that wait. */
export function createReader(
  sql: Pick<WordStatements, "blocks" | "blocksBetween" | "stems">,
  waiting: Pick<ReturnType<typeof createUnmergedWords>, "of" | "startingWith" | "last">,
) {
  /**
   * The stems by prefix: the stored ones until something is merged, because reading them takes milliseconds for each prefix
   * in a large index, and all until this process reads the words of further documents.
   */
  let stored = { merged: 0, merging: 0, stem: "", stems: new Map<string, readonly string[]>() };
  let all = { last: 0, stems: new Map<string, readonly string[]>() };
  /** The postings that were read last, the oldest first, until something is merged. */
  let kept = { merged: 0, merging: 0, stem: "", bytes: 0, stems: new Map<string, StoredPostings>() };

  /**
   * The totals by stem, until something is merged or removed. In a large index, the postings of common stems replace each other
   * in memory, and going through them takes longer than the rest of a search.
   */
  let counted = { merged: 0, merging: 0, stem: "", removed: 0, stems: new Map<string, StoredFacts>() };

  const isOf = (
    cached: Pick<WordState, "merged" | "merging" | "stem">,
    { merged, merging, stem }: WordState,
  ): boolean => cached.merged === merged && cached.merging === merging && cached.stem === stem;

  function storedStartingWith(prefix: string): readonly string[] {
    const known = stored.stems.get(prefix);
    if (known) return known;
    const stems = sql.stems.get(prefix, `${prefix}${LAST_CHARACTER}`)?.stems ?? [];
    return cachePrefix(stored.stems, prefix, stems);
  }

  function startingWith(prefix: string, state: WordState): readonly string[] {
    const { merged, merging, stem } = state;
    const last = waiting.last();
    const isMerged = !isOf(stored, state);
    if (isMerged) stored = { merged, merging, stem, stems: new Map() };
    if (isMerged || all.last !== last) all = { last, stems: new Map() };
    const known = all.stems.get(prefix);
    if (known) return known;
    const stems = [...new Set([...storedStartingWith(prefix), ...waiting.startingWith(prefix)])];
    return cachePrefix(all.stems, prefix, stems);
  }

  function storedOf(stem: string, state: WordState): StoredPostings {
    const { merged, merging, stem: mergedStem } = state;
    if (!isOf(kept, state)) kept = { merged, merging, stem: mergedStem, bytes: 0, stems: new Map() };
    const known = kept.stems.get(stem);
    if (known) {
      // It moves to the end, as the one that was read last.
      kept.stems.delete(stem);
      kept.stems.set(stem, known);
      return known;
    }
    const rows = sql.blocks.all(stem);
    const read: StoredPostings = {
      blocks: rows.map(({ data, forms }) => decodePostings(data, forms)),
      last: rows.at(-1)?.last ?? 0,
      bytes: rows.reduce((sum, { data }) => sum + data.byteLength, ENTRY_BYTES),
    };
    kept.stems.set(stem, read);
    kept.bytes += read.bytes;
    for (const [oldest, { bytes }] of kept.stems) {
      if (kept.bytes <= MAX_KEPT_BYTES) break;
      kept.stems.delete(oldest);
      kept.bytes -= bytes;
    }
    return read;
  }

  function storedFactsOf(stem: string, state: WordState, lengths: Uint32Array): StoredFacts {
    const { merged, merging, stem: mergedStem, removed } = state;
    if (!isOf(counted, state) || counted.removed !== removed)
      counted = { merged, merging, stem: mergedStem, removed, stems: new Map() };
    const known = counted.stems.get(stem);
    if (known) return known;
    const { blocks, last } = storedOf(stem, state);
    const facts = { last, sum: sumOfFacts(blocks, lengths) };
    if (counted.stems.size >= MAX_COUNTED) counted.stems.clear();
    counted.stems.set(stem, facts);
    return facts;
  }

  return {
    startingWith,

    /** The stored postings of a stem, then those that wait. */
    postingsOf(stem: string, state: WordState): readonly Postings[] {
      const { blocks, last } = storedOf(stem, state);
      // Until a merge ends, the words that it has already moved still count as waiting.
      const added = waiting.of(stem, last);
      return added ? [...blocks, added] : blocks;
    },

    /** The totals of both. */
    factsOf(stem: string, state: WordState, lengths: Uint32Array): StemFacts {
      const { last, sum } = storedFactsOf(stem, state, lengths);
      const added = waiting.of(stem, last);
      return added ? stemFacts(added, lengths, sum) : sum;
    },

    /** One query for all stems, because there may be thousands. */
    *postingsStartingWith(prefix: string): Iterable<Postings> {
      for (const { data, forms } of sql.blocksBetween.all(prefix, `${prefix}${LAST_CHARACTER}`))
        yield decodePostings(data, forms);
      for (const stem of waiting.startingWith(prefix)) {
        const added = waiting.of(stem);
        if (added) yield added;
      }
    },
  };
}

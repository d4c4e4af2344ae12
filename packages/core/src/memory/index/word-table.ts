import type { Database } from "../../database/open-database.ts";
import {
  decodePostings,
  encodePostings,
  splitPostings,
  joinPostings,
  type Postings,
  type StemFacts,
} from "./postings.ts";
import { createDocuments, createReader, createUnmergedWords } from "./word-copies.ts";
import { type BlockSize, prepareStatements, type WordState, type WordStatements } from "./word-sql.ts";

/**
 * The inverted index of all texts. Each version of a text is a document with a number of its own, which is never used
 * again. The words of new documents wait in a table and in memory; `merge` moves them stem by stem into stored postings.
 * Only committed rows reach memory: read and merge outside of transactions, write inside.
 */
export interface WordTable {
  /** Adds the words of an item, which must have none. */
  add(item: number, kind: string, words: readonly string[]): void;
  remove(item: number): void;
  /** The number of texts. */
  count(): number;
  /** The state of the last commit. Valid until the next transaction. */
  current(): WordIndex;
  /** Whether the words of enough texts wait that the next search would be slow. */
  isOverdue(): boolean;
  /** Works for about `sliceMs` on the words that wait, once they are many for the pace. Returns whether more is to do. */
  merge(sliceMs: number, pace?: UpkeepPace): boolean;
  /** Works for about `sliceMs` on deleting the words of removed texts. Returns whether more is to do. */
  sweep(sliceMs: number): boolean;
}

/**
 * What else is done: `writing` means that texts are being added, so words are merged only when they are overdue; `paused`, the
 * default, that none were added for a moment; `idle`, that none were for seconds.
 */
export type UpkeepPace = "writing" | "paused" | "idle";

/** The words of all texts. The arrays are by document number; the length of a removed document is 0. */
export interface WordIndex {
  texts: number;
  averageLength: number;
  /** The highest document number. */
  last: number;
  lengths: Uint32Array;
  items: Uint32Array;
  kinds: Uint32Array;
  /** The numbers of kinds, as in `kinds`. */
  numbersOf(kinds: readonly string[]): ReadonlySet<number>;
  /** The postings of a stem in ascending order of documents; they may contain removed documents. */
  postingsOf(stem: string): readonly Postings[];
  /** The totals of the postings of a stem. */
  factsOf(stem: string): StemFacts;
  /** Every stem that begins with a prefix, some of them perhaps of removed documents only. */
  startingWith(prefix: string): readonly string[];
  /** The postings of all stems that begin with a prefix, in no order; some may be given twice. */
  postingsStartingWith(prefix: string): Iterable<Postings>;
}

/** Words wait until there are this many documents: one merge then adds many documents to a stem at once. */
const MIN_WAITING = 2_000;
/**
 * While others are added, they wait until there are this many documents or words of this process: a merge looks up each stem
 * that waits, of which many documents have hardly more than some.
 */
const MAX_WAITING = 18_000;
const MAX_WORDS_WAITING = 1_000_000;
/** While nothing else is to do, fewer are merged, too: the next opening has to read the words that wait. */
const MIN_WAITING_WHEN_IDLE = 100;
/** One merge adds about this many documents at most, so that their words fit into memory. */
const MAX_MERGED = 20_000;
/** The documents whose words are read into memory, or deleted when they are stored, for one slice of a merge. */
const DOCUMENTS_AT_ONCE = 200;
/**
 * The documents whose words are read for one search. Only after an upgrade do more words wait; searches find the others
 * as soon as a merge has read them.
 */
const READ_FOR_SEARCH = 20_000;
/** The number of stems to process between two checks of the clock; their blocks are looked up at once. */
const STEMS_AT_ONCE = 16;
/** The number of postings in a block, so that rewriting one is fast. */
const MAX_BLOCK = 4_096;

export function openWordTable(database: Database, minWaiting = MIN_WAITING): WordTable {
  const sql = prepareStatements(database);
  const documents = createDocuments(sql);
  const waiting = createUnmergedWords(sql);
  const reader = createReader(sql, waiting);
  const merging = createMerging({ sql, documents, waiting });
  const sweeping = createSweeping({ sql, documents });
  /** The log contains the words of removed texts until it is emptied. */
  let isLogToEmpty = false;
  /** The words that were added since the merge up to a document ended. */
  let added = { merged: 0, words: 0 };

  function stateNow(): WordState {
    const state = sql.state.get();
    if (!state) throw new Error("the index of words has no state");
    return state;
  }

  function isOverdue({ last, merged }: WordState): boolean {
    if (added.merged !== merged) added = { merged, words: 0 };
    return last - merged >= MAX_WAITING || added.words >= MAX_WORDS_WAITING;
  }

  /** The number of texts from which the words that wait are merged. */
  function leastToMerge(state: WordState, pace: UpkeepPace): number {
    if (isOverdue(state)) return 1;
    if (pace === "writing") return Infinity;
    return pace === "idle" ? Math.min(minWaiting, MIN_WAITING_WHEN_IDLE) : minWaiting;
  }

  function catchUp(most: number): WordState {
    const state = stateNow();
    documents.catchUp(state);
    waiting.catchUp(state, most);
    return state;
  }

  return {
    add(item, kind, words) {
      const addDocument = () => sql.addDocument.run(item, words.length, kind);
      let document = addDocument();
      if (document.changes === 0) {
        sql.addKind.run(kind);
        document = addDocument();
      }
      sql.addWords.run(document.lastInsertRowid, words.join(" "));
      sql.addToState.run(1, words.length);
      added.words += words.length;
    },
    remove(item) {
      const known = sql.documentOf.get(item);
      if (!known) return;
      sql.dropDocument.run(known.doc);
      documents.clearInPage(known.doc);
      sql.dropWords.run(known.doc);
      sql.noteRemoved.run(known.doc);
      sql.addToState.run(-1, -known.length);
    },
    count: () => stateNow().texts,
    current() {
      const state = catchUp(READ_FOR_SEARCH);
      const { texts, words } = state;
      const arrays = documents.arrays();
      // Each is asked for several times in a search.
      const facts = new Map<string, StemFacts>();
      const postings = new Map<string, readonly Postings[]>();
      return {
        texts,
        averageLength: texts === 0 ? 0 : words / texts,
        ...arrays,
        numbersOf: (kinds) => new Set(sql.kindNumbers.get(JSON.stringify(kinds))?.numbers),
        postingsOf: (stem) => cachedIn(postings, stem, () => reader.postingsOf(stem, state)),
        factsOf: (stem) => cachedIn(facts, stem, () => reader.factsOf(stem, state, arrays.lengths)),
        startingWith: (prefix) => reader.startingWith(prefix, state),
        postingsStartingWith: reader.postingsStartingWith,
      };
    },
    isOverdue: () => isOverdue(stateNow()),
    merge(sliceMs, pace = "paused") {
      const state = catchUp(0);
      const isMerging = state.merging !== state.merged;
      const least = leastToMerge(state, pace);
      const isDue = isMerging || least < Infinity;
      const page = documents.nextPage();
      if (isDue && waiting.last() < merging.lastNeeded(state)) waiting.catchUp(state, DOCUMENTS_AT_ONCE);
      else if (isMerging || waiting.size() >= least)
        database.transaction(() => merging.moveSome(catchUp(0), sliceMs));
      else if (page !== undefined) database.transaction(() => documents.storePage(page));
      else return sql.forgetWords.run(state.merged, DOCUMENTS_AT_ONCE).changes > 0;
      return true;
    },
    sweep(sliceMs) {
      const { swept, sweeping: upTo, removed } = catchUp(0);
      if (upTo === swept && removed === swept) {
        if (isLogToEmpty) isLogToEmpty = !database.emptyLog();
        return false;
      }
      isLogToEmpty = true;
      database.transaction(() => sweeping.sweepSome(catchUp(0), sliceMs));
      return true;
    },
  };
}

function cachedIn<Value>(cache: Map<string, Value>, stem: string, read: () => Value): Value {
  const known = cache.get(stem);
  if (known !== undefined) return known;
  const value = read();
  cache.set(stem, value);
  return value;
}

/** The cached part of the tables. */
interface Copies {
  sql: WordStatements;
  documents: ReturnType<typeof createDocuments>;
  waiting: ReturnType<typeof createUnmergedWords>;
}

/** Moves the words that wait to the stored postings. */
function createMerging({ sql, documents, waiting }: Copies) {
  /** Appends what waits of some stems to their postings, together with their last blocks unless those are much larger. */
  function move(stems: readonly string[], last: number): void {
    const stored = new Map<string, BlockSize[]>(stems.map((stem) => [stem, []]));
    for (const block of sql.blockSizes.all(JSON.stringify(stems))) stored.get(block.stem)?.push(block);
    for (const [stem, blocks] of stored) {
      const added = waiting.of(stem, blocks.at(-1)?.last, last);
      if (added) append(stem, added, blocks);
    }
  }

  function append(stem: string, added: Postings, stored: readonly BlockSize[]): void {
    const { first, blocks } = blocksToJoin(stored, added.documents.length);
    const joined =
      blocks === 0
        ? []
        : sql.blocksFrom.all(stem, first).map(({ data, forms }) => decodePostings(data, forms));
    const postings = joinPostings([...joined, added], documents.isKept);
    // A single block is replaced by the one that begins with the same document.
    if (blocks > 1 || (blocks === 1 && postings.documents[0] !== first)) sql.dropBlocksFrom.run(stem, first);
    for (const block of blocksOf(postings)) {
      const [start, end] = [block.documents[0], block.documents.at(-1)];
      if (start === undefined || end === undefined) continue;
      const { names, ...columns } = block;
      sql.putBlock.run(stem, start, end, columns.documents.length, names.join(" "), encodePostings(columns));
    }
  }

  /** A block has the forms of its own documents only. */
  function blocksOf(postings: Postings): readonly Postings[] {
    if (postings.documents.length <= MAX_BLOCK) return [postings];
    return [...splitPostings(postings, MAX_BLOCK)].map((part) => joinPostings([part], documents.isKept));
  }

  /** The last document whose words must be read before any of them are moved. */
  function lastNeeded({ merged, merging, last }: WordState): number {
    if (merging !== merged) return Math.min(merging, last);
    return waiting.size() >= MAX_MERGED ? waiting.last() : last;
  }

  /**
   * Moves stems for about `sliceMs`. Another process may do the same: its moved stems are in the blocks. Reads all
   * words, in the state at the time of the lock, before it moves the first one.
   */
  function moveSome(state: WordState, sliceMs: number): void {
    const { merged, merging, stem: after } = state;
    if (waiting.last() < lastNeeded(state)) return;
    if (merging === merged) {
      if (waiting.size() > 0) sql.beginMerge.run(waiting.last());
      return;
    }
    const stems = waiting.stemsUpTo(merging);
    const first = after === "" ? 0 : firstAfter(stems, after);
    const stopped = inTime(stems, { first, sliceMs }, (some) => move(some, merging));
    if (stopped === undefined) sql.endMerge.run();
    else sql.setMerged.run(stopped);
  }

  return { lastNeeded, moveSome };
}

/** Deletes removed documents from the stored postings. */
function createSweeping({ sql, documents }: Pick<Copies, "sql" | "documents">) {
  /** Sweeps stems for about `sliceMs`, from where the last slice of this or another process ended. */
  function sweepSome({ swept, sweeping, sweptStem, removed }: WordState, sliceMs: number): void {
    if (sweeping === swept && removed > swept) sql.beginSweep.run(removed);
    const start = performance.now();
    let last = sweeping === swept ? "" : sweptStem;
    do {
      const stems = sql.stemsAfter.all(last, STEMS_AT_ONCE);
      if (stems.length === 0) {
        sql.endSweep.run();
        return;
      }
      for (const { stem } of stems) {
        sweepStem(stem);
        last = stem;
      }
    } while (performance.now() - start < sliceMs);
    sql.setSwept.run(last);
  }

  function sweepStem(stem: string): void {
    for (const { first, data, forms } of sql.blocks.all(stem)) {
      const postings = decodePostings(data, forms);
      if (postings.documents.every(documents.isKept)) continue;
      const { names, ...own } = joinPostings([postings], documents.isKept);
      if (own.documents.length === 0) sql.dropBlock.run(stem, first);
      else sql.setBlock.run(own.documents.length, names.join(" "), encodePostings(own), stem, first);
    }
  }

  return { sweepSome };
}

/** The last blocks of a stem to join with `size` further postings: how many, and the first document of the first one. */
function blocksToJoin(stored: readonly BlockSize[], size: number): { first: number; blocks: number } {
  let blocks = 0;
  for (let sum = size; blocks < stored.length; blocks += 1) {
    const { count } = stored[stored.length - 1 - blocks] ?? { count: Infinity };
    if (count > 2 * sum || count + sum > MAX_BLOCK) break;
    sum += count;
  }
  return { first: stored[stored.length - blocks]?.first ?? 0, blocks };
}

/**
 * Works on stems, some at a time, from the one at `first` for about `sliceMs`. Returns the last one, or undefined if none is
 * left.
 */
function inTime(
  stems: readonly string[],
  { first, sliceMs }: { first: number; sliceMs: number },
  work: (stems: readonly string[]) => void,
): string | undefined {
  const start = performance.now();
  for (let next = first; next < stems.length; next += STEMS_AT_ONCE) {
    work(stems.slice(next, next + STEMS_AT_ONCE));
    if (next + STEMS_AT_ONCE < stems.length && performance.now() - start >= sliceMs)
      return stems[next + STEMS_AT_ONCE - 1];
  }
  return undefined;
}

/** The index of the first of some sorted stems that follows another one. */
function firstAfter(stems: readonly string[], stem: string): number {
  let [low, high] = [0, stems.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stems[middle] ?? "") > stem) high = middle;
    else low = middle + 1;
  }
  return low;
}

import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { stemOf } from "../../text/words.ts";
import {
  countDocuments,
  decodePostings,
  encodePostings,
  type Postings,
  PostingsBuilder,
} from "./postings.ts";

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
  /** Works for about `sliceMs` on the words that wait, once they are many. Returns whether more is to do. */
  merge(sliceMs: number): boolean;
}

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
  /** The number of texts with a stem. */
  countOf(stem: string): number;
  /** Every stem that begins with a prefix, some of them perhaps of removed documents only. */
  startingWith(prefix: string): readonly string[];
  /** The postings of all stems that begin with a prefix, in no order; some may be given twice. */
  postingsStartingWith(prefix: string): Iterable<Postings>;
}

/** Words wait until there are this many documents: one merge then adds many documents to a stem at once. */
const MIN_WAITING = 2_000;
/** The documents whose words are read into memory for one slice of a merge. */
const READ_AT_ONCE = 200;
/**
 * The same for one search. Only after an upgrade more words wait; a search then finds the others as soon as a merge has
 * read them.
 */
const READ_FOR_SEARCH = 20_000;
/** The stems that are moved between two looks at the clock. */
const STEMS_AT_ONCE = 32;
/** The beginnings of words whose stems are kept between searches. */
const MAX_BEGINNINGS = 64;
/** The last code point sorts after every stem with the same beginning. */
const LAST_CHARACTER = "\u{10ffff}";

/**
 * The tables of the index. `removed_docs` is a log of the last thousands of removals, for the copies in memory of other
 * processes; a trigger deletes old rows.
 */
export const WORD_TABLES = `
CREATE TABLE word_kinds (number INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE docs (
  doc INTEGER PRIMARY KEY AUTOINCREMENT,
  item INTEGER NOT NULL UNIQUE REFERENCES entries ON DELETE CASCADE,
  kind INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT;
CREATE TABLE removed_docs (number INTEGER PRIMARY KEY AUTOINCREMENT, doc INTEGER NOT NULL) STRICT;
CREATE TRIGGER removed_docs_forget AFTER INSERT ON removed_docs WHEN new.number % 500 = 0
BEGIN
  DELETE FROM removed_docs WHERE number <= new.number - 5000;
END;
CREATE TABLE waiting_words (doc INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;
CREATE TABLE postings (
  stem TEXT NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  count INTEGER NOT NULL,
  forms TEXT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (stem, first)
) STRICT, WITHOUT ROWID;
CREATE TABLE word_state (
  texts INTEGER NOT NULL,
  words INTEGER NOT NULL,
  merged INTEGER NOT NULL,
  merging INTEGER NOT NULL,
  merged_stem TEXT NOT NULL
) STRICT;`;

/** One row. Documents up to `merged` are stored; up to `merging`, those stems are that sort up to `stem`. */
const State = z.object({
  texts: z.int(),
  words: z.int(),
  merged: z.int(),
  merging: z.int(),
  stem: z.string(),
  last: z.int(),
  removed: z.int(),
  firstRemoved: z.int(),
});
type State = z.infer<typeof State>;

const Integers = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));
const Documents = z.object({ docs: Integers, items: Integers, kinds: Integers, lengths: Integers });
const Block = z.object({
  first: z.int(),
  last: z.int(),
  count: z.int(),
  forms: z.string(),
  data: z.instanceof(Uint8Array),
});
const Bytes = Block.pick({ forms: true, data: true });
const Waiting = z.object({ doc: z.int(), words: z.string() });

function prepareStatements(database: Database) {
  const Length = z.object({ doc: z.int(), length: z.int() });
  return {
    state: database.query(
      `SELECT texts, words, merged, merging, merged_stem AS stem,
         (SELECT coalesce(max(doc), 0) FROM docs) AS last,
         (SELECT coalesce(max(number), 0) FROM removed_docs) AS removed,
         (SELECT coalesce(min(number), 1) FROM removed_docs) AS firstRemoved
       FROM word_state`,
      State,
    ),
    documentOf: database.query("SELECT doc, length FROM docs WHERE item = ?", Length),
    addKind: database.command("INSERT OR IGNORE INTO word_kinds (kind) VALUES (?)"),
    addDocument: database.command(
      "INSERT INTO docs (item, kind, length) VALUES (?, (SELECT number FROM word_kinds WHERE kind = ?), ?)",
    ),
    addWords: database.command("INSERT INTO waiting_words (doc, words) VALUES (?, ?)"),
    addToState: database.command("UPDATE word_state SET texts = texts + ?, words = words + ?"),
    dropDocument: database.command("DELETE FROM docs WHERE doc = ?"),
    dropWords: database.command("DELETE FROM waiting_words WHERE doc = ?"),
    noteRemoved: database.command("INSERT INTO removed_docs (doc) VALUES (?)"),
    documentsAfter: database.query(
      `SELECT json_group_array(doc) AS docs, json_group_array(item) AS items, json_group_array(kind) AS kinds,
         json_group_array(length) AS lengths FROM docs WHERE doc > ?`,
      Documents,
    ),
    removedAfter: database.query(
      "SELECT json_group_array(doc) AS docs FROM removed_docs WHERE number > ?",
      z.object({ docs: Integers }),
    ),
    kindNumbers: database.query(
      "SELECT json_group_array(number) AS numbers FROM word_kinds WHERE kind IN (SELECT value FROM json_each(?))",
      z.object({ numbers: Integers }),
    ),
    waitingAfter: database.query(
      "SELECT doc, words FROM waiting_words WHERE doc > ? ORDER BY doc LIMIT ?",
      Waiting,
    ),
    blocks: database.query(
      "SELECT first, last, count, forms, data FROM postings WHERE stem = ? ORDER BY first",
      Block,
    ),
    blocksBetween: database.query("SELECT forms, data FROM postings WHERE stem >= ? AND stem < ?", Bytes),
    lastBlock: database.query(
      "SELECT first, last, count, forms, data FROM postings WHERE stem = ? ORDER BY first DESC LIMIT 1",
      Block,
    ),
    stems: database.query(
      "SELECT json_group_array(DISTINCT stem) AS stems FROM postings WHERE stem >= ? AND stem < ?",
      z.object({ stems: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))) }),
    ),
    addBlock: database.command(
      "INSERT INTO postings (stem, first, last, count, forms, data) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    dropBlock: database.command("DELETE FROM postings WHERE stem = ? AND first = ?"),
    beginMerge: database.command("UPDATE word_state SET merging = ?, merged_stem = ''"),
    setMerged: database.command("UPDATE word_state SET merged_stem = ?"),
    endMerge: database.command("UPDATE word_state SET merged = merging, merged_stem = ''"),
    forgetWords: database.command("DELETE FROM waiting_words WHERE doc <= ?"),
  };
}

export function openWordTable(database: Database, minWaiting = MIN_WAITING): WordTable {
  const sql = prepareStatements(database);
  const documents = createDocuments(sql);
  const waiting = createWaiting(sql);
  const reader = createReader(sql, waiting);

  function stateNow(): State {
    const state = sql.state.get();
    if (!state) throw new Error("the index of words has no state");
    return state;
  }

  function catchUp(most: number): State {
    const state = stateNow();
    documents.catchUp(state);
    waiting.catchUp(state, most);
    return state;
  }

  /** Appends what waits of a stem to its postings, together with its last blocks unless those are much larger. */
  function move(stem: string, last: number): void {
    let block = sql.lastBlock.get(stem);
    const added = waiting.of(stem)?.range(block?.last ?? 0, last);
    if (!added || added.documents.length === 0) return;
    const joined: Postings[] = [added];
    let size = added.documents.length;
    while (block && block.count <= 2 * size) {
      joined.unshift(decodePostings(block.data, block.forms));
      size += block.count;
      sql.dropBlock.run(stem, block.first);
      block = sql.lastBlock.get(stem);
    }
    const builder = new PostingsBuilder();
    for (const some of joined) builder.addAll(some, documents.isKept);
    const all = builder.range(0, Infinity);
    const [first, end] = [all.documents[0], all.documents.at(-1)];
    if (first === undefined || end === undefined) return;
    sql.addBlock.run(stem, first, end, all.documents.length, all.names.join(" "), encodePostings(all));
  }

  /**
   * Moves stems for about `sliceMs`. Another process may do the same: what it moved is in the blocks. All words are known
   * here before the first is moved, as they were when the lock was taken.
   */
  function moveSome(sliceMs: number): void {
    const { merged, merging, stem: after, last } = catchUp(READ_AT_ONCE);
    if (waiting.last() < last) return;
    if (merging === merged) {
      if (waiting.size() >= minWaiting) sql.beginMerge.run(last);
      return;
    }
    const stems = waiting.stemsUpTo(merging);
    const start = performance.now();
    const left = stems.slice(after === "" ? 0 : firstAfter(stems, after));
    for (let next = 0; next < left.length;) {
      const batch = left.slice(next, next + STEMS_AT_ONCE);
      for (const stem of batch) move(stem, merging);
      next += batch.length;
      if (next < left.length && performance.now() - start >= sliceMs) {
        sql.setMerged.run(batch.at(-1));
        return;
      }
    }
    sql.forgetWords.run(merging);
    sql.endMerge.run();
  }

  return {
    add(item, kind, words) {
      sql.addKind.run(kind);
      const { lastInsertRowid } = sql.addDocument.run(item, kind, words.length);
      sql.addWords.run(lastInsertRowid, words.join(" "));
      sql.addToState.run(1, words.length);
    },
    remove(item) {
      const known = sql.documentOf.get(item);
      if (!known) return;
      sql.dropDocument.run(known.doc);
      sql.dropWords.run(known.doc);
      sql.noteRemoved.run(known.doc);
      sql.addToState.run(-1, -known.length);
    },
    count: () => stateNow().texts,
    current() {
      const state = catchUp(READ_FOR_SEARCH);
      const { texts, words } = state;
      const read = new Map<string, readonly Postings[]>();
      const postingsOf = (stem: string): readonly Postings[] => {
        const found = read.get(stem) ?? reader.postingsOf(stem);
        read.set(stem, found);
        return found;
      };
      return {
        texts,
        averageLength: texts === 0 ? 0 : words / texts,
        ...documents.arrays(),
        numbersOf: (kinds) => new Set(sql.kindNumbers.get(JSON.stringify(kinds))?.numbers),
        postingsOf,
        countOf: (stem) =>
          postingsOf(stem).reduce((sum, some) => sum + countDocuments(some, documents.isKept), 0),
        startingWith: (prefix) => reader.startingWith(prefix, state),
        postingsStartingWith: reader.postingsStartingWith,
      };
    },
    merge(sliceMs) {
      const { merged, merging, last } = catchUp(READ_AT_ONCE);
      if (waiting.last() < last) return true;
      if (merging === merged && waiting.size() < minWaiting) return false;
      database.transaction(() => moveSome(sliceMs));
      return true;
    },
  };
}

/** The place of the first of some sorted stems that follows another one. */
function firstAfter(stems: readonly string[], stem: string): number {
  const place = stems.findIndex((one) => one > stem);
  return place === -1 ? stems.length : place;
}

type Statements = ReturnType<typeof prepareStatements>;

/** Item, kind and length of each document, in memory. */
function createDocuments(sql: Pick<Statements, "documentsAfter" | "removedAfter">) {
  let last = 0;
  let removed = 0;
  let lengths = new Uint32Array(1_024);
  let items = new Uint32Array(1_024);
  let kinds = new Uint32Array(1_024);

  function reserve(size: number): void {
    if (size <= lengths.length) return;
    const capacity = Math.max(size, 2 * lengths.length);
    const [smallLengths, smallItems, smallKinds] = [lengths, items, kinds];
    [lengths, items, kinds] = [
      new Uint32Array(capacity),
      new Uint32Array(capacity),
      new Uint32Array(capacity),
    ];
    lengths.set(smallLengths);
    items.set(smallItems);
    kinds.set(smallKinds);
  }

  function loadAfter(document: number): void {
    const added = sql.documentsAfter.get(document);
    reserve((added?.docs.at(-1) ?? 0) + 1);
    for (const [at, doc] of added?.docs.entries() ?? []) {
      lengths[doc] = added?.lengths[at] ?? 0;
      items[doc] = added?.items[at] ?? 0;
      kinds[doc] = added?.kinds[at] ?? 0;
      last = doc;
    }
  }

  return {
    /** False for a document that was removed. */
    isKept: (document: number): boolean => document > last || lengths[document] !== 0,
    catchUp(state: State): void {
      if (state.removed > removed && removed < state.firstRemoved - 1) {
        // The log no longer reaches back to what is known here.
        lengths.fill(0);
        loadAfter(0);
      } else {
        if (state.last > last) loadAfter(last);
        if (state.removed > removed)
          for (const doc of sql.removedAfter.get(removed)?.docs ?? [])
            if (doc < lengths.length) lengths[doc] = 0;
      }
      removed = state.removed;
    },
    arrays: () => ({ last, lengths, items, kinds }),
  };
}

/** The words of documents that are not merged, in memory. */
function createWaiting(sql: Pick<Statements, "waitingAfter">) {
  let stems = new Map<string, PostingsBuilder>();
  let documents: number[] = [];
  let mergedHere = 0;
  /** The stems in order, for one merge. */
  let sorted: { upTo: number; stems: readonly string[] } | undefined;

  function add(document: number, words: string): void {
    documents.push(document);
    for (const word of words.split(" ")) {
      if (word === "") continue;
      const stem = stemOf(word);
      let known = stems.get(stem);
      if (!known) stems.set(stem, (known = new PostingsBuilder()));
      known.add(document, word);
    }
  }

  return {
    catchUp({ merged, last }: State, most: number): void {
      if (merged !== mergedHere) {
        stems = new Map();
        documents = [];
        sorted = undefined;
        mergedHere = merged;
      }
      const known = documents.at(-1) ?? merged;
      if (last > known) for (const { doc, words } of sql.waitingAfter.all(known, most)) add(doc, words);
    },
    /** The last document whose words are known here. */
    last: (): number => documents.at(-1) ?? mergedHere,
    size: () => documents.length,
    of: (stem: string): PostingsBuilder | undefined => stems.get(stem),
    startingWith: (prefix: string): string[] => [...stems.keys()].filter((stem) => stem.startsWith(prefix)),
    /** The stems of documents up to one, in the order of their code units; perhaps some more. */
    stemsUpTo(document: number): readonly string[] {
      if (sorted?.upTo !== document) sorted = { upTo: document, stems: [...stems.keys()].sort() };
      return sorted.stems;
    },
  };
}

/** Reads the stored postings together with those that wait. */
function createReader(
  sql: Pick<Statements, "blocks" | "blocksBetween" | "stems">,
  waiting: Pick<ReturnType<typeof createWaiting>, "of" | "startingWith">,
) {
  /** The stems by their beginning, until something is added or merged. */
  let beginnings = { last: 0, merged: 0, stems: new Map<string, readonly string[]>() };

  function startingWith(prefix: string, { last, merged }: State): readonly string[] {
    if (beginnings.last !== last || beginnings.merged !== merged)
      beginnings = { last, merged, stems: new Map() };
    const known = beginnings.stems.get(prefix);
    if (known) return known;
    const stored = sql.stems.get(prefix, `${prefix}${LAST_CHARACTER}`)?.stems ?? [];
    const stems = [...new Set([...stored, ...waiting.startingWith(prefix)])];
    if (beginnings.stems.size < MAX_BEGINNINGS) beginnings.stems.set(prefix, stems);
    return stems;
  }

  /** The stored postings of a stem, then those that wait. */
  function postingsOf(stem: string): Postings[] {
    const blocks = sql.blocks.all(stem);
    const found = blocks.map(({ data, forms }) => decodePostings(data, forms));
    // What a merge has moved already waits as well until the merge ends.
    const added = waiting.of(stem)?.range(blocks.at(-1)?.last ?? 0, Infinity);
    return added && added.documents.length > 0 ? [...found, added] : found;
  }

  /** One query for all stems, because there may be thousands. */
  function* postingsStartingWith(prefix: string): Iterable<Postings> {
    for (const { data, forms } of sql.blocksBetween.all(prefix, `${prefix}${LAST_CHARACTER}`))
      yield decodePostings(data, forms);
    for (const stem of waiting.startingWith(prefix)) {
      const added = waiting.of(stem)?.range(0, Infinity);
      if (added) yield added;
    }
  }

  return { postingsOf, postingsStartingWith, startingWith };
}

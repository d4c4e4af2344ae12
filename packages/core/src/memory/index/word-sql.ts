import { z } from "zod";
import { Integers } from "../../database/rows.ts";
import type { Database } from "../../database/open-database.ts";

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

/**
 * The one-time upgrade of words that were merged before: their removed documents are swept from the postings, and the
 * facts of documents are copied to pages.
 */
export const WORD_SWEEPS = `
ALTER TABLE word_state ADD COLUMN swept INTEGER NOT NULL DEFAULT 0;
ALTER TABLE word_state ADD COLUMN sweeping INTEGER NOT NULL DEFAULT 0;
ALTER TABLE word_state ADD COLUMN swept_stem TEXT NOT NULL DEFAULT '';
CREATE TABLE doc_pages (page INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;`;

/**
 * One row. Documents up to `merged` are stored; up to `merging`, those stems are that sort up to `stem`. No stored
 * postings contain a document of the removals up to `swept`; those of stems up to `sweptStem` contain none up to
 * `sweeping`.
 */
const State = z.object({
  texts: z.int(),
  words: z.int(),
  merged: z.int(),
  merging: z.int(),
  stem: z.string(),
  last: z.int(),
  removed: z.int(),
  firstRemoved: z.int(),
  swept: z.int(),
  sweeping: z.int(),
  sweptStem: z.string(),
});
export type WordState = z.infer<typeof State>;

const Documents = z.object({ docs: Integers, items: Integers, kinds: Integers, lengths: Integers });
const Block = z.object({
  first: z.int(),
  last: z.int(),
  count: z.int(),
  forms: z.string(),
  data: z.instanceof(Uint8Array),
});
const Bytes = Block.pick({ forms: true, data: true });
/** Without its postings. */
const BlockSize = Block.pick({ first: true, last: true, count: true }).extend({ stem: z.string() });
export type BlockSize = z.infer<typeof BlockSize>;
const Waiting = z.object({ doc: z.int(), words: z.string() });
const Page = z.object({ page: z.int(), data: z.instanceof(Uint8Array) });
const Found = z.object({ found: z.int() });

export function prepareStatements(database: Database) {
  const Length = z.object({ doc: z.int(), length: z.int() });
  return {
    state: database.query(
      `SELECT texts, words, merged, merging, merged_stem AS stem, swept, sweeping, swept_stem AS sweptStem,
         (SELECT coalesce(max(doc), 0) FROM docs) AS last,
         (SELECT coalesce(max(number), 0) FROM removed_docs) AS removed,
         (SELECT coalesce(min(number), 1) FROM removed_docs) AS firstRemoved
       FROM word_state`,
      State,
    ),
    documentOf: database.query("SELECT doc, length FROM docs WHERE item = ?", Length),
    addKind: database.command("INSERT OR IGNORE INTO word_kinds (kind) VALUES (?)"),
    /** Adds nothing for an unknown kind. */
    addDocument: database.command(
      "INSERT INTO docs (item, kind, length) SELECT ?, number, ? FROM word_kinds WHERE kind = ?",
    ),
    addWords: database.command("INSERT INTO waiting_words (doc, words) VALUES (?, ?)"),
    addToState: database.command("UPDATE word_state SET texts = texts + ?, words = words + ?"),
    dropDocument: database.command("DELETE FROM docs WHERE doc = ?"),
    dropWords: database.command("DELETE FROM waiting_words WHERE doc = ?"),
    noteRemoved: database.command("INSERT INTO removed_docs (doc) VALUES (?)"),
    documentsBetween: database.query(
      `SELECT json_group_array(doc) AS docs, json_group_array(item) AS items, json_group_array(kind) AS kinds,
         json_group_array(length) AS lengths FROM docs WHERE doc BETWEEN ? AND ?`,
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
    blockSizes: database.query(
      "SELECT stem, first, last, count FROM postings WHERE stem IN (SELECT value FROM json_each(?)) ORDER BY stem, first",
      BlockSize,
    ),
    blocksFrom: database.query(
      "SELECT forms, data FROM postings WHERE stem = ? AND first >= ? ORDER BY first",
      Bytes,
    ),
    stems: database.query(
      "SELECT json_group_array(DISTINCT stem) AS stems FROM postings WHERE stem >= ? AND stem < ?",
      z.object({ stems: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))) }),
    ),
    putBlock: database.command(
      "INSERT OR REPLACE INTO postings (stem, first, last, count, forms, data) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    dropBlock: database.command("DELETE FROM postings WHERE stem = ? AND first = ?"),
    dropBlocksFrom: database.command("DELETE FROM postings WHERE stem = ? AND first >= ?"),
    beginMerge: database.command("UPDATE word_state SET merging = ?, merged_stem = ''"),
    setMerged: database.command("UPDATE word_state SET merged_stem = ?"),
    endMerge: database.command("UPDATE word_state SET merged = merging, merged_stem = ''"),
    forgetWords: database.command(
      "DELETE FROM waiting_words WHERE doc IN (SELECT doc FROM waiting_words WHERE doc <= ? ORDER BY doc LIMIT ?)",
    ),
    stemsAfter: database.query(
      "SELECT DISTINCT stem FROM postings WHERE stem > ? ORDER BY stem LIMIT ?",
      z.object({ stem: z.string() }),
    ),
    setBlock: database.command(
      "UPDATE postings SET count = ?, forms = ?, data = ? WHERE stem = ? AND first = ?",
    ),
    beginSweep: database.command("UPDATE word_state SET sweeping = ?, swept_stem = ''"),
    setSwept: database.command("UPDATE word_state SET swept_stem = ?"),
    endSweep: database.command("UPDATE word_state SET swept = sweeping, swept_stem = ''"),
    pages: database.query("SELECT page, data FROM doc_pages ORDER BY page", Page),
    page: database.query("SELECT page, data FROM doc_pages WHERE page = ?", Page),
    putPage: database.command("INSERT OR REPLACE INTO doc_pages (page, data) VALUES (?, ?)"),
    lastPage: database.query("SELECT coalesce(max(page), -1) AS found FROM doc_pages", Found),
  };
}

export type WordStatements = ReturnType<typeof prepareStatements>;

import type { Migration } from "../../database/open-database.ts";
import { CHANGE_LOG } from "../../vectors/change-log.ts";
import { WORD_SWEEPS, WORD_TABLES } from "./word-sql.ts";

/** Entries, their words and the embedders: the tables of `SearchTable` and `VectorTable`. */
export const SEARCH_TABLES = `
CREATE TABLE entries (
  item INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  tags TEXT NOT NULL
) STRICT;
CREATE INDEX entries_by_time ON entries (timestamp, id);

CREATE VIRTUAL TABLE terms USING fts5 (stems, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (terms, row);
CREATE TABLE words (
  item INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
  words TEXT NOT NULL,
  length INTEGER NOT NULL
) STRICT;
CREATE TABLE totals (entries INTEGER NOT NULL, words INTEGER NOT NULL) STRICT;
INSERT INTO totals VALUES (0, 0);

CREATE TABLE embedders (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
) STRICT;`;

/** Stored stems, so that a search has to stem only its query. Texts indexed before have none until they are read again. */
export const STEMS_OF_WORDS = "ALTER TABLE words ADD COLUMN stems TEXT NOT NULL DEFAULT '';";

/** Replaces SQLite's full-text index. The words of all texts wait to be merged, so nothing has to be read again. */
export const OWN_POSTINGS = `
${WORD_TABLES}
INSERT INTO word_kinds (kind) SELECT DISTINCT kind FROM entries;
INSERT INTO docs (item, kind, length)
  SELECT words.item, word_kinds.number, words.length
  FROM words JOIN entries USING (item) JOIN word_kinds USING (kind) ORDER BY words.item;
INSERT INTO waiting_words (doc, words) SELECT docs.doc, trim(words.words) FROM docs JOIN words USING (item);
INSERT INTO word_state SELECT entries, words, 0, 0, '' FROM totals;
DROP TABLE vocabulary;
DROP TABLE terms;
DROP TABLE words;
DROP TABLE totals;`;

/** Texts to embed and files that cannot be read. Requires a table `records` with `hash` and `preview`. */
export const QUEUE_TABLES = `
CREATE TABLE pending (
  embedder INTEGER NOT NULL REFERENCES embedders ON DELETE CASCADE,
  item INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
  attempts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (embedder, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_by_attempts ON pending (embedder, attempts, item);

CREATE TABLE quarantine (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE checked_files (path TEXT PRIMARY KEY, stamp TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

/**
 * The derived database. A migration may drop and recreate any table, because the next reconciliation reads what is
 * missing from the files.
 */
export const memoryIndexMigrations: readonly Migration[] = [
  {
    version: 1,
    name: "entries, their words, their files",
    up: `
      ${SEARCH_TABLES}
      CREATE TABLE records (
        item INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
        path TEXT NOT NULL UNIQUE,
        stamp TEXT NOT NULL,
        hash TEXT NOT NULL,
        preview TEXT NOT NULL,
        gist TEXT NOT NULL,
        importance REAL NOT NULL,
        pinned INTEGER NOT NULL,
        context TEXT NOT NULL
      ) STRICT;
      ${QUEUE_TABLES}
    `,
  },
  {
    version: 2,
    name: "whether an embedder has seen every entry once",
    up: "ALTER TABLE embedders ADD COLUMN complete INTEGER NOT NULL DEFAULT 0",
  },
  {
    version: 3,
    name: "where records come from, what they are linked with",
    // Empty stamps make the next reconciliation read every file again; words and vectors stay usable until then.
    up: `
      ALTER TABLE records ADD COLUMN source TEXT NOT NULL DEFAULT 'user';
      ALTER TABLE records ADD COLUMN run_id TEXT;
      ALTER TABLE records ADD COLUMN conversation_id TEXT;
      ALTER TABLE records ADD COLUMN trust TEXT NOT NULL DEFAULT 'trusted';
      ALTER TABLE records ADD COLUMN verified INTEGER NOT NULL DEFAULT 0;
      UPDATE records SET stamp = '', hash = '';
      CREATE INDEX records_by_run ON records (run_id) WHERE run_id IS NOT NULL;
      CREATE INDEX records_by_conversation ON records (conversation_id) WHERE conversation_id IS NOT NULL;

      CREATE TABLE links (
        item INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
        target TEXT NOT NULL,
        relation TEXT NOT NULL,
        PRIMARY KEY (item, target, relation)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX links_by_target ON links (target);
      CREATE TABLE entities (
        item INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
        entity TEXT NOT NULL,
        PRIMARY KEY (item, entity)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX entities_by_name ON entities (entity, item);
    `,
  },
  { version: 4, name: "which vectors changed", up: CHANGE_LOG },
  {
    version: 5,
    name: "entries by kind",
    up: "CREATE INDEX entries_by_kind ON entries (kind, timestamp, id)",
  },
  {
    version: 6,
    name: "which records tell of a failure, and which repeat a request",
    up: `
      ALTER TABLE records ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE records ADD COLUMN occasion TEXT;
      UPDATE records SET stamp = '', hash = '';
    `,
  },
  {
    version: 7,
    name: "stems beside words, and their hashes for detecting duplicates",
    up: `
      ${STEMS_OF_WORDS}
      ALTER TABLE records DROP COLUMN gist;
      ALTER TABLE records ADD COLUMN stems BLOB NOT NULL DEFAULT x'';
      UPDATE records SET stamp = '', hash = '';
    `,
  },
  { version: 8, name: "postings of stems", up: OWN_POSTINGS },
  { version: 9, name: "sweeps of removed words", up: WORD_SWEEPS },
  {
    version: 10,
    name: "the other fields of records beside their text, so that recall need not read their files",
    // The next reconciliation reads the files again; what is indexed of an unchanged one stays.
    up: `
      ALTER TABLE records ADD COLUMN fields TEXT NOT NULL DEFAULT '';
      UPDATE records SET stamp = '';
    `,
  },
  {
    version: 11,
    name: "these fields in a table of their own, so that lists, which read all records, do not read them",
    up: `
      CREATE TABLE record_fields (
        item INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
        fields TEXT NOT NULL
      ) STRICT;
      INSERT INTO record_fields SELECT item, fields FROM records WHERE fields <> '';
      ALTER TABLE records DROP COLUMN fields;
    `,
  },
];

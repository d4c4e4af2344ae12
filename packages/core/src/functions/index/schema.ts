import type { Migration } from "../../database/open-database.ts";
import { CHANGE_LOG } from "../../vectors/change-log.ts";
import { OWN_POSTINGS, QUEUE_TABLES, SEARCH_TABLES, STEMS_OF_WORDS } from "../../memory/index/schema.ts";
import { WORD_SWEEPS } from "../../memory/index/word-sql.ts";

/**
 * `functions.db`, derived from the function files and the counters in `state.db`; it can be deleted at any time. It is
 * separate from `memory.db`, so that functions do not compete with a hundred thousand memories among the candidates.
 */
export const functionIndexMigrations: readonly Migration[] = [
  {
    version: 1,
    name: "functions, their words, their files, how they did",
    up: `
      ${SEARCH_TABLES}
      ALTER TABLE embedders ADD COLUMN complete INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE records (
        item INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
        path TEXT NOT NULL UNIQUE,
        stamp TEXT NOT NULL,
        hash TEXT NOT NULL,
        preview TEXT NOT NULL,
        agent TEXT NOT NULL,
        user TEXT NOT NULL,
        name TEXT NOT NULL,
        title TEXT NOT NULL,
        title_folded TEXT NOT NULL,
        trust TEXT NOT NULL,
        status TEXT NOT NULL,
        skills TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) STRICT;
      CREATE INDEX records_by_name ON records (agent, user, name);
      CREATE INDEX records_by_update ON records (agent, user, updated_at);
      CREATE TABLE evidence (
        id TEXT PRIMARY KEY,
        uses INTEGER NOT NULL,
        executions INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        success REAL NOT NULL,
        useful_at TEXT
      ) STRICT, WITHOUT ROWID;
      ${QUEUE_TABLES}
    `,
  },
  { version: 2, name: "which vectors changed", up: CHANGE_LOG },
  {
    version: 3,
    name: "what kind each is",
    // Empty stamps make the next reconciliation read every file again; words and vectors stay usable until then.
    up: `
      ALTER TABLE records ADD COLUMN kind TEXT NOT NULL DEFAULT '';
      UPDATE records SET stamp = '', hash = '';
    `,
  },
  { version: 4, name: "stems beside words", up: STEMS_OF_WORDS },
  { version: 5, name: "postings of stems", up: OWN_POSTINGS },
  { version: 6, name: "sweeps of removed words", up: WORD_SWEEPS },
];

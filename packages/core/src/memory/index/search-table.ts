import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import { indexedWords, stemOf } from "../../text/words.ts";
import { type EntryTable, FILTER, filterParameters } from "../../vectors/entry-table.ts";
import {
  type Background,
  createKeywordScorer,
  firstCharacter,
  inverseFrequency,
  looseVariants,
  MAX_QUERY_STEMS,
  queryStems,
  type QueryTerm,
} from "./keyword-score.ts";
import type { SearchEntry, SearchMode, SearchMatch } from "./search-index.ts";

/** The number of candidates that FTS5 selects with its own BM25, to be scored in full. */
const CANDIDATES = 150;
/** With this many candidates, FTS5 does not search the query's commoner words. */
const MIN_CANDIDATE_ENTRIES = 2_000;
/** The number of stems whose rarity is computed for a long request. */
const MAX_WEIGHED_STEMS = 400;
/** The number of vocabulary terms to compare for typos. */
const MAX_COMPARED_TERMS = 20_000;

interface CountedTerm extends QueryTerm {
  /** The number of entries with the stem. */
  count: number;
}

/** Keyword search on SQLite FTS5; synchronous, for use in a worker. Callers open the transaction. */
export interface SearchTable {
  put(entry: SearchEntry): number;
  remove(item: number): void;
  search(query: string, options: { limit: number; filter: EntryFilter; mode: SearchMode }): SearchMatch[];
  count(): number;
}

export function openSearchTable(
  database: Database,
  entries: EntryTable,
  background: Background | undefined,
): SearchTable {
  const Length = z.object({ length: z.int() });
  const lengthOf = database.query("SELECT length FROM words WHERE item = ?", Length);
  const totals = database.query(
    "SELECT entries, words FROM totals",
    z.object({ entries: z.int(), words: z.int() }),
  );
  const addToTotals = database.command("UPDATE totals SET entries = entries + ?, words = words + ?");
  const dropTerms = database.command("DELETE FROM terms WHERE rowid = ?");
  const dropWords = database.command("DELETE FROM words WHERE item = ?");
  const addTerms = database.command("INSERT INTO terms (rowid, stems) VALUES (?, ?)");
  const addWords = database.command("INSERT INTO words (item, words, length) VALUES (?, ?, ?)");
  const frequency = database.query("SELECT doc FROM vocabulary WHERE term = ?", z.object({ doc: z.int() }));
  const similarStarts = database.query(
    `SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT ${MAX_COMPARED_TERMS}`,
    z.object({ term: z.string() }),
  );
  const candidates = database.query(
    `SELECT entries.id, words.words
     FROM terms JOIN entries ON entries.item = terms.rowid JOIN words ON words.item = terms.rowid
     WHERE terms MATCH :expression AND ${FILTER}
     ORDER BY terms.rank LIMIT :limit`,
    z.object({ id: z.string(), words: z.string() }),
  );

  function remove(item: number): void {
    const known = lengthOf.get(item);
    if (!known) return;
    dropTerms.run(item);
    dropWords.run(item);
    addToTotals.run(-1, -known.length);
  }

  function termsOf(query: string, mode: SearchMode, total: number): CountedTerm[] {
    const terms = [...queryStems(query)].slice(0, MAX_WEIGHED_STEMS).map(([stem, forms]): CountedTerm => {
      const count = frequency.get(stem)?.doc ?? 0;
      const variants =
        mode === "loose" && count === 0
          ? looseVariants(stem, termsWithSameStart(stem))
          : [{ term: stem, weight: 1 }];
      return {
        stem,
        forms,
        variants,
        count,
        inverseFrequency: inverseFrequency(total, count, { stem, background }),
      };
    });
    return terms.sort((a, b) => b.inverseFrequency - a.inverseFrequency).slice(0, MAX_QUERY_STEMS);
  }

  function termsWithSameStart(stem: string): string[] {
    const first = firstCharacter(stem);
    return similarStarts.all(first, `${first}\u{10ffff}`).map(({ term }) => term);
  }

  return {
    put({ id, facts, text }) {
      const item = entries.put(id, facts);
      remove(item);
      const words = indexedWords(text);
      addTerms.run(item, words.map(stemOf).join(" "));
      addWords.run(item, words.join(" "), words.length);
      addToTotals.run(1, words.length);
      return item;
    },
    remove,
    search(query, { limit, filter, mode }) {
      const { entries: total, words } = totals.get() ?? { entries: 0, words: 0 };
      if (total === 0) return [];
      const terms = termsOf(query, mode, total);
      const expression = expressionOf(terms);
      if (expression === "") return [];
      const score = createKeywordScorer(terms, words / total);
      return candidates
        .all({ expression, ...filterParameters(filter), limit: Math.max(limit, CANDIDATES) })
        .map((row) => ({ id: row.id, ...score(row.words.split(" ")) }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    count: () => totals.get()?.entries ?? 0,
  };
}

/** The FTS5 expression: the rarest terms, until they cover enough entries. The other terms still count in the score. */
function expressionOf(terms: readonly CountedTerm[]): string {
  const chosen = new Set<string>();
  let entries = 0;
  for (const { variants, count } of terms) {
    if (chosen.size > 0 && entries + count > MIN_CANDIDATE_ENTRIES) break;
    for (const { term } of variants) chosen.add(quoted(term));
    entries += count;
  }
  return [...chosen].join(" OR ");
}

/** Quotes a term for FTS5. */
function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import { isRecord } from "../../text/is-record.ts";
import { type EntryTable, FILTER, filterParameters } from "../../vectors/entry-table.ts";
import {
  type Background,
  createKeywordScorer,
  type IndexedText,
  indexedText,
  type QueryTerm,
  queryTerms,
} from "./keyword-score.ts";
import type { SearchEntry, SearchMode, SearchMatch } from "./search-index.ts";

/** The number of candidates that FTS5 selects with its own BM25, to be scored in full. */
const CANDIDATES = 150;
/** With this many candidates, FTS5 does not search the query's commoner words. */
const MIN_CANDIDATE_ENTRIES = 1_000;
/** The number of stems whose counts are kept between searches. */
const MAX_COUNTED = 10_000;
/** The number of vocabulary terms to compare for typos. */
const MAX_COMPARED_TERMS = 20_000;

/** A match with the number of its entry. */
export interface SearchTableMatch extends SearchMatch {
  item: number;
}

interface ScoredText extends IndexedText {
  item: number;
  id: string;
}

/** A row of the many that a search reads; checked by hand, because that takes a fifth of the time. */
const ScoredRow = z.custom<ScoredText>(
  (row: unknown) =>
    isRecord(row) &&
    typeof row["item"] === "number" &&
    typeof row["id"] === "string" &&
    typeof row["words"] === "string" &&
    typeof row["stems"] === "string" &&
    typeof row["length"] === "number",
);

/** Keyword search on SQLite FTS5; synchronous, for use in a worker. Callers open the transaction. */
export interface SearchTable {
  put(entry: SearchEntry): number;
  remove(item: number): void;
  search(
    query: string,
    options: { limit: number; filter: EntryFilter; mode: SearchMode },
  ): SearchTableMatch[];
  count(): number;
}

const Length = z.object({ length: z.int() });

function prepareStatements(database: Database) {
  return {
    lengthOf: database.query("SELECT length FROM words WHERE item = ?", Length),
    totals: database.query(
      "SELECT entries, words FROM totals",
      z.object({ entries: z.int(), words: z.int() }),
    ),
    addToTotals: database.command("UPDATE totals SET entries = entries + ?, words = words + ?"),
    dropTerms: database.command("DELETE FROM terms WHERE rowid = ?"),
    dropWords: database.command("DELETE FROM words WHERE item = ?"),
    addTerms: database.command("INSERT INTO terms (rowid, stems) VALUES (?, ?)"),
    addWords: database.command("INSERT INTO words (item, words, stems, length) VALUES (?, ?, ?, ?)"),
    frequency: database.query("SELECT doc FROM vocabulary WHERE term = ?", z.object({ doc: z.int() })),
    similarStarts: database.query(
      `SELECT term FROM vocabulary WHERE term >= ? AND term < ? LIMIT ${MAX_COMPARED_TERMS}`,
      z.object({ term: z.string() }),
    ),
    candidates: database.query(
      `SELECT entries.item, entries.id, words.words, words.stems, words.length
       FROM terms JOIN entries ON entries.item = terms.rowid JOIN words ON words.item = terms.rowid
       WHERE terms MATCH :expression AND ${FILTER}
       ORDER BY terms.rank LIMIT :limit`,
      ScoredRow,
    ),
  };
}

export function openSearchTable(
  database: Database,
  entries: EntryTable,
  background: Background | undefined,
): SearchTable {
  const {
    lengthOf,
    totals,
    addToTotals,
    dropTerms,
    dropWords,
    addTerms,
    addWords,
    frequency,
    similarStarts,
    candidates,
  } = prepareStatements(database);

  function remove(item: number): void {
    const known = lengthOf.get(item);
    if (!known) return;
    dropTerms.run(item);
    dropWords.run(item);
    addToTotals.run(-1, -known.length);
  }

  /** The number of entries with each stem that was asked for, until an entry changes. */
  let counted = { entries: -1, words: -1, counts: new Map<string, number>() };

  function countOf(stem: string, total: { entries: number; words: number }): number {
    const isCurrent = counted.entries === total.entries && counted.words === total.words;
    if (!isCurrent || counted.counts.size >= MAX_COUNTED) counted = { ...total, counts: new Map() };
    const known = counted.counts.get(stem);
    if (known !== undefined) return known;
    const count = frequency.get(stem)?.doc ?? 0;
    counted.counts.set(stem, count);
    return count;
  }

  function startingWith(character: string): string[] {
    return similarStarts.all(character, `${character}\u{10ffff}`).map(({ term }) => term);
  }

  return {
    put({ id, facts, text }) {
      const item = entries.put(id, facts);
      remove(item);
      const { words, stems, length } = indexedText(text);
      addTerms.run(item, stems);
      addWords.run(item, words, stems, length);
      addToTotals.run(1, length);
      return item;
    },
    remove,
    search(query, { limit, filter, mode }) {
      const total = totals.get() ?? { entries: 0, words: 0 };
      if (total.entries === 0) return [];
      const terms = queryTerms(query, mode, {
        entries: total.entries,
        countOf: (stem) => countOf(stem, total),
        startingWith,
        background,
      });
      const expression = expressionOf(terms);
      if (expression === "") return [];
      const score = createKeywordScorer(terms, total.words / total.entries);
      return (
        candidates
          .all({ expression, ...filterParameters(filter), limit: Math.max(limit, CANDIDATES) })
          // Texts that an earlier version indexed have no stems until they are read again.
          .map((row) => ({
            item: row.item,
            id: row.id,
            ...score(row.stems === "" ? indexedText(row.words) : row),
          }))
          .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      );
    },
    count: () => totals.get()?.entries ?? 0,
  };
}

/**
 * The FTS5 expression: the rarest terms, until they cover enough entries, then their synonyms as long as there is room.
 * The other terms still count in the score.
 */
function expressionOf(terms: readonly QueryTerm[]): string {
  const chosen = new Set<string>();
  const chosenTerms: QueryTerm[] = [];
  let entries = 0;
  for (const term of terms) {
    if (chosenTerms.length > 0 && entries + term.count > MIN_CANDIDATE_ENTRIES) break;
    for (const spelling of term.spellings) chosen.add(quoted(spelling.term));
    chosenTerms.push(term);
    entries += term.count;
  }
  for (const { term, count } of chosenTerms.flatMap(({ synonyms }) => synonyms)) {
    if (entries + count > MIN_CANDIDATE_ENTRIES) continue;
    chosen.add(quoted(term));
    entries += count;
  }
  return [...chosen].join(" OR ");
}

/** Quotes a term for FTS5. */
function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

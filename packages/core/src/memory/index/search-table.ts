import { z } from "zod";
import { Integers } from "../../database/integers.ts";
import type { Database } from "../../database/open-database.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import { type EntryTable, FILTER, filterParameters } from "../../vectors/entry-table.ts";
import { indexedWords } from "../../text/words.ts";
import { type Background, queryTerms } from "./keyword-score.ts";
import type { Postings } from "./postings.ts";
import { createTextScorer } from "./score-texts.ts";
import type { SearchEntry, SearchMode, SearchMatch } from "./search-index.ts";
import type { TextCondition } from "./text-condition.ts";
import { openWordTable, type WordIndex } from "./word-table.ts";

/** A match with the number of its entry. */
export interface SearchTableMatch extends SearchMatch {
  item: number;
}

/** Keyword search on an inverted index; synchronous, for use in a worker. Callers open transactions for writes only. */
export interface SearchTable {
  put(entry: SearchEntry): number;
  remove(item: number): void;
  search(
    query: string,
    options: { limit: number; filter: EntryFilter; mode: SearchMode },
  ): SearchTableMatch[];
  /** The items that meet a condition, in no order. */
  itemsWith(condition: TextCondition): number[];
  count(): number;
  /** Works for about `sliceMs` on the upkeep of the index. Returns whether more is to do. */
  keepUp(sliceMs: number): boolean;
  /** Works for about `sliceMs` on deleting the words of removed texts. Returns whether more is to do. */
  sweep(sliceMs: number): boolean;
}

export interface SearchTableOptions {
  /** Background texts for word frequencies. */
  background?: Background | undefined;
  /** The number of texts from which their words are merged into the index; for tests. */
  minWaiting?: number;
}

export function openSearchTable(
  database: Database,
  entries: EntryTable,
  { background, minWaiting }: SearchTableOptions = {},
): SearchTable {
  const words = openWordTable(database, minWaiting);
  const score = createTextScorer();
  const filtered = database.query(
    `SELECT json_group_array(item) AS items FROM entries WHERE ${FILTER}`,
    z.object({ items: Integers }),
  );
  const idsOf = database.query(
    "SELECT item, id FROM entries WHERE item IN (SELECT value FROM json_each(?))",
    z.object({ item: z.int(), id: z.string() }),
  );

  function accepting(filter: EntryFilter, { kinds, items, numbersOf }: WordIndex) {
    const { since, until, tags = [] } = filter;
    const isWanted: boolean[] = [];
    if (filter.kinds) for (const number of numbersOf(filter.kinds)) isWanted[number] = true;
    const chosen =
      since === undefined && until === undefined && tags.length === 0
        ? undefined
        : new Set(filtered.get(filterParameters(filter))?.items);
    return (document: number): boolean =>
      (filter.kinds === undefined || isWanted[kinds[document] ?? 0] === true) &&
      (chosen === undefined || chosen.has(items[document] ?? 0));
  }

  return {
    put({ id, facts, text }) {
      const item = entries.put(id, facts);
      words.remove(item);
      words.add(item, facts.kind, indexedWords(text));
      return item;
    },
    remove: (item) => words.remove(item),
    search(query, { limit, filter, mode }) {
      const index = words.current();
      if (index.texts === 0) return [];
      const terms = queryTerms(query, mode, {
        entries: index.texts,
        countOf: (stem) => index.factsOf(stem).texts,
        startingWith: index.startingWith,
        background,
      });
      const found = score(terms, index, { limit, accepts: accepting(filter, index) });
      const items = found.map(({ document }) => index.items[document] ?? 0);
      const ids = new Map(idsOf.all(JSON.stringify(items)).map(({ item, id }) => [item, id]));
      return found
        .flatMap(({ document: _, ...scored }, at): SearchTableMatch[] => {
          const item = items[at] ?? 0;
          const id = ids.get(item);
          // Another process may have removed it since.
          return id === undefined ? [] : [{ item, id, ...scored }];
        })
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    },
    itemsWith({ stems, prefix }) {
      const index = words.current();
      const required = stems.map((stem) => documentsOf(index.postingsOf(stem)));
      if (prefix)
        required.push(
          documentsOf([...index.postingsOf(prefix.stem), ...index.postingsStartingWith(prefix.start)]),
        );
      const [first = new Set<number>(), ...others] = required.toSorted((a, b) => a.size - b.size);
      return [...first]
        .filter((document) => others.every((documents) => documents.has(document)))
        .flatMap((document) => ((index.lengths[document] ?? 0) > 0 ? (index.items[document] ?? []) : []));
    },
    count: () => words.count(),
    keepUp: (sliceMs) => words.merge(sliceMs),
    sweep: (sliceMs) => words.sweep(sliceMs),
  };
}

function documentsOf(some: Iterable<Postings>): Set<number> {
  const documents = new Set<number>();
  for (const postings of some) for (const document of postings.documents) documents.add(document);
  return documents;
}

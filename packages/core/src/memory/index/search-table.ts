import { z } from "zod";
import { Integers } from "../../database/json-column.ts";
import type { Database } from "../../database/open-database.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import { type EntryTable, FILTER, filterParameters, openItemIds } from "../../vectors/entry-table.ts";
import { indexedWords } from "../../text/words.ts";
import { type Background, queryTerms } from "./keyword-score.ts";
import type { Postings } from "./postings.ts";
import { createTextScorer } from "./score-texts.ts";
import type { SearchEntry, SearchMode, SearchMatch } from "./search-index.ts";
import type { TextCondition } from "./text-condition.ts";
import { openWordTable, type WordIndex } from "./word-table.ts";

/** A match with the number of its entry instead of its id. */
export interface FoundByWords extends Omit<SearchMatch, "id"> {
  item: number;
}

interface WordSearch {
  limit: number;
  filter: EntryFilter;
  mode: SearchMode;
}

/** Keyword search on an inverted index; synchronous, for use in a worker. Callers open transactions for writes only. */
export interface SearchTable {
  put(entry: SearchEntry): number;
  remove(item: number): void;
  /** The best entries by their numbers, in no order. One may have been removed by another process since. */
  find(query: string, options: WordSearch): FoundByWords[];
  /** The same, best first, with their ids. */
  search(query: string, options: WordSearch): SearchMatch[];
  /** The items that meet a condition, in no order. */
  itemsWith(condition: TextCondition): number[];
  count(): number;
  /** Whether enough words wait that the upkeep of the index should run now. */
  isOverdue(): boolean;
  /** Works for about `sliceMs` on the upkeep of the index; `isIdle` if nothing changed lately. Returns whether more is to do. */
  keepUp(sliceMs: number, isIdle?: boolean): boolean;
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
  const idsOf = openItemIds(database);

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

  function find(query: string, { limit, filter, mode }: WordSearch): FoundByWords[] {
    const index = words.current();
    if (index.texts === 0) return [];
    const terms = queryTerms(query, mode, {
      entries: index.texts,
      countOf: (stem) => index.factsOf(stem).texts,
      startingWith: index.startingWith,
      background,
    });
    return score(terms, index, { limit, accepts: accepting(filter, index) }).map(
      ({ document, ...scored }) => ({ item: index.items[document] ?? 0, ...scored }),
    );
  }

  return {
    put({ id, facts, text }) {
      const item = entries.put(id, facts);
      words.remove(item);
      words.add(item, facts.kind, indexedWords(text));
      return item;
    },
    remove: (item) => words.remove(item),
    find,
    search(query, options) {
      const found = find(query, options);
      const ids = idsOf(found.map(({ item }) => item));
      return found
        .flatMap(({ item, ...match }): SearchMatch[] => {
          const id = ids.get(item);
          return id === undefined ? [] : [{ id, ...match }];
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
    isOverdue: () => words.isOverdue(),
    keepUp: (sliceMs, isIdle) => words.merge(sliceMs, isIdle),
    sweep: (sliceMs) => words.sweep(sliceMs),
  };
}

function documentsOf(some: Iterable<Postings>): Set<number> {
  const documents = new Set<number>();
  for (const postings of some) for (const document of postings.documents) documents.add(document);
  return documents;
}

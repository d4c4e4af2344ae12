import { z } from "zod";
import { Integers } from "../../database/rows.ts";
import type { Database } from "../../database/open-database.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import { type EntryTable, FILTER, filterParameters, openItemIds } from "../../vectors/entry-table.ts";
import { indexedWords } from "../../text/words.ts";
import { type Background, queryTerms } from "./keyword-score.ts";
import type { Postings } from "./postings.ts";
import { createTextScorer } from "./score-texts.ts";
import type { SearchEntry, SearchMode, SearchMatch } from "./search-index.ts";
import type { TextCondition } from "./text-condition.ts";
import { openWordTable, type UpkeepPace, type WordIndex } from "./word-table.ts";

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
  /** Adds the entry or replaces that of the same id; returns its number. */
  put(entry: SearchEntry): number;
  /** Adds an entry whose id is new; returns its number. */
  add(entry: SearchEntry): number;
  remove(item: number): void;
  /** The best entries by their numbers, in no order. One may have been removed by another process since. */
  find(query: string, options: WordSearch): FoundByWords[];
  /** The same, best first, with their ids. */
  search(query: string, options: WordSearch): SearchMatch[];
  /** The items of some kinds, of all by default, that meet a condition, in no order. */
  itemsWith(condition: TextCondition, kinds?: readonly string[]): number[];
  count(): number;
  /** Whether enough words wait that the upkeep of the index should run now. */
  isOverdue(): boolean;
  /** Works for about `sliceMs` on the upkeep of the index. Returns whether more is to do at this pace. */
  keepUp(sliceMs: number, pace?: UpkeepPace): boolean;
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
    put({ id, facts, text, words: known }) {
      const item = entries.put(id, facts);
      words.remove(item);
      words.add(item, facts.kind, known ?? indexedWords(text));
      return item;
    },
    add({ id, facts, text, words: known }) {
      const item = entries.add(id, facts);
      words.add(item, facts.kind, known ?? indexedWords(text));
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
    itemsWith({ stems, prefix }, kinds) {
      const index = words.current();
      const required: Iterable<Postings>[] = stems.map((stem) => index.postingsOf(stem));
      if (prefix)
        required.push([...index.postingsOf(prefix.stem), ...index.postingsStartingWith(prefix.start)]);
      return itemsInAll(required, index, accepting({ kinds }, index));
    },
    count: () => words.count(),
    isOverdue: () => words.isOverdue(),
    keepUp: (sliceMs, pace) => words.merge(sliceMs, pace),
    sweep: (sliceMs) => words.sweep(sliceMs),
  };
}

/**
 * The items of the accepted documents that are in each of some postings, by document. Most documents may be in all of them, so
 * they are gone through once.
 */
function itemsInAll(
  required: readonly Iterable<Postings>[],
  { last, lengths, items }: Pick<WordIndex, "last" | "lengths" | "items">,
  accepts: (document: number) => boolean,
): number[] {
  /** By document, the number of the first postings that it is in. */
  const reached = new Uint16Array(last + 1);
  for (const [place, some] of required.entries())
    for (const { documents } of some)
      // By index, because iterating over a typed array creates an object for each value.
      for (let index = 0; index < documents.length; index += 1) {
        const document = documents[index] ?? 0;
        if (reached[document] === place) reached[document] = place + 1;
      }
  const found: number[] = [];
  for (let document = 1; document <= last; document += 1)
    if (reached[document] === required.length && (lengths[document] ?? 0) > 0 && accepts(document))
      found.push(items[document] ?? 0);
  return found;
}

import { matchesFilter, type EntryFacts } from "../../vectors/entry-facts.ts";
import {
  createKeywordScorer,
  firstCharacter,
  indexedText,
  type IndexedText,
  inverseFrequency,
  looseVariants,
  MAX_QUERY_STEMS,
  queryStems,
  type QueryTerm,
} from "./keyword-score.ts";
import type { SearchIndex, SearchMode } from "./search-index.ts";

/** Scores every entry in memory: the reference for the other implementations. */
export function createExactSearchIndex(): SearchIndex {
  const entries = new Map<string, { facts: EntryFacts; text: IndexedText; stems: Set<string> }>();

  function frequency(term: string): number {
    let count = 0;
    for (const { stems } of entries.values()) if (stems.has(term)) count += 1;
    return count;
  }

  function vocabulary(first: string): Set<string> {
    const terms = new Set<string>();
    for (const { stems } of entries.values()) {
      for (const term of stems) if (term.startsWith(first)) terms.add(term);
    }
    return terms;
  }

  function termsOf(query: string, mode: SearchMode): QueryTerm[] {
    const terms = [...queryStems(query)].map(([stem, forms]): QueryTerm => {
      const count = frequency(stem);
      const loose = mode === "loose" && count === 0;
      const variants = loose
        ? looseVariants(stem, vocabulary(firstCharacter(stem)))
        : [{ term: stem, weight: 1 }];
      return { stem, forms, variants, inverseFrequency: inverseFrequency(entries.size, count, { stem }) };
    });
    return terms.sort((a, b) => b.inverseFrequency - a.inverseFrequency).slice(0, MAX_QUERY_STEMS);
  }

  return {
    async put(added) {
      for (const { id, facts, text } of added) {
        const indexed = indexedText(text);
        entries.set(id, { facts, text: indexed, stems: new Set(indexed.stems.trim().split(" ")) });
      }
    },
    async remove(ids) {
      for (const id of ids) entries.delete(id);
    },
    async search(query, { limit, filter = {}, mode = "exact" }) {
      const terms = termsOf(query, mode);
      const total = [...entries.values()].reduce((sum, { text }) => sum + text.length, 0);
      const score = createKeywordScorer(terms, total / entries.size);
      return [...entries]
        .filter(([, { facts }]) => matchesFilter(filter, facts))
        .map(([id, { text }]) => ({ id, ...score(text) }))
        .filter((match) => match.score > 0)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    count: async () => entries.size,
  };
}

import { matchesFilter, type EntryFacts } from "../../vectors/entry-facts.ts";
import { createKeywordScorer, indexedText, type IndexedText, queryTerms } from "./keyword-score.ts";
import type { SearchIndex } from "./search-index.ts";

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
      const terms = queryTerms(query, mode, {
        entries: entries.size,
        countOf: frequency,
        startingWith: vocabulary,
      });
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

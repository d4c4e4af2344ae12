import type { MemoryRecord } from "../../contract/memory.ts";
import { contentWords, indexedWords, stemOf } from "../../text/words.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { EntryFacts, EntryFilter } from "../../vectors/entry-facts.ts";
import { entityKey } from "../entities.ts";
import { supersessionKey } from "../exchange.ts";
import { stemHashes } from "../index/catalog-table.ts";
import {
  createKeywordScorer,
  firstCharacter,
  indexedText,
  type QueryTerm,
  queryTerms,
  type Vocabulary,
} from "../index/keyword-score.ts";
import { phrasesOf } from "../index/link-table.ts";
import type { CandidateQuery, FoundCandidates } from "../index/protocol.ts";
import { factsOf, searchedText } from "../index/record-index.ts";
import type { SearchMode } from "../index/search-index.ts";
import { synonymsOf } from "../index/synonyms.ts";
import type { IndexedEntry } from "./candidate.ts";
import { fittingCandidates } from "./fit.ts";

/**
 * A search by a storage of memories, for the time until the index of this process is complete. It finds memories; their scores
 * are computed as those of the index.
 */
export interface StoredSearch {
  /**
   * The searchable memories. Undefined while the index is complete, or while the storage cannot search all memories.
   */
  state(): Promise<StoredSearchState | undefined>;
  /** The number of memories with each of these stems; those without any may be missing. */
  counts(stems: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** All stems that begin with one of these characters. */
  stemsStartingWith(characters: readonly string[]): Promise<readonly string[]>;
  /** Memories by words and by meaning, both best first and at most `limit`. */
  find(query: StoredQuery): Promise<StoredMatches>;
}

export interface StoredSearchState {
  /** The number of all memories. */
  memories: number;
  /** The number of words of a memory, on average. */
  averageWords: number;
  /** The ids of the embedders whose vectors of nearly all memories are stored. */
  embedders: ReadonlySet<string>;
}

export interface StoredQuery {
  /** The stems to search for, with the minimum that each adds to the score of its query term. */
  stems: readonly { stem: string; term: number; weight: number }[];
  averageWords: number;
  nearest?: { embedder: EmbedderFacts; vector: Float32Array } | undefined;
  filter: EntryFilter;
  limit: number;
}

/** A stored memory with the path of its file. */
export interface StoredMemory {
  record: MemoryRecord;
  path: string;
}

export interface StoredMatches {
  byWords: readonly StoredMemory[];
  byMeaning: readonly (StoredMemory & { similarity: number })[];
}

/** The data that a storage keeps for searching a memory. */
export interface SearchedMemory extends EntryFacts {
  /** The distinct stems of its words. */
  stems: string[];
  /** The number of its words. */
  words: number;
}

export function searchedMemory(record: MemoryRecord): SearchedMemory {
  const words = indexedWords(searchedText(record));
  return { ...factsOf(record), stems: [...new Set(words.map(stemOf))], words: words.length };
}

/** The number of memories to fetch for each requested one by words: their exact scores are computed afterwards. */
const FETCH_FACTOR = 2;

/** Finds the candidates for a request in a storage, as the index does: exactly, then loosely if nothing fits. */
export async function findStoredCandidates(
  search: StoredSearch,
  state: StoredSearchState,
  query: CandidateQuery,
): Promise<FoundCandidates> {
  const exact = await findIn(search, state, { ...query, orNearest: false, mode: "exact" });
  return exact.candidates.length > 0 ? exact : await findIn(search, state, { ...query, mode: "loose" });
}

async function findIn(
  search: StoredSearch,
  { memories, averageWords }: StoredSearchState,
  { query, mode, limit, filter, nearest, ...options }: CandidateQuery & { mode: SearchMode },
): Promise<FoundCandidates> {
  const terms = queryTerms(query, mode, await loadVocabulary(search, { query, mode, memories }));
  const found = await search.find({
    stems: searchedStems(terms),
    averageWords,
    nearest,
    filter,
    limit: FETCH_FACTOR * limit,
  });
  const numbered = new Map<string, { item: number; memory: StoredMemory }>();
  for (const memory of [...found.byWords, ...found.byMeaning])
    if (!numbered.has(memory.record.id)) numbered.set(memory.record.id, { item: numbered.size, memory });
  const all = [...numbered.values()];
  const itemOf = (memory: StoredMemory): number => numbered.get(memory.record.id)?.item ?? 0;
  const score = createKeywordScorer(terms, averageWords);
  const named = new Set(phrasesOf(query));
  const { candidates, strongest } = fittingCandidates(
    {
      byWords: found.byWords
        .map((memory) => ({ item: itemOf(memory), ...score(indexedText(searchedText(memory.record))) }))
        .filter((match) => match.score > 0)
        .sort((one, other) => other.score - one.score)
        .slice(0, limit),
      byMeaning: found.byMeaning
        .slice(0, limit)
        .map((match) => ({ item: itemOf(match), similarity: match.similarity })),
      describe: (items) =>
        items.flatMap((item) => {
          const known = all[item];
          return known ? [entryOf(item, known.memory, named)] : [];
        }),
    },
    { ...options, collection: memories },
  );
  return { candidates, strongest, recordOf: (id) => numbered.get(id)?.memory.record };
}

/** Reads the statistics of the stems of a query. */
async function loadVocabulary(
  search: StoredSearch,
  { query, mode, memories }: { query: string; mode: SearchMode; memories: number },
): Promise<Vocabulary> {
  const stems = [...new Set(contentWords(query).map(stemOf))];
  const counts = await search.counts([...new Set(stems.flatMap((stem) => [stem, ...synonymStems(stem)]))]);
  const countOf = (stem: string): number => counts.get(stem) ?? 0;
  const unknown = mode === "loose" ? stems.filter((stem) => countOf(stem) === 0) : [];
  const similar =
    unknown.length === 0 ? [] : await search.stemsStartingWith([...new Set(unknown.map(firstCharacter))]);
  return {
    entries: memories,
    countOf,
    startingWith: (character) => similar.filter((stem) => stem.startsWith(character)),
  };
}

function synonymStems(stem: string): string[] {
  return synonymsOf(stem).map((synonym) => synonym.stem);
}

function searchedStems(terms: readonly QueryTerm[]): StoredQuery["stems"] {
  return terms.flatMap(({ spellings, synonyms, inverseFrequency }, term) =>
    [...spellings, ...synonyms].map(({ term: stem, weight }) => ({
      stem,
      term,
      weight: weight * inverseFrequency,
    })),
  );
}

function entryOf(item: number, { record }: StoredMemory, named: ReadonlySet<string>): IndexedEntry {
  const { id, type, importance, pinned, context, entities, content, metadata } = record;
  return {
    ...{ item, id, type, importance, pinned, context },
    timestamp: factsOf(record).timestamp,
    shared: [...new Set(entities.map(entityKey))].filter((entity) => named.has(entity)),
    stems: stemHashes(content),
    failed: metadata.success === false,
    occasion: supersessionKey(record) ?? null,
  };
}

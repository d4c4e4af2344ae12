import type { SearchMode, SearchMatch } from "../../memory/index/search-index.ts";
import type { FunctionFacts } from "../index/function-table.ts";
import type {
  FunctionSearch,
  FunctionSearchResult,
  RecipeSearch,
  ScoredFunction,
} from "../index/protocol.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import {
  functionCalibrationOf,
  type FunctionCandidate,
  type RankedFunction,
  rankFunctions,
} from "./rank-functions.ts";

/** The number of results of each search that are fused. */
export const DEPTH = 50;
/** The same if only a few of the best are read and rejected candidates are not reported. */
const RECIPE_DEPTH = 24;
/** The share of a fit that results after the first need. */
const LISTED = 0.5;
const MAX_REJECTED = 10;

interface RankingDependencies {
  words(query: string, options: { limit: number; kinds: readonly string[]; mode: SearchMode }): SearchMatch[];
  /** In no particular order; unknown ids are left out. */
  describe(ids: readonly string[]): FunctionFacts[];
  count(): number;
}

export interface FunctionSearchDependencies extends RankingDependencies {
  /** Undefined if the file is missing or differs from the index. */
  read(facts: FunctionFacts): StoredFunction | undefined;
}

export interface RecipeSearchDependencies extends RankingDependencies {
  nearest(
    embedded: NonNullable<RecipeSearch["embedded"]>,
    options: { limit: number; kinds: readonly string[] },
  ): VectorMatch[];
}

/**
 * Searches functions: fuses words and meaning, adds bounded priors, and returns nothing if nothing fits by raw
 * similarity and BM25. `threshold` scales the cut-off: 0 accepts everything, 1 is calibrated.
 */
export function searchFunctions(
  asked: FunctionSearch,
  parts: FunctionSearchDependencies,
): FunctionSearchResult {
  if (asked.query.trim() === "") return { items: [], rejected: [] };
  const { all, listed } = rankedAndListed(asked, parts, DEPTH);
  const items: ScoredFunction[] = [];
  for (const { facts, ...scored } of listed) {
    if (items.length >= asked.limit) break;
    const stored = parts.read(facts);
    if (stored) items.push({ function: stored, ...scored });
  }
  const chosen = new Set(items.map(({ function: { id } }) => id));
  const rejected = all
    .filter(({ facts }) => !chosen.has(facts.id))
    .slice(0, MAX_REJECTED)
    .map(({ facts: { id, title }, score, fit }) => ({
      id,
      title,
      score,
      fit,
      reason: reasonOf(fit, asked.threshold),
    }));
  return { items, rejected };
}

/** The `limit` best recipes, even if they do not fit. */
export function searchRecipes(
  { embedded, ...asked }: RecipeSearch,
  parts: RecipeSearchDependencies,
): RankedFunction[] {
  const { kinds, limit } = asked;
  const matches = embedded ? parts.nearest(embedded, { limit: RECIPE_DEPTH, kinds }) : [];
  const meaning = { embedder: embedded?.embedder.id ?? "", matches };
  const { all, listed } = rankedAndListed({ ...asked, meaning }, parts, RECIPE_DEPTH);
  return [...new Set([...listed, ...all])].slice(0, limit);
}

/** Ranks by exact words; by loosely matching words if nothing fits by exact words. */
function rankedAndListed(
  asked: FunctionSearch,
  parts: RankingDependencies,
  depth: number,
): { all: RankedFunction[]; listed: RankedFunction[] } {
  const fits = ({ fit }: RankedFunction): boolean => fit >= asked.threshold;
  let all = rankResults(asked, parts, { mode: "exact", depth });
  if (!all.some(fits)) {
    const loose = rankResults(asked, parts, { mode: "loose", depth });
    if (loose.some(fits)) all = loose;
  }
  const listed = all.some(fits)
    ? all.filter(({ fit }) => fit >= asked.threshold * (asked.listed ?? LISTED))
    : [];
  return { all, listed };
}

function rankResults(
  asked: FunctionSearch,
  parts: RankingDependencies,
  { mode, depth }: { mode: SearchMode; depth: number },
): RankedFunction[] {
  const byWords = parts.words(asked.query, { limit: depth, kinds: asked.kinds, mode });
  const words = new Map(byWords.map((match, index) => [match.id, { ...match, rank: index + 1 }]));
  const meaning = new Map(
    asked.meaning.matches.map(({ id, similarity }, index) => [id, { similarity, rank: index + 1 }]),
  );
  const candidates = parts
    .describe([...new Set([...words.keys(), ...meaning.keys()])])
    .map((facts): FunctionCandidate => {
      const [wordMatch, meaningMatch] = [words.get(facts.id), meaning.get(facts.id)];
      return {
        facts,
        ...(wordMatch && { words: wordMatch }),
        ...(meaningMatch && { meaning: meaningMatch }),
      };
    });
  return rankFunctions(candidates, {
    calibration: functionCalibrationOf(asked.meaning.embedder),
    collection: parts.count(),
    skills: asked.skills,
    now: asked.now,
  });
}

function reasonOf(fit: number, threshold: number): string {
  if (fit >= threshold) return "It matches, but others match better.";
  return `Its score is ${Math.round((100 * fit) / threshold)} % of the required score.`;
}

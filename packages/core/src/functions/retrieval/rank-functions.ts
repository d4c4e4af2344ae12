import type { FoundFunction, FunctionMatchReason } from "../../contract/function-search.ts";
import type { Features } from "../../memory/recall/candidate.ts";
import { fuse, strongestOf } from "../../memory/recall/fuse.ts";
import { contentWords, stemOf } from "../../text/words.ts";
import type { FunctionFacts } from "../index/function-table.ts";
import type { FunctionCalibration } from "./calibration.ts";
import { functionPriors, type FunctionScorePart } from "./priors.ts";
import type { ScoredFunction } from "../index/protocol.ts";
import { BACKGROUND_TEXTS } from "./background-words.ts";

export interface FunctionCandidate extends Features {
  facts: FunctionFacts;
}

export interface RankedFunction {
  facts: FunctionFacts;
  /** The sum of the parts, 0–1. */
  score: number;
  fit: number;
  matchReason: FunctionMatchReason;
  parts: FunctionScorePart[];
}

export interface RankingContext {
  calibration: FunctionCalibration;
  /** The number of functions in the search. */
  collection: number;
  skills: readonly string[];
  now: string;
}

/** Ranks the results by relevance (words and meaning), then by priors. */
export function rankFunctions(
  candidates: readonly FunctionCandidate[],
  { calibration, collection, skills, now }: RankingContext,
): RankedFunction[] {
  const relevance = fuse(strongestOf(candidates), calibration);
  return candidates
    .map((candidate): RankedFunction => {
      const found = relevance(candidate).flatMap(({ name, value, detail }): FunctionScorePart[] =>
        name === "words" || name === "meaning" ? [{ name, value, detail: detail() }] : [],
      );
      const parts = [...found, ...functionPriors(candidate.facts, { skills, now })];
      return {
        facts: candidate.facts,
        score: Math.min(
          1,
          parts.reduce((sum, { value }) => sum + value, 0),
        ),
        fit: fitOf(candidate, calibration, collection),
        matchReason: matchReasonOf(candidate, found),
        parts,
      };
    })
    .sort((a, b) => b.score - a.score || (a.facts.id < b.facts.id ? -1 : 1));
}

/** The main reason for a match; `skill` if all matching words are names of its skills. */
function matchReasonOf(
  { words, facts }: FunctionCandidate,
  parts: readonly FunctionScorePart[],
): FunctionMatchReason {
  const value = (name: FunctionScorePart["name"]): number =>
    parts.find((part) => part.name === name)?.value ?? 0;
  if (value("meaning") > value("words")) return "semantic";
  const named = new Set(contentWords(facts.skills.join(" ")).map(stemOf));
  const matched = words?.matched ?? [];
  if (matched.length > 0 && matched.every((stem) => named.has(stem))) return "skill";
  return "keyword";
}

/**
 * One sentence with the reason why a function was found: "By its words (file, make), and by meaning; worked 12 of 13
 * times."
 */
export function explanationOf({ parts, fit }: ScoredFunction): FoundFunction["explanation"] {
  const detail = (name: string): string | undefined => parts.find((part) => part.name === name)?.detail;
  const found = [...parts]
    .filter(({ name }) => name === "words" || name === "meaning")
    .sort((a, b) => b.value - a.value)
    .map((part) => part.detail);
  const others = ["success", "skills", "recency"].flatMap((name) => detail(name) ?? []);
  const text = [...found, ...others].join("; ");
  return { text: text === "" ? "Found." : `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`, parts, fit };
}

/**
 * The fit of a function to a request from raw features; 1 and above is a fit. A fused rank cannot show this, because
 * there is always a first result.
 */
function fitOf({ words, meaning }: Features, calibration: FunctionCalibration, collection: number): number {
  const { enoughScore, enoughCoverage, unrelated, convincing } = calibration;
  // The best of many chance matches grows with the logarithm of their number; few functions are no reason to take any.
  const enough =
    (enoughScore * Math.log(1 + collection + BACKGROUND_TEXTS)) /
    Math.log(1 + REFERENCE_COLLECTION_SIZE + BACKGROUND_TEXTS);
  const byWords = words ? Math.max(words.score / enough, words.coverage / enoughCoverage) : 0;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}

const REFERENCE_COLLECTION_SIZE = 400;

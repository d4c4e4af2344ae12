import type { FunctionMatchReason } from "../../contract/function-search.ts";
import type { Features } from "../../memory/recall/candidate.ts";
import { fuse } from "../../memory/recall/fuse.ts";
import { stemOf } from "../../memory/text/stem.ts";
import { contentWords } from "../../memory/text/words.ts";
import type { FunctionFacts } from "../index/function-table.ts";
import type { FunctionCalibration } from "./calibration.ts";
import { fitOf } from "./fit.ts";
import { functionPriors } from "./priors.ts";
import type { FunctionScorePart } from "./priors.ts";

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
  /** How many functions were searched. */
  collection: number;
  skills: readonly string[];
  now: string;
}

/** Orders what the searches found: relevance from words and meaning, then what speaks for a function in itself. */
export function rankFunctions(
  candidates: readonly FunctionCandidate[],
  { calibration, collection, skills, now }: RankingContext,
): RankedFunction[] {
  const relevance = fuse(candidates, calibration);
  return candidates
    .map((candidate): RankedFunction => {
      const found = relevance(candidate).flatMap(({ name, value, detail }): FunctionScorePart[] =>
        name === "words" || name === "meaning" ? [{ name, value, detail }] : [],
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

/** What found it first of all; by its skills when the words that matched name nothing else. */
function matchReasonOf(
  { words, facts }: FunctionCandidate,
  parts: readonly FunctionScorePart[],
): FunctionMatchReason {
  const value = (name: FunctionScorePart["name"]): number =>
    parts.find((part) => part.name === name)?.value ?? 0;
  if (value("meaning") > value("words")) return "semantic";
  const named = new Set(contentWords(facts.skills.join(" ")).map(stemOf));
  if (words && words.matched.length > 0 && words.matched.every((stem) => named.has(stem))) return "skill";
  return "keyword";
}

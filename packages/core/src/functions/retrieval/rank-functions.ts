import type { FoundFunction, FunctionMatchReason } from "../../contract/function-search.ts";
import { successText } from "../../contract/function-report.ts";
import type { Features } from "../../memory/recall/candidate.ts";
import { fuse, strongestOf } from "../../memory/recall/fuse.ts";
import { contentWords, stemOf } from "../../text/words.ts";
import type { FunctionFacts } from "../index/function-table.ts";
import type { ScoredFunction } from "../index/protocol.ts";
import { BACKGROUND_TEXTS } from "./background-words.ts";
import { type Calibration, calibrationOf } from "../../memory/recall/calibration.ts";

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
  // The best of many chance matches grows with the logarithm of their number; few functions are not a reason to take any.
  const enough =
    (enoughScore * Math.log(1 + collection + BACKGROUND_TEXTS)) /
    Math.log(1 + REFERENCE_COLLECTION_SIZE + BACKGROUND_TEXTS);
  const byWords = words ? Math.max(words.score / enough, words.coverage / enoughCoverage) : 0;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}

const REFERENCE_COLLECTION_SIZE = 400;

/** The minimum number of executions for a judgement. */
const ENOUGH_TO_JUDGE = 5;
/** The maximum of each prior. Together they add 0.15, so they cannot lift a function that does not fit. */
const MAX_PRIORS = { skills: 0.05, success: 0.06, recency: 0.04 };
const HOUR_MS = 3_600_000;
/** The activation after about ten years without use. */
const MIN_ACTIVATION = -6;

interface FunctionScorePart {
  name: "words" | "meaning" | "skills" | "success" | "recency";
  value: number;
  detail: string;
}

/** The priors of a function, independent of the request. */
function functionPriors(
  facts: FunctionFacts,
  { skills, now }: { skills: readonly string[]; now: string },
): FunctionScorePart[] {
  const parts: FunctionScorePart[] = [];
  const shared = skills.filter((skill) => facts.skills.includes(skill));
  if (shared.length > 0) {
    parts.push({
      name: "skills",
      value: (MAX_PRIORS.skills * shared.length) / skills.length,
      detail: `uses ${shared.join(", ")}`,
    });
  }
  if (facts.executions > 0) {
    parts.push({
      name: "success",
      value: MAX_PRIORS.success * facts.success,
      detail: `${successText(facts)}${facts.executions < ENOUGH_TO_JUDGE ? " (too few to judge)" : ""}`,
    });
  }
  if (facts.usefulAt !== null) {
    parts.push({
      name: "recency",
      value: MAX_PRIORS.recency * activationShare(facts.usefulAt, now),
      detail: `last useful ${facts.usefulAt.slice(0, 10)}`,
    });
  }
  return parts;
}

/** Base-level activation ln age^-0.5 (Anderson & Lebiere 1998) of the last useful use, as a share. */
function activationShare(usefulAt: string, now: string): number {
  const hours = Math.max(1, (Date.parse(now) - Date.parse(usefulAt)) / HOUR_MS);
  return Math.max(0, Math.min(1, 1 - Math.log(hours ** -0.5) / MIN_ACTIVATION));
}

/**
 * The calibration of one embedder's similarities and of word scores for functions (`tests/bench/function-quality.ts`).
 */
interface FunctionCalibration extends Calibration {
  /** The BM25 score that suffices alone, in a collection of 400. */
  enoughScore: number;
  /** The share of the request's words, weighted by rarity, that suffices alone. */
  enoughCoverage: number;
}

/**
 * Requests for functions are longer than searches for memories, so a fit needs more common words: a shared topic is not
 * the same task.
 */
const WORDS = { enoughScore: 12, enoughCoverage: 1 };
const BUILT_IN = { unrelated: 0.22, convincing: 0.62 };

export function functionCalibrationOf(embedderId: string): FunctionCalibration {
  const measured = embedderId.startsWith("built-in-") ? BUILT_IN : {};
  return { ...calibrationOf(embedderId), ...WORDS, ...measured };
}

import { distance } from "fastest-levenshtein";
import { exampleOf } from "./example.ts";
import { compileSkill, type Grammar, type Rule } from "./grammar.ts";
import type { SkillGrammar } from "./phrase.ts";
import type { Token } from "../tokens/tokens.ts";
import { canonicalWord, FUNCTION_WORDS, stem } from "../tokens/words.ts";

const COUNT = 3;
const MAX_WORDS = 40;
/** Longer words are not compared by spelling. */
const MAX_WORD_LENGTH = 24;

interface RequestContent {
  words: readonly string[];
  /**
   * Meanings that occur in the request, with weights. Similar spellings and meanings that many skills share weigh
   * less.
   */
  meanings: ReadonlyMap<string, number>;
  /** The first content word and its meaning. */
  opening: string | undefined;
  first: string | undefined;
  hasPath: boolean;
}

const canonicalStem = (word: string): string => stem(canonicalWord(word));

/** Returns the vocabulary word with the most similar spelling, if it is similar enough. */
function similar(word: string, vocabulary: Iterable<string>): string | undefined {
  if (word.length < 5 || word.length > MAX_WORD_LENGTH) return undefined;
  let best: string | undefined;
  let nearest = 0.4 * word.length;
  for (const other of vocabulary) {
    if (other[0] !== word[0] || Math.abs(other.length - word.length) >= nearest) continue;
    const edits = distance(word, other);
    if (edits < nearest) [best, nearest] = [other, edits];
  }
  return best;
}

function requestContent(grammar: Grammar, tokens: readonly Token[]): RequestContent {
  const content = tokens.filter(
    ({ kind, text }) => kind === "word" && text.length > 2 && !FUNCTION_WORDS.has(text),
  );
  const words = [...new Set(content.slice(0, MAX_WORDS).map((token) => token.text))];
  const meanings = new Map<string, number>();
  for (const word of words) {
    if (grammar.stems.has(stem(word))) meanings.set(canonicalStem(word), 1);
    else {
      const other = similar(word, grammar.vocabulary);
      if (other !== undefined)
        meanings.set(canonicalStem(other), Math.max(0.4, meanings.get(canonicalStem(other)) ?? 0));
    }
  }
  const { rarity } = overviewOf(grammar);
  for (const [meaning, confidence] of meanings)
    meanings.set(meaning, confidence * (rarity.get(meaning) ?? 1));
  const first = words[0] === undefined ? undefined : canonicalStem(words[0]);
  return {
    words,
    meanings,
    opening: words[0],
    first,
    hasPath: tokens.some((token) => token.kind === "path"),
  };
}

/** A rule that may be suggested, with values that do not depend on the request. */
interface Candidate {
  rule: Rule;
  takesPath: boolean;
  /** Grows with the number of words, so that one match among many counts less. */
  breadth: number;
}

/** Values of a grammar that do not depend on the request. */
interface Overview {
  skills: readonly { skill: SkillGrammar; candidates: readonly Candidate[] }[];
  /** The skills with the most phrases come first. */
  mostCommon: readonly SkillGrammar[];
  /** How strongly each meaning indicates a skill: lower if more skills have phrases with it. */
  rarity: ReadonlyMap<string, number>;
}

/** Suggestions for a request that is not understood take a sixth longer without it (2026-11-27). */
const overviews = new WeakMap<Grammar, Overview>();

function overviewOf(grammar: Grammar): Overview {
  const known = overviews.get(grammar);
  if (known !== undefined) return known;
  const skills = grammar.skills.map((skill) => ({ skill, rules: compileSkill(skill).rules }));
  const skillCounts = new Map<string, number>();
  for (const { rules } of skills) {
    const meanings = new Set(rules.flatMap((rule) => [...rule.meanings]));
    for (const meaning of meanings) skillCounts.set(meaning, (skillCounts.get(meaning) ?? 0) + 1);
  }
  const overview = {
    skills: skills.map(({ skill, rules }) => ({ skill, candidates: rules.flatMap(candidateOf) })),
    mostCommon: skills
      .toSorted((one, other) => other.rules.length - one.rules.length)
      .flatMap(({ skill, rules }) => (rules.length > 0 ? [skill] : [])),
    rarity: new Map(
      [...skillCounts].map(([meaning, count]) => [meaning, 1 / Math.sqrt(Math.max(1, count / 2))]),
    ),
  };
  overviews.set(grammar, overview);
  return overview;
}

function candidateOf(rule: Rule): Candidate[] {
  const slots = Object.values(rule.slots);
  if (slots.some((slot) => slot.pronounOnly)) return [];
  const takesPath = slots.some((slot) => slot.type === "path");
  return [{ rule, takesPath, breadth: Math.sqrt(1 + rule.meanings.size / 30) }];
}

function score(
  { rule, takesPath, breadth }: Candidate,
  { meanings, first, hasPath }: RequestContent,
): number {
  let shared = 0;
  let opens = 0;
  for (const [meaning, weight] of meanings) {
    if (rule.meanings.has(meaning)) shared += weight;
    if (rule.openings.has(meaning)) opens = Math.max(opens, meaning === first ? 0.75 : 0.25);
  }
  return shared / breadth + opens + (hasPath && takesPath ? 0.5 : 0) - rule.index / 40;
}

interface NearSkill {
  skill: SkillGrammar;
  /** True if the request begins with a word that asks for this skill. */
  isNamed: boolean;
  score: number;
}

/** Returns the skills whose phrases are most similar to the tokens, most similar first. */
export function nearestSkills(grammar: Grammar, tokens: readonly Token[]): NearSkill[] {
  const about = requestContent(grammar, tokens);
  return overviewOf(grammar)
    .skills.flatMap(({ skill, candidates }) => {
      let best: { rule: Rule; score: number } | undefined;
      for (const candidate of candidates) {
        const candidateScore = score(candidate, about);
        if (best === undefined || candidateScore > best.score)
          best = { rule: candidate.rule, score: candidateScore };
      }
      if (best === undefined) return [];
      const { rule } = best;
      const isNamed = rule.openings.has(stem(about.opening ?? "")) && !rule.phrase.mayStartWithSlot;
      return [{ skill, isNamed, score: best.score }];
    })
    .sort((one, other) => other.score - one.score);
}

/** Returns the plainest request for a skill: its first phrase that may be suggested. */
export function plainRequest(skill: SkillGrammar): string | undefined {
  const rule = compileSkill(skill).rules.find(({ phrase }) => phrase.isUnlisted !== true);
  return rule && exampleOf(rule);
}

/**
 * Returns three sentences that would work, each for another skill, most similar to the request first. A skill that may
 * remove or replace something is suggested only to a request that begins with its verb.
 */
export function nearestPhrases(grammar: Grammar, tokens: readonly Token[]): string[] {
  const near = nearestSkills(grammar, tokens)
    .filter(({ score, skill, isNamed }) => score > 0.2 && (skill.isRisky !== true || isNamed))
    .map(({ skill }) => skill);
  const common = overviewOf(grammar).mostCommon.filter((skill) => !skill.isRisky && !near.includes(skill));
  return [...near, ...common].flatMap((skill) => plainRequest(skill) ?? []).slice(0, COUNT);
}

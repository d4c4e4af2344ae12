import { distance } from "fastest-levenshtein";
import { exampleOf } from "./example.ts";
import { compileSkill, type Grammar, type Rule } from "./grammar.ts";
import type { SkillSpeech } from "./phrase.ts";
import { meaningOf } from "./synonyms.ts";
import type { Token } from "./tokens.ts";
import { FUNCTION_WORDS, stem } from "./words.ts";

const COUNT = 3;
const MOST_WORDS = 40;
/** Letters up to which a word is compared by its spelling. */
const LONGEST = 24;

interface AboutWhat {
  words: readonly string[];
  /** The meanings that occur, with how surely: 1 for the word itself, less for one spelt like it. */
  meanings: ReadonlyMap<string, number>;
  /** The meaning of the first word with content. */
  first: string | undefined;
  hasPath: boolean;
}

const meaningStem = (word: string): string => stem(meaningOf(word));

/** The word of the vocabulary that is spelt most like this one, when one is at least somewhat like it. */
function similar(word: string, vocabulary: Iterable<string>): string | undefined {
  if (word.length < 5 || word.length > LONGEST) return undefined;
  let best: string | undefined;
  let nearest = 0.4 * word.length;
  for (const other of vocabulary) {
    if (other[0] !== word[0] || Math.abs(other.length - word.length) >= nearest) continue;
    const apart = distance(word, other);
    if (apart < nearest) [best, nearest] = [other, apart];
  }
  return best;
}

function aboutWhat(grammar: Grammar, tokens: readonly Token[]): AboutWhat {
  const content = tokens.filter((token) => token.kind === "word" && !FUNCTION_WORDS.has(token.text));
  const words = [...new Set(content.slice(0, MOST_WORDS).map((token) => token.text))];
  const meanings = new Map<string, number>();
  for (const word of words) {
    if (grammar.stems.has(stem(word))) meanings.set(meaningStem(word), 1);
    else {
      const other = similar(word, grammar.vocabulary);
      if (other !== undefined)
        meanings.set(meaningStem(other), Math.max(0.4, meanings.get(meaningStem(other)) ?? 0));
    }
  }
  const first = words[0] === undefined ? undefined : meaningStem(words[0]);
  return { words, meanings, first, hasPath: tokens.some((token) => token.kind === "path") };
}

const spreads = new WeakMap<Grammar, ReadonlyMap<string, number>>();

/** Of each meaning, how many skills have phrases with it; counted once. */
function spreadOf(grammar: Grammar): ReadonlyMap<string, number> {
  const known = spreads.get(grammar);
  if (known !== undefined) return known;
  const spread = new Map<string, number>();
  for (const skill of grammar.skills) {
    const meanings = new Set(compileSkill(skill).rules.flatMap((rule) => [...rule.meanings]));
    for (const meaning of meanings) spread.set(meaning, (spread.get(meaning) ?? 0) + 1);
  }
  spreads.set(grammar, spread);
  return spread;
}

/** How much a word tells about which skill is meant: less, the more skills have phrases with it. */
function rarities(grammar: Grammar, meanings: Iterable<string>): ReadonlyMap<string, number> {
  const spread = spreadOf(grammar);
  return new Map(
    [...meanings].map((meaning) => [meaning, 1 / Math.sqrt(Math.max(1, (spread.get(meaning) ?? 0) / 2))]),
  );
}

function score(
  rule: Rule,
  { meanings, first, hasPath }: AboutWhat,
  rarity: ReadonlyMap<string, number>,
): number {
  let shared = 0;
  let opens = 0;
  for (const [meaning, weight] of meanings) {
    if (rule.meanings.has(meaning)) shared += weight * (rarity.get(meaning) ?? 1);
    if (rule.openings.has(meaning)) opens = Math.max(opens, meaning === first ? 0.75 : 0.25);
  }
  const takesPath = Object.values(rule.slots).some((slot) => slot.type === "path");
  return (
    shared / Math.sqrt(1 + rule.meanings.size / 30) +
    opens +
    (hasPath && takesPath ? 0.5 : 0) -
    rule.index / 40
  );
}

interface NearSkill {
  skill: SkillSpeech;
  /** One sentence that asks for it in words like those. */
  example(): string;
  score: number;
}

/** The skills whose phrases are nearest to some words, the nearest first. */
export function nearestSkills(grammar: Grammar, tokens: readonly Token[]): NearSkill[] {
  const about = aboutWhat(grammar, tokens);
  const rarity = rarities(grammar, about.meanings.keys());
  const stems = new Set(about.words.map(stem));
  const isNear = (word: string): boolean => stems.has(stem(word));
  return grammar.skills
    .flatMap((skill) => {
      const ranked = compileSkill(skill)
        .rules.filter((rule) => !Object.values(rule.slots).some((slot) => slot.pronounOnly))
        .map((rule) => ({ rule, score: score(rule, about, rarity) }))
        .sort((one, other) => other.score - one.score)[0];
      if (ranked === undefined) return [];
      return [{ skill, example: () => exampleOf(ranked.rule, isNear), score: ranked.score }];
    })
    .sort((one, other) => other.score - one.score);
}

/** Three sentences that would work, the nearest to the request first, each of another skill. */
export function nearestPhrases(grammar: Grammar, tokens: readonly Token[]): string[] {
  const ranked = nearestSkills(grammar, tokens);
  const near = ranked.filter(({ score }) => score > 0.2).slice(0, COUNT);
  // With nothing near, what people ask for most: there are the most ways to ask for it.
  const usual = grammar.skills
    .filter((skill) => !near.some((candidate) => candidate.skill === skill))
    .map((skill) => compileSkill(skill).rules)
    .sort((one, other) => other.length - one.length)
    .flatMap(([rule]) => (rule === undefined ? [] : [exampleOf(rule)]));
  return [...near.map(({ example }) => example()), ...usual].slice(0, COUNT);
}

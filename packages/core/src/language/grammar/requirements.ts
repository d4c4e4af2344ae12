import type { Pattern } from "./template.ts";

/** What a pattern requires of a clause: one word of each set, and one option of each choice. */
interface Requirements {
  words: readonly ReadonlySet<string>[];
  choices: readonly (readonly Requirements[])[];
}

interface WithPattern {
  pattern: Pattern;
}

/** Rules in their order, by words of which each requires one. */
interface RuleIndex {
  byWord: ReadonlyMap<string, readonly number[]>;
  /** Rules that require no word. */
  free: readonly number[];
  requirements: readonly Requirements[];
}

/** Up to 250 phrases begin with the same word, of which a clause has the words of a few. */
const indexes = new WeakMap<readonly WithPattern[], RuleIndex>();

/**
 * Returns the rules, in their order, of which every required literal is among the forms. No other can match. Indexes each list
 * at its first use.
 */
export function rulesThatMayMatch<Rule extends WithPattern>(
  rules: readonly Rule[],
  forms: ReadonlySet<string>,
): Rule[] {
  const index = indexes.get(rules) ?? indexRules(rules);
  indexes.set(rules, index);
  const places = new Set(index.free);
  for (const form of forms) for (const place of index.byWord.get(form) ?? []) places.add(place);
  const found: Rule[] = [];
  for (const place of [...places].sort((one, other) => one - other)) {
    const [rule, needed] = [rules[place], index.requirements[place]];
    if (rule !== undefined && needed !== undefined && isMet(needed, forms)) found.push(rule);
  }
  return found;
}

function indexRules(rules: readonly WithPattern[]): RuleIndex {
  const needs = rules.map(({ pattern }) => requirementsOf(pattern));
  const alternatives = needs.map(setsOf);
  const uses = new Map<string, number>();
  for (const set of alternatives.flat()) for (const word of set) uses.set(word, (uses.get(word) ?? 0) + 1);
  const usesOf = (set: ReadonlySet<string>): number =>
    [...set].reduce((sum, word) => sum + (uses.get(word) ?? 0), 0);

  const byWord = new Map<string, number[]>();
  const free: number[] = [];
  alternatives.forEach((sets, place) => {
    const [rarest] = sets
      .map((set) => ({ set, count: usesOf(set) }))
      .toSorted((one, other) => one.count - other.count);
    if (rarest === undefined) free.push(place);
    else
      for (const word of rarest.set) {
        const places = byWord.get(word);
        if (places === undefined) byWord.set(word, [place]);
        else places.push(place);
      }
  });
  return { byWord, free, requirements: needs };
}

/** Sets of which a clause must have a word each. */
function setsOf({ words, choices }: Requirements): ReadonlySet<string>[] {
  return [...words, ...choices.flatMap(setOfChoice)];
}

/** The words of which a choice requires one, if each of its options requires some. */
function setOfChoice(options: readonly Requirements[]): ReadonlySet<string>[] {
  const sets = options.map((option) => setsOf(option)[0]);
  const all = new Set<string>();
  for (const set of sets) {
    if (set === undefined) return [];
    for (const word of set) all.add(word);
  }
  return [all];
}

/** Every pattern is compared with many parts of a request: with the sets of each pattern at hand, that takes half as long (2026-11-29). */
const requirements = new WeakMap<Pattern, Requirements>();

function requirementsOf(pattern: Pattern): Requirements {
  const known = requirements.get(pattern) ?? collectRequirements(pattern);
  requirements.set(pattern, known);
  return known;
}

function collectRequirements(pattern: Pattern): Requirements {
  switch (pattern.kind) {
    case "word":
      return { words: [new Set([...pattern.accepts, ...pattern.stems])], choices: [] };
    case "article":
    case "slot":
    case "optional":
    case "details":
      return { words: [], choices: [] };
    case "sequence": {
      const parts = pattern.parts.map(requirementsOf);
      return {
        // Words with few forms occur in few requests.
        words: parts.flatMap(({ words }) => words).toSorted((one, other) => one.size - other.size),
        choices: parts.flatMap(({ choices }) => choices),
      };
    }
    case "choice": {
      const options = pattern.options.map(requirementsOf);
      const isFree = options.some(({ words, choices }) => words.length + choices.length === 0);
      if (isFree) return { words: [], choices: [] };
      // Most choices are between single words, as "{a|the}": of them together one is required.
      if (options.every(({ words, choices }) => words.length === 1 && choices.length === 0))
        return { words: [new Set(options.flatMap(({ words }) => [...(words[0] ?? [])]))], choices: [] };
      return { words: [], choices: [options] };
    }
    default:
      return pattern satisfies never;
  }
}

function isMet({ words, choices }: Requirements, forms: ReadonlySet<string>): boolean {
  for (const accepted of words) if (!hasOneOf(forms, accepted)) return false;
  for (const options of choices) if (!options.some((option) => isMet(option, forms))) return false;
  return true;
}

function hasOneOf(forms: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  const [few, many] = words.size < forms.size ? [words, forms] : [forms, words];
  for (const word of few) if (many.has(word)) return true;
  return false;
}

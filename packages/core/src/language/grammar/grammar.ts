import { FILLER_WORDS } from "../tokens/filler-phrases.ts";
import type { Phrase, SkillGrammar, Slot } from "./phrase.ts";
import type { PlannedCall } from "./plan.ts";
import { correctSpelling } from "../tokens/spelling.ts";
import {
  compileTemplate,
  firstWords,
  literalWords,
  type Pattern,
  slotsIn,
  TemplateError,
} from "./template.ts";
import type { Token } from "../tokens/tokens.ts";
import { ARTICLES, canonicalWord, FUNCTION_WORDS, normalize, sameWord, stem } from "../tokens/words.ts";

/** One compiled phrase of a skill. */
export interface Rule {
  skill: SkillGrammar;
  /** Its index among the phrases of the skill. */
  index: number;
  phrase: Phrase;
  pattern: Pattern;
  slots: Readonly<Record<string, Slot>>;
  /** Stems of its content words, and of the words it can begin with. */
  meanings: ReadonlySet<string>;
  openings: ReadonlySet<string>;
}

const meaningsOf = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.filter((word) => !FUNCTION_WORDS.has(word)).map((word) => stem(canonicalWord(word))));

interface CompiledSkill {
  rules: readonly Rule[];
  /** Every literal word of the rules, once. */
  words: readonly string[];
}

/** The compiled phrases of a set of skills. */
export interface Grammar {
  skills: readonly SkillGrammar[];
  /** Rules by the stem of a word that they can begin with. */
  byFirstStem: ReadonlyMap<string, readonly Rule[]>;
  /** Rules whose leading article is significant. */
  beginningWithArticle: readonly Rule[];
  /** Rules that can begin with a slot. */
  beginningWithSlot: readonly Rule[];
  /** Every literal word of every phrase. */
  vocabulary: ReadonlySet<string>;
  stems: ReadonlySet<string>;
  /** Returns the vocabulary word of which a word is a misspelling. */
  correctWord: (token: Token) => string | undefined;
}

/** Longer words are not spell-checked. */
const MAX_WORD_LENGTH = 32;
/** The maximum number of cached corrections. Reading a request takes a fifth longer without them (2026-11-27). */
const MAX_CORRECTIONS = 2_000;

const compiledSkills = new WeakMap<readonly (string | Phrase)[], CompiledSkill>();

function slotsOf(skill: SkillGrammar, phrase: Phrase): Record<string, Slot> {
  const declared = { ...skill.slots, ...phrase.slots };
  return Object.fromEntries(
    Object.entries(declared).map(([name, slot]) => [name, typeof slot === "string" ? { type: slot } : slot]),
  );
}

function compileRule(skill: SkillGrammar, phrase: Phrase, index: number): Rule {
  const pattern = compileTemplate(phrase.template);
  const slots = slotsOf(skill, phrase);
  const unknown = slotsIn(pattern).find((name) => slots[name] === undefined);
  if (unknown !== undefined) throw new TemplateError(phrase.template, `the slot {${unknown}} has no type`);
  const first = firstWords(pattern);
  const beginsWithFreeSlot = first.slots.some(
    (name) => !["status", "priority", "number"].includes(slots[name]?.type ?? ""),
  );
  const isAllowedToStartWithSlot = phrase.mayStartWithSlot === true && !first.skippable;
  if (
    !isAllowedToStartWithSlot &&
    (first.skippable || beginsWithFreeSlot || (first.slots.length > 0 && !skill.reads))
  ) {
    throw new TemplateError(phrase.template, "a phrase begins with a word of its own");
  }
  const meanings = meaningsOf(literalWords(pattern));
  return { skill, index, phrase, pattern, slots, meanings, openings: meaningsOf(first.words) };
}

/** The words of a clause in every form in which a literal may match them. */
export function formsIn(grammar: Grammar, tokens: readonly Token[]): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const token of tokens) {
    const corrected = grammar.correctWord(token);
    forms.add(token.text).add(token.stem);
    if (corrected !== undefined) forms.add(corrected).add(stem(corrected));
  }
  return forms;
}

/** Compiles the phrases of one skill and caches the result. Throws `TemplateError`. */
export function compileSkill(skill: SkillGrammar): CompiledSkill {
  const known = compiledSkills.get(skill.phrases);
  if (known !== undefined && known.rules.every((rule) => rule.skill.id === skill.id)) return known;
  const phrases = skill.phrases.map((phrase) => (typeof phrase === "string" ? { template: phrase } : phrase));
  const rules = phrases.map((phrase, index) => compileRule(skill, phrase, index));
  const compiled = { rules, words: [...new Set(rules.flatMap((rule) => literalWords(rule.pattern)))] };
  compiledSkills.set(skill.phrases, compiled);
  return compiled;
}

/** Combining the phrases takes 5 ms, six times as long as reading a request (2026-11-27). */
const grammars = new WeakMap<readonly SkillGrammar[], Grammar>();

/** The grammar of these skills, compiled once for each list of them. Throws `TemplateError`. */
export function grammarOf(skills: readonly SkillGrammar[]): Grammar {
  const known = grammars.get(skills) ?? compileGrammar(skills);
  grammars.set(skills, known);
  return known;
}

/** Combines the phrases of all skills into one grammar. Throws `TemplateError`. */
export function compileGrammar(skills: readonly SkillGrammar[]): Grammar {
  const compiled = skills.map(compileSkill);
  const byFirstStem = new Map<string, Rule[]>();
  const beginningWithArticle: Rule[] = [];
  const beginningWithSlot: Rule[] = [];
  for (const rule of compiled.flatMap((skill) => skill.rules)) {
    const first = firstWords(rule.pattern);
    if (first.slots.length > 0) beginningWithSlot.push(rule);
    if (first.words.some((word) => ARTICLES.has(word))) {
      beginningWithArticle.push(rule);
      continue;
    }
    for (const key of new Set(first.words.map((word) => stem(normalize(word))))) {
      const rules = byFirstStem.get(key);
      if (rules === undefined) byFirstStem.set(key, [rule]);
      else rules.push(rule);
    }
  }
  const vocabulary = new Set(compiled.flatMap((skill) => skill.words));
  const stems = new Set([...vocabulary].map(stem));
  // A word that equals a stem but is not in the vocabulary ("delet") is a typo, not an inflected form.
  const isForm = (word: string): boolean => stem(word) !== word && stems.has(stem(word));
  const isKnownWord = (word: string): boolean =>
    vocabulary.has(word) ||
    FUNCTION_WORDS.has(word) ||
    ARTICLES.has(word) ||
    FILLER_WORDS.has(word) ||
    isForm(word);
  const corrections = new Map<string, string | undefined>();
  const correctWord = (word: string): string | undefined => {
    if (corrections.has(word)) return corrections.get(word);
    const meant = isKnownWord(word) ? undefined : correctSpelling(word, vocabulary, canonicalWord);
    if (corrections.size >= MAX_CORRECTIONS) corrections.clear();
    corrections.set(word, meant);
    return meant;
  };
  return {
    skills,
    byFirstStem,
    beginningWithArticle,
    beginningWithSlot,
    vocabulary,
    stems,
    correctWord: ({ kind, text }) =>
      kind !== "word" || text.length > MAX_WORD_LENGTH ? undefined : correctWord(text),
  };
}

/**
 * Returns how a token matches a literal word: exactly, as an inflected form, as a typo, or not at all. `strict`
 * excludes inflected forms: "tasks" does not start a command that begins with "task".
 */
export function matchLiteral(
  grammar: Grammar,
  token: Token,
  literal: Pattern & { kind: "word" },
  strict: boolean,
): "exact" | "typo" | undefined {
  if (token.kind !== "word" && token.kind !== "mark") return undefined;
  if (literal.accepts.has(token.text)) return "exact";
  if (!strict && literal.stems.has(token.stem)) {
    for (const word of literal.accepts) if (sameWord(word, token.text)) return "exact";
  }
  const corrected = grammar.correctWord(token);
  return corrected !== undefined && literal.accepts.has(corrected) ? "typo" : undefined;
}

/** Returns the rules that a clause beginning with this token and with these forms of words could follow. */
export function rulesFor(grammar: Grammar, token: Token, forms: ReadonlySet<string>): Rule[] {
  const { own, misspelt } = rulesBeginningWith(grammar, token);
  const ofWord = rulesThatMayMatch(own, forms);
  return [
    ...ofWord,
    ...rulesThatMayMatch(misspelt, forms).filter((rule) => !ofWord.includes(rule)),
    ...rulesThatMayMatch(grammar.beginningWithSlot, forms),
  ];
}

/** Returns the rules that a clause beginning with this token could follow. */
export function rulesFrom(grammar: Grammar, token: Token): readonly Rule[] {
  const { own, misspelt } = rulesBeginningWith(grammar, token);
  return [...own, ...misspelt.filter((rule) => !own.includes(rule)), ...grammar.beginningWithSlot];
}

const NO_RULES: readonly Rule[] = [];

function rulesBeginningWith(
  grammar: Grammar,
  token: Token,
): { own: readonly Rule[]; misspelt: readonly Rule[] } {
  const corrected = grammar.correctWord(token);
  const own = grammar.byFirstStem.get(token.stem) ?? NO_RULES;
  const misspelt =
    corrected === undefined ? NO_RULES : (grammar.byFirstStem.get(stem(corrected)) ?? NO_RULES);
  return { own, misspelt };
}

/** True if a phrase of some skill can begin with this word. */
export function startsCommand(grammar: Grammar, token: Token): boolean {
  return rulesFrom(grammar, token).length > grammar.beginningWithSlot.length;
}

/** True if one of the calls is one of a skill that changes something. */
export function changesSomething(grammar: Grammar, calls: readonly PlannedCall[]): boolean {
  return calls.some((call) => grammar.skills.find((skill) => skill.id === call.skill)?.reads !== true);
}

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

/** Every pattern is compared with many parts of a request. Caching the sets of each pattern halves the time (2026-11-29). */
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

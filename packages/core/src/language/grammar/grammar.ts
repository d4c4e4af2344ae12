import { FILLER_WORDS } from "../tokens/filler-phrases.ts";
import type { Phrase, SkillGrammar, Slot } from "./phrase.ts";
import { correct } from "../tokens/spelling.ts";
import { meaningOf } from "../tokens/synonyms.ts";
import { compileTemplate, firstWords, slotsIn, TemplateError, wordsOf, type Pattern } from "./template.ts";
import type { Token } from "../tokens/tokens.ts";
import { ARTICLES, FUNCTION_WORDS, normalise, sameWord, stem } from "../tokens/words.ts";

/** One compiled way to ask for one skill. */
export interface Rule {
  skill: SkillGrammar;
  /** Its place among the skill's phrases. */
  index: number;
  phrase: Phrase;
  pattern: Pattern;
  slots: Readonly<Record<string, Slot>>;
  /** What its words with content mean, as stems, and what it can begin with. */
  meanings: ReadonlySet<string>;
  openings: ReadonlySet<string>;
}

const meaningsOf = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.filter((word) => !FUNCTION_WORDS.has(word)).map((word) => stem(meaningOf(word))));

interface CompiledSkill {
  rules: readonly Rule[];
  words: readonly string[];
}

/** The compiled phrases of a set of skills. */
export interface Grammar {
  skills: readonly SkillGrammar[];
  /** Rules that can begin with a word of this stem. */
  byFirstStem: ReadonlyMap<string, readonly Rule[]>;
  /** Rules that begin with an article: it says that a thing is spoken of. */
  beginningWithArticle: readonly Rule[];
  /** Rules that can begin with a slot. */
  beginningWithSlot: readonly Rule[];
  /** Every literal word of every phrase. */
  vocabulary: ReadonlySet<string>;
  stems: ReadonlySet<string>;
  /** The word of the vocabulary that a misspelt word stands for. */
  corrected: (token: Token) => string | undefined;
}

/** Longer words are no slips of anything. */
const LONGEST_WORD = 32;
/** Words whose correction is remembered, so that a server that runs for months does not remember them all. */
const MOST_CORRECTIONS = 2_000;

const compiledSkills = new WeakMap<readonly (string | Phrase)[], CompiledSkill>();

function slotsOf(skill: SkillGrammar, phrase: Phrase): Record<string, Slot> {
  const declared = { ...skill.slots, ...phrase.slots };
  return Object.fromEntries(
    Object.entries(declared).map(([name, slot]) => [name, typeof slot === "string" ? { type: slot } : slot]),
  );
}

function compileRule(skill: SkillGrammar, phrase: Phrase, index: number): Rule {
  const pattern = compileTemplate(phrase.say);
  const slots = slotsOf(skill, phrase);
  const unknown = slotsIn(pattern).find((name) => slots[name] === undefined);
  if (unknown !== undefined) throw new TemplateError(phrase.say, `the slot {${unknown}} has no type`);
  const first = firstWords(pattern);
  const beginsOpen = first.slots.some(
    (name) => !["status", "priority", "number"].includes(slots[name]?.type ?? ""),
  );
  if (first.skippable || beginsOpen || (first.slots.length > 0 && !skill.reads)) {
    throw new TemplateError(phrase.say, "a phrase begins with a word of its own");
  }
  const meanings = meaningsOf(wordsOf(pattern));
  return { skill, index, phrase, pattern, slots, meanings, openings: meaningsOf(first.words) };
}

/** Compiles one skill's phrases, once. Throws `TemplateError`. */
export function compileSkill(skill: SkillGrammar): CompiledSkill {
  const known = compiledSkills.get(skill.phrases);
  if (known !== undefined && known.rules.every((rule) => rule.skill.id === skill.id)) return known;
  const phrases = skill.phrases.map((phrase) => (typeof phrase === "string" ? { say: phrase } : phrase));
  const rules = phrases.map((phrase, index) => compileRule(skill, phrase, index));
  const compiled = { rules, words: rules.flatMap((rule) => wordsOf(rule.pattern)) };
  compiledSkills.set(skill.phrases, compiled);
  return compiled;
}

/** Puts the phrases of all skills together. Throws `TemplateError`. */
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
    for (const key of new Set(first.words.map((word) => stem(normalise(word))))) {
      const rules = byFirstStem.get(key);
      if (rules === undefined) byFirstStem.set(key, [rule]);
      else rules.push(rule);
    }
  }
  const vocabulary = new Set(compiled.flatMap((skill) => skill.words));
  const stems = new Set([...vocabulary].map(stem));
  // A word that is the stem of another but no word of the vocabulary itself ("delet") is a slip, not a form of it.
  const isForm = (word: string): boolean => stem(word) !== word && stems.has(stem(word));
  const known = (word: string): boolean =>
    vocabulary.has(word) ||
    FUNCTION_WORDS.has(word) ||
    ARTICLES.has(word) ||
    FILLER_WORDS.has(word) ||
    isForm(word);
  const corrections = new Map<string, string | undefined>();
  const corrected = (word: string): string | undefined => {
    if (corrections.has(word)) return corrections.get(word);
    const meant = correct(word, vocabulary, meaningOf);
    if (corrections.size >= MOST_CORRECTIONS) corrections.clear();
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
    corrected: ({ kind, text }) =>
      kind !== "word" || text.length > LONGEST_WORD || known(text) ? undefined : corrected(text),
  };
}

/**
 * How a token stands for a literal word: as it is, by another form, as a slip, or not at all. `strict` allows no other
 * form: "tasks" does not open an order that begins with "task".
 */
export function fits(
  grammar: Grammar,
  token: Token,
  literal: Pattern & { kind: "word" },
  strict: boolean,
): "exact" | "slip" | undefined {
  if (token.kind !== "word" && token.kind !== "mark") return undefined;
  if (literal.accepts.has(token.text)) return "exact";
  if (!strict && literal.stems.has(token.stem)) {
    for (const word of literal.accepts) if (sameWord(word, token.text)) return "exact";
  }
  const corrected = grammar.corrected(token);
  return corrected !== undefined && literal.accepts.has(corrected) ? "slip" : undefined;
}

/** The rules that a clause beginning with this token could follow. */
export function rulesFrom(grammar: Grammar, token: Token): readonly Rule[] {
  const corrected = grammar.corrected(token);
  const own = grammar.byFirstStem.get(token.stem) ?? [];
  const slipped = corrected === undefined ? [] : (grammar.byFirstStem.get(stem(corrected)) ?? []);
  return [...own, ...slipped.filter((rule) => !own.includes(rule)), ...grammar.beginningWithSlot];
}

/** True when a phrase of some skill can begin with this word. */
export function opensOrder(grammar: Grammar, token: Token): boolean {
  return rulesFrom(grammar, token).length > grammar.beginningWithSlot.length;
}

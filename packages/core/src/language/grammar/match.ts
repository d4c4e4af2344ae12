import type { Clock, DateSpan } from "../dates/clock.ts";
import { trailingFiller } from "../tokens/filler-phrases.ts";
import type { EarlierRequest } from "../references/earlier-calls.ts";
import { formsIn, type Grammar, matchLiteral, type Rule, rulesFor, rulesThatMayMatch } from "./grammar.ts";
import { FREE_TEXT_TYPES, SLOT_READERS } from "../slots/readers.ts";
import type { SlotValue } from "../slots/slot-reader.ts";
import type { Interpretation } from "./plan.ts";
import type { Pattern } from "./template.ts";
import type { Token } from "../tokens/tokens.ts";
import { ARTICLES, FUNCTION_WORDS } from "../tokens/words.ts";

/** A slot and the tokens that fill it. */
export interface Binding {
  slot: string;
  value: SlotValue;
  from: number;
  to: number;
  /** The number of its words that are free text, which any words would fill. */
  free: number;
}

/** One way in which a rule explains every word of a clause. */
export interface Match {
  rule: Rule;
  bindings: readonly Binding[];
  /** How much of the clause the rule's literals and typed slots explain. */
  score: number;
  /** Number of matched literals that are content words. */
  literals: number;
}

/** What the interpretation of a request needs besides its tokens. */
export interface InterpretationContext {
  request: string;
  tokens: readonly Token[];
  grammar: Grammar;
  dates: () => readonly DateSpan[];
  /** Earlier requests of the conversation, newest first. */
  earlier: readonly EarlierRequest[];
  /** False while the earlier requests have not been looked up. */
  knowsEarlier: boolean;
  clock: Clock;
  /** Interprets another wording of the request, or an earlier request with those before it. */
  read: (request: string, earlier?: readonly EarlierRequest[]) => Interpretation;
  /** Matching steps that remain for the whole request; bounds the work on hostile text. */
  budget: { steps: number };
}

interface State {
  at: number;
  score: number;
  literals: number;
  bindings: readonly Binding[];
  afterFreeText: boolean;
}

const SCORE = { content: 2, function: 1, typed: 1.5, typo: -0.5, skipped: -0.05 } as const;
const MAX_MATCHES = 40;

/** Words that may occur between the words of a phrase without meaning. */
const FILLERS: ReadonlySet<string> = new Set([...ARTICLES, "please", "pls", "kindly", "just", "me", "us"]);
const SEPARATORS = /^[,:;\-–—()"'*]$/;

function isFiller(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === "mark") return SEPARATORS.test(token.text);
  return token.kind === "word" && FILLERS.has(token.text);
}

class Matcher {
  readonly #context: InterpretationContext;
  readonly #rule: Rule;
  readonly #to: number;
  #start = 0;
  readonly found: Match[] = [];

  constructor(context: InterpretationContext, rule: Rule, to: number) {
    this.#context = context;
    this.#rule = rule;
    this.#to = to;
  }

  run(from: number): void {
    this.#start = from;
    this.#walk(
      this.#rule.pattern,
      { at: from, score: 0, literals: 0, bindings: [], afterFreeText: false },
      (end) => {
        const skipped = trailingFiller(this.#context.tokens, end.at, this.#to);
        if (skipped === undefined || this.found.length >= MAX_MATCHES) return;
        const score = end.score + skipped * SCORE.skipped;
        this.found.push({ rule: this.#rule, bindings: end.bindings, score, literals: end.literals });
      },
    );
  }

  #walk(pattern: Pattern, state: State, next: (state: State) => void): void {
    if (this.#context.budget.steps-- <= 0) return;
    switch (pattern.kind) {
      case "word":
        return this.#word(pattern, state, next);
      case "article":
        return next(state);
      case "slot":
        return this.#slot(pattern.name, state, next);
      case "sequence":
        return this.#sequence(pattern.parts, 0, state, next);
      case "choice":
        for (const option of pattern.options) this.#walk(option, state, next);
        return;
      case "optional":
        this.#walk(pattern.part, state, next);
        return next(state);
      case "details":
        return this.#details(pattern.options, state, next);
      default:
        pattern satisfies never;
    }
  }

  #sequence(parts: readonly Pattern[], index: number, state: State, next: (state: State) => void): void {
    const part = parts[index];
    if (part === undefined) return next(state);
    this.#walk(part, state, (after) => this.#sequence(parts, index + 1, after, next));
  }

  #details(options: readonly Pattern[], state: State, next: (state: State) => void): void {
    for (const option of options) {
      const rest = options.filter((other) => other !== option);
      this.#walk(option, state, (after) => {
        if (after.at > state.at) this.#details(rest, after, next);
      });
    }
    next(state);
  }

  #word(literal: Pattern & { kind: "word" }, state: State, next: (state: State) => void): void {
    for (let index = state.at; index < this.#to; index++) {
      const token = this.#context.tokens[index];
      if (token === undefined) return;
      // "Deleted a.md" reports something; only the base form orders a change.
      const isBaseFormOnly = state.at === this.#start && !this.#rule.skill.reads;
      const fit = matchLiteral(this.#context.grammar, token, literal, isBaseFormOnly);
      if (fit !== undefined) {
        const isContent = token.kind === "word" && !FUNCTION_WORDS.has(literal.word);
        next({
          ...state,
          at: index + 1,
          score:
            state.score + (isContent ? SCORE.content : SCORE.function) + (fit === "typo" ? SCORE.typo : 0),
          literals: state.literals + (isContent ? 1 : 0),
          afterFreeText: false,
        });
      }
      // "Return the tagged parcel": an article after free text begins more of the text.
      if (!isFiller(token) || (state.afterFreeText && ARTICLES.has(token.text))) return;
    }
  }

  #slot(name: string, state: State, next: (state: State) => void): void {
    const slot = this.#rule.slots[name];
    if (slot === undefined || state.bindings.some((binding) => binding.slot === name)) return;
    const { request, tokens, dates, clock } = this.#context;
    const isOpen = FREE_TEXT_TYPES.has(slot.type);
    for (let from = state.at; from < this.#to; from++) {
      const { afterFreeText } = state;
      const input = { request, tokens, from, to: this.#to, slot, afterFreeText, dates, clock };
      for (const { end, value, typed, free } of SLOT_READERS[slot.type](input)) {
        if (this.#context.budget.steps-- <= 0) return;
        next({
          at: end,
          score: state.score + typed * SCORE.typed,
          literals: state.literals,
          bindings: [...state.bindings, { slot: name, value, from, to: end, free }],
          afterFreeText: free > 0,
        });
      }
      // Free text may begin with an article; a typed value may follow one.
      if (isOpen || !isFiller(tokens[from])) return;
    }
  }
}

/** Returns every way to explain all words from `from` to `to`, best first. The order is deterministic. */
export function matchClause(context: InterpretationContext, from: number, to: number): Match[] {
  if (context.budget.steps <= 0) return [];
  let start = from;
  while (
    start < to &&
    (context.tokens[start]?.kind === "mark" || ARTICLES.has(context.tokens[start]?.text ?? ""))
  )
    start++;
  const first = context.tokens[start];
  if (first === undefined || start >= to) return [];
  const found: Match[] = [];
  const forms = formsIn(context.grammar, context.tokens.slice(from, to));
  // A value at the beginning keeps its possessive, "my sister lives in Bergen, remember that", and the signs of its number.
  const isOwn = start > from && /^(?:my|our)$/.test(context.tokens[start - 1]?.text ?? "");
  const valueStart = isOwn ? start - 1 : signStart(context.tokens, start);
  const tryFrom = (rules: readonly Rule[], index: number): void => {
    for (const rule of rules) {
      const matcher = new Matcher(context, rule, to);
      matcher.run(context.grammar.beginningWithSlot.includes(rule) ? Math.min(valueStart, index) : index);
      found.push(...matcher.found);
    }
  };
  tryFrom(rulesFor(context.grammar, first, forms), start);
  if (start > from && ARTICLES.has(context.tokens[start - 1]?.text ?? ""))
    tryFrom(rulesThatMayMatch(context.grammar.beginningWithArticle, forms), start - 1);
  return found
    .map((match, order) => ({ match, order }))
    .sort(
      (one, other) =>
        other.match.score - one.match.score ||
        freeWords(one.match) - freeWords(other.match) ||
        one.order - other.order,
    )
    .map(({ match }) => match);
}

/** Where the signs before a number at `at` begin, which are part of it: "-5", "(12 + 8) / 4", ".5". */
function signStart(tokens: readonly Token[], at: number): number {
  if (!/^\d/u.test(tokens[at]?.text ?? "")) return at;
  let start = at;
  while (tokens[start]?.spaced === false && /^[-(.]$/u.test(tokens[start - 1]?.text ?? "")) start--;
  return start;
}

/** Number of words of a match that fill free-text slots. */
function freeWords(match: Match): number {
  return match.bindings.reduce((sum, binding) => sum + binding.free, 0);
}

/** True if both refer to an earlier step with the same words, which may then be another kind of file. */
export const haveSameReferent = (one: Match, other: Match): boolean =>
  one.bindings.some(
    ({ value, from, to }) =>
      value.kind === "referent" &&
      other.bindings.some((same) => same.value.kind === "referent" && same.from === from && same.to === to),
  );

/** True for matches of two skills of which one changes something: the person must choose. */
export function areAmbiguous(one: Match, other: Match): boolean {
  return one.rule.skill.id !== other.rule.skill.id && !(one.rule.skill.reads && other.rule.skill.reads);
}

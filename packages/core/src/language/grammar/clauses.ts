import type { Boundary } from "../tokens/boundaries.ts";
import { onlyReadLast } from "../references/antecedent.ts";
import { afterFiller } from "../tokens/filler-phrases.ts";
import {
  CONVERSATION_GRAMMAR,
  leadingWords,
  NEGATIONS,
  PROHIBITIONS,
  QUESTION_STARTS,
} from "./small-talk.ts";
import { opensOrder } from "./grammar.ts";
import { matchClause, type Match, type InterpretationContext } from "./match.ts";
import type { Token } from "../tokens/tokens.ts";
import { inflection, stem } from "../tokens/words.ts";

/** What a stretch of words means, taken for itself. */
type Meaning =
  | { kind: "order"; matches: readonly Match[] }
  | { kind: "talk"; topic: string }
  | { kind: "prohibition" }
  | { kind: "question"; asksAbility: boolean }
  | { kind: "unknown" };

/** A stretch of words with its meaning, and what stands between it and the one before. */
export type Clause = { from: number; to: number; before: Boundary | undefined } & Meaning;

export type OrderClause = Clause & { kind: "order" };

/** "Don't forget to …" asks for something; it forbids nothing. */
const NOT_FORGETTING = ["do", "not", "forget"];

/** The token after words of forbidding at `start`; 0 when none stand there. */
function forbiddenFrom(tokens: readonly Token[], start: number, to: number): number {
  const words = leadingWords(tokens, start, to, PROHIBITIONS);
  return words === 0 ? 0 : start + words;
}

/** "Would you mind reading it?" orders with another form of the word: the context in which it has the plain one. */
function withPlainVerb(context: InterpretationContext, at: number): InterpretationContext {
  const { tokens, grammar } = context;
  const verb = tokens[at];
  if (tokens[at - 1]?.text !== "mind" || verb === undefined || inflection(verb.text) !== "continuous")
    return context;
  const isPlain = (word: string): boolean => stem(word) === verb.stem && inflection(word) === "plain";
  const text = [...grammar.vocabulary].find(isPlain);
  return text === undefined ? context : { ...context, tokens: tokens.with(at, { ...verb, text }) };
}

/** What the words from `from` up to `to` mean when they stand alone. */
function meaningOf(given: InterpretationContext, from: number, end: number): Meaning {
  const { at, asksAbility } = afterFiller(given.tokens, from, end);
  const context = withPlainVerb(given, at);
  const { tokens } = context;
  // "Could you remember that I like tea?" asks for no question mark to be remembered.
  const to = asksAbility && tokens[end - 1]?.text === "?" ? end - 1 : end;
  const talkContext = { ...context, grammar: CONVERSATION_GRAMMAR };
  const talk = matchClause(talkContext, from, to)[0] ?? matchClause(talkContext, at, to)[0];
  const topic = talk?.rule.skill.id;
  // "Show it again" after a read asks for the read; after anything else "it" is a thing to be shown.
  if (topic !== undefined && (topic !== "shown-again" || onlyReadLast(context)))
    return { kind: "talk", topic };
  const forbidding = Math.max(...[at, from].map((start) => forbiddenFrom(tokens, start, to)));
  const matches = [
    ...matchClause(context, at, to),
    ...(at > from ? matchClause(context, from, to) : []),
  ].filter((match) => {
    // Of an order that begins by forbidding, nothing but its own words may forbid: "do not forget that …".
    const isOwn = match.bindings.every((binding) => binding.from >= forbidding);
    return isOwn && !isDoubted(tokens, match, to);
  });
  if (matches.length > 0) {
    const ready = matches.filter(({ rule }) => rule.phrase.lastResort !== true);
    const chosen = ready.length > 0 ? ready : matches;
    return { kind: "order", matches: chosen.sort((one, other) => other.score - one.score) };
  }
  if (at >= to) {
    const symbols = tokens.slice(from, to).filter((token) => token.kind === "symbol");
    if (symbols.length === 0 || symbols.length < to - from) return { kind: "talk", topic: "courtesy" };
    const isNod = symbols.every((token) => NODS.test(token.text));
    return { kind: "talk", topic: isNod ? "thanks" : "how-are-you" };
  }
  if (leadingWords(tokens, from, to, [NOT_FORGETTING]) > 0) return { kind: "unknown" };
  if (forbidding > 0) return { kind: "prohibition" };
  const first = tokens[at];
  if (asksAbility || (first?.kind === "word" && QUESTION_STARTS.has(first.text)))
    return { kind: "question", asksAbility };
  const words = tokens.slice(afterReply(tokens, at, to), to).filter((token) => token.kind === "word");
  const isTurned = isTurnedAround(words) && words.some((token) => opensOrder(context.grammar, token));
  return { kind: isTurned ? "prohibition" : "unknown" };
}

/** Symbols that approve of what was done; others only show a mood. */
const NODS = /^[👍👌🙏👏✅✔☑💯❤🎉]/u;

/** What follows a "no" that only replies: "no, I meant Tuesday", "no it's blue". */
const AFTER_REPLY: ReadonlySet<string> = new Set("i it that this we you he she they my".split(" "));

/** The token after a "no" that replies to what was said before, and forbids nothing. */
function afterReply(tokens: readonly Token[], at: number, to: number): number {
  const next = at + 1 < to ? tokens[at + 1] : undefined;
  if (tokens[at]?.text !== "no" || next === undefined) return at;
  return next.kind === "mark" || AFTER_REPLY.has(next.text) ? at + 1 : at;
}

/** A clause of more words says more than that something is not to be done. */
const MOST_TURNED = 8;
/** After these a negation describes something: "the one that I never finished". */
const DESCRIBING: ReadonlySet<string> = new Set([
  "what",
  "whatever",
  "that",
  "which",
  "who",
  "whose",
  "where",
]);

/** "Make no file" forbids; "sort what I have not finished" does not. */
function isTurnedAround(words: readonly Token[]): boolean {
  const negation = words.findIndex((token) => NEGATIONS.has(token.text));
  if (negation < 0 || words.length > MOST_TURNED) return false;
  return !words.slice(0, negation).some((token) => DESCRIBING.has(token.text));
}

/**
 * "Delete x.md?" asks, it does not order, unless the mark belongs to a text that is to be kept: "add a task to ask Bob
 * why?". A text that begins as a question is one: "remember when we met?".
 */
function isDoubted(tokens: readonly Token[], { rule, bindings }: Match, to: number): boolean {
  if (rule.skill.reads || tokens[to - 1]?.text !== "?") return false;
  const last = bindings.toSorted((one, other) => one.to - other.to).at(-1);
  if (last === undefined || last.free === 0) return true;
  return QUESTION_STARTS.has(tokens[last.from]?.text ?? "");
}

const meanings = new WeakMap<InterpretationContext, Map<string, Meaning>>();

function readClause(
  context: InterpretationContext,
  from: number,
  to: number,
  before: Boundary | undefined,
): Clause {
  const known = meanings.get(context) ?? new Map<string, Meaning>();
  meanings.set(context, known);
  const key = `${from}:${to}`;
  const meaning = known.get(key) ?? meaningOf(context, from, to);
  known.set(key, meaning);
  return { from, to, before, ...meaning };
}

/** Topics of talk that ask for what was asked before. */
export const REPEATING: ReadonlySet<string> = new Set(["again", "shown-again"]);

/** How well a clause alone is explained; what is not explained weighs against every other way of taking the request apart. */
function worth(clause: Clause): number {
  switch (clause.kind) {
    case "order":
      return clause.matches[0]?.score ?? 0;
    case "talk":
      // "List my tasks, again" is one clause.
      return REPEATING.has(clause.topic) ? -1 : 1;
    case "prohibition":
      return 0.5;
    case "question":
    case "unknown":
      return -1_000;
    default:
      return clause satisfies never;
  }
}

/** Takes a request apart at some of the boundaries, so that as much as possible is explained. */
export function takeApart(context: InterpretationContext, places: readonly Boundary[]): Clause[] {
  const starts = [
    { start: 0, boundary: undefined },
    ...places.map((boundary) => ({ start: boundary.start, boundary })),
  ];
  const ends = [...places.map((boundary) => boundary.end), context.tokens.length];
  const best: { clauses: Clause[]; worth: number }[] = [];
  for (let index = starts.length - 1; index >= 0; index--) {
    const { start, boundary } = starts[index] ?? { start: 0, boundary: undefined };
    let chosen: { clauses: Clause[]; worth: number } | undefined;
    for (let last = ends.length - 1; last >= index; last--) {
      const clause = readClause(context, start, ends[last] ?? context.tokens.length, boundary);
      const rest = best[last + 1];
      const total = worth(clause) + (rest?.worth ?? 0);
      if (chosen === undefined || total > chosen.worth)
        chosen = { clauses: [clause, ...(rest?.clauses ?? [])], worth: total };
    }
    if (chosen !== undefined) best[index] = chosen;
  }
  return best[0]?.clauses ?? [];
}

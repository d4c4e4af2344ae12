import { oneOf } from "../../text/patterns.ts";
import type { Boundary } from "../tokens/boundaries.ts";
import { lastRequestOnlyRead } from "../references/antecedent.ts";
import { afterFiller } from "../tokens/filler-phrases.ts";
import {
  CONVERSATION_GRAMMAR,
  leadingWords,
  NEGATIONS,
  PROHIBITIONS,
  QUESTION_STARTS,
} from "./small-talk.ts";
import { isBackground, statesAbsence, statesNoNeed } from "./background.ts";
import { startsCommand } from "./grammar.ts";
import { matchClause, type Match, type InterpretationContext } from "./match.ts";
import type { Token } from "../tokens/tokens.ts";
import { FUNCTION_WORDS, inflection, stem } from "../tokens/words.ts";

/** The meaning of a span of tokens on its own. */
type Meaning =
  | { kind: "command"; matches: readonly Match[] }
  | { kind: "talk"; topic: string }
  | { kind: "prohibition" }
  | { kind: "question"; asksAbility: boolean }
  | { kind: "unknown" };

/** A span of tokens, its meaning, and the boundary before it. */
export type Clause = { from: number; to: number; before: Boundary | undefined } & Meaning;

export type CommandClause = Clause & { kind: "command" };

/** "Don't forget to …" is a request, not a prohibition. */
const NOT_FORGETTING = ["do", "not", "forget"];

/** Returns the index after a prohibition phrase at `start`, or 0 if there is none. */
function prohibitionEnd(tokens: readonly Token[], start: number, to: number): number {
  const words = leadingWords(tokens, start, to, PROHIBITIONS);
  return words === 0 ? 0 : start + words;
}

/** Handles "Would you mind reading it?": returns a context in which the verb has its base form. */
function withPlainVerb(context: InterpretationContext, index: number): InterpretationContext {
  const { tokens, grammar } = context;
  const verb = tokens[index];
  if (tokens[index - 1]?.text !== "mind" || verb === undefined || inflection(verb.text) !== "continuous")
    return context;
  const isPlain = (word: string): boolean => stem(word) === verb.stem && inflection(word) === "plain";
  const text = [...grammar.vocabulary].find(isPlain);
  return text === undefined ? context : { ...context, tokens: tokens.with(index, { ...verb, text }) };
}

/** Returns the small-talk topic of a span; undefined for other text. */
export function conversationTopic(
  context: InterpretationContext,
  from: number,
  to: number,
): string | undefined {
  return matchClause({ ...context, grammar: CONVERSATION_GRAMMAR }, from, to)[0]?.rule.skill.id;
}

/** Classifies the span from `from` to `end` on its own. */
function classifySpan(original: InterpretationContext, from: number, end: number): Meaning {
  const { at, asksAbility } = afterFiller(original.tokens, from, end);
  const context = withPlainVerb(original, at);
  const { tokens } = context;
  // In "Could you remember that I like tea?" the question mark is not part of the text to remember.
  const to = asksAbility && tokens[end - 1]?.text === "?" ? end - 1 : end;
  const talkContext = { ...context, grammar: CONVERSATION_GRAMMAR };
  const talk = matchClause(talkContext, from, to)[0] ?? matchClause(talkContext, at, to)[0];
  const topic = talk?.rule.skill.id;
  // After a read, "show it again" repeats the read. After any other call, "it" is the result to show.
  if (topic !== undefined && (topic !== "shown-again" || lastRequestOnlyRead(context)))
    return { kind: "talk", topic };
  const forbidding = Math.max(...[at, from].map((start) => prohibitionEnd(tokens, start, to)));
  const matches = [
    ...matchClause(context, at, to),
    ...(at > from ? matchClause(context, from, to) : []),
  ].filter((match) => {
    // A prohibition at the start may only be part of the command's own words: "do not forget that …".
    const isOwn = match.bindings.every((binding) => binding.from >= forbidding);
    // "Can you delete files?" asks about an ability, so nothing is asked back.
    const isAbility = asksAbility && end > to && match.rule.phrase.asks !== undefined;
    return isOwn && !isAbility && !isQuestioned(tokens, match, to) && !looksUpRemark(context, match);
  });
  if (matches.length > 0) {
    const ready = matches.filter(({ rule }) => rule.phrase.lastResort !== true);
    const chosen = ready.length > 0 ? ready : matches;
    return { kind: "command", matches: chosen.sort((one, other) => other.score - one.score) };
  }
  if (at >= to) {
    const symbols = tokens.slice(from, to).filter((token) => token.kind === "symbol");
    if (symbols.length === 0 || symbols.length < to - from) return { kind: "talk", topic: "courtesy" };
    const isApproval = symbols.every((token) => APPROVING_SYMBOLS.test(token.text));
    return { kind: "talk", topic: isApproval ? "thanks" : "how-are-you" };
  }
  const informs = statesNoNeed(tokens.slice(at, to)) || statesAbsence(tokens.slice(at, to));
  if (informs || leadingWords(tokens, from, to, [NOT_FORGETTING]) > 0) return { kind: "unknown" };
  if (isContrast(tokens, at, to)) return { kind: "prohibition" };
  if (forbidding > 0 && forbidsSomething(context, from, forbidding, to)) return { kind: "prohibition" };
  if (asksAbility || beginsQuestion(tokens, at)) return { kind: "question", asksAbility };
  const rest = tokens.slice(afterReply(tokens, at, to), to);
  // "Add Mia 40 no": what a cell of a row says.
  const isCell = ({ text }: Token, index: number): boolean =>
    text === "no" && /^\d/u.test(rest[index - 1]?.text ?? "");
  const words = rest.filter((token, index) => token.kind === "word" && !isCell(token, index));
  const isNegatedCommand = isNegated(words) && negatesCommand(context, rest);
  return { kind: isNegatedCommand ? "prohibition" : "unknown" };
}

/** True for a look-up of "fix pump back to todo, it is leaking": the name of a thing, and a remark after it. */
function looksUpRemark(context: InterpretationContext, { bindings, rule }: Match): boolean {
  return bindings.some(({ value, from, to, free }) => {
    if (value.kind !== "look-up" && (rule.phrase.implies === undefined || free === 0)) return false;
    const comma = context.tokens.findIndex(({ text }, index) => index > from && index < to && text === ",");
    const next = context.tokens[comma + 1];
    const isOrder = /^(?:mark|tick|check|cross|close|set|put)$/u.test(next?.text ?? "");
    if (comma > 0 && isOrder && /^(?:it|that)$/u.test(context.tokens[comma + 2]?.text ?? "")) return true;
    const isRemark = next !== undefined && /^(?:it|he|she|they|we|i|still|because)$/u.test(next.text);
    return comma > 0 && isRemark && isBackground(context, { from: comma + 1, to });
  });
}

const LEADING_PREPOSITION_WORDS = oneOf(
  "in|at|on|for|to|with|from|by|under|about|of|since|until|beside|behind|near|against|between|without",
  "above|below|opposite",
);
const LEADING_PREPOSITION = new RegExp(String.raw`^${LEADING_PREPOSITION_WORDS}$`, "u");
const ASKED_FOR = /^(?:which|what|whose|whom|who|where|when)$/u;

/** True for "what …", and for "in which town …". */
function beginsQuestion(tokens: readonly Token[], index: number): boolean {
  const [first, second] = [tokens[index], tokens[index + 1]];
  if (first?.kind !== "word") return false;
  return (
    QUESTION_STARTS.has(first.text) ||
    (LEADING_PREPOSITION.test(first.text) && second?.kind === "word" && ASKED_FOR.test(second.text))
  );
}

/** True for "not notes/y.md": it spares something else than what a command names. */
function isContrast(tokens: readonly Token[], index: number, to: number): boolean {
  const rest = tokens.slice(index + 1, to).filter(({ kind, text }) => kind !== "mark" && text !== "and");
  return tokens[index]?.text === "not" && rest.length > 0 && rest.every(({ kind }) => kind === "path");
}

/** Negations that also correct or qualify earlier words: "the 19th, not the 18th". */
const QUALIFYING = /^(?:not|never|nothing|nobody|no)$/u;

/** False for a bare negation of a thing, which belongs to the text before it. */
function forbidsSomething(
  { tokens, grammar }: InterpretationContext,
  from: number,
  end: number,
  to: number,
): boolean {
  // "Keep notes/new.md" protects a file; "keep what you know" forbids nothing.
  if (/^(?:keep|leave)$/u.test(tokens[end - 1]?.text ?? "")) {
    const [first, ...rest] = tokens.slice(end, to).filter(({ kind }) => kind !== "mark");
    const isReferent = rest.length === 0 && /^(?:it|them|that|this|those|these)$/u.test(first?.text ?? "");
    // "Keep a copy in sent/" is an order.
    const isCopy = /^(?:a|an|one|the)$/u.test(first?.text ?? "") && rest[0]?.kind !== "path";
    const isFile = rest[0] !== undefined && /^(?:file|folder)$/u.test(rest[0].text);
    return isReferent || ((!isCopy || isFile) && tokens.slice(end, to).some(({ kind }) => kind === "path"));
  }
  // "Stop all reminders" ends something; "stop deleting files" and "stop it" forbid.
  if (/^(?:stop|quit)$/u.test(tokens[end - 1]?.text ?? "") && end < to) {
    const next = tokens[end]?.text ?? "";
    return inflection(next) === "continuous" || /^(?:it|that|this|everything|now|with|please)$/u.test(next);
  }
  if (end >= to || !QUALIFYING.test(tokens[end - 1]?.text ?? "")) return true;
  const isBare = tokens
    .slice(from, end)
    .every((token) => token.kind === "mark" || QUALIFYING.test(token.text));
  return (
    !isBare ||
    tokens.slice(end, to).some((token) => !FUNCTION_WORDS.has(token.text) && startsCommand(grammar, token))
  );
}

/** Symbols that express approval. Others express only a mood. */
const APPROVING_SYMBOLS = /^[👍👌🙏👏✅✔☑💯❤🎉]/u;

/** Words after a "no" that only replies: "no, I meant Tuesday", "no it's blue". */
const AFTER_REPLY: ReadonlySet<string> = new Set("i it that this we you he she they my".split(" "));

/** Returns the index after a "no" that replies to the previous message and forbids nothing. */
function afterReply(tokens: readonly Token[], index: number, to: number): number {
  const next = index + 1 < to ? tokens[index + 1] : undefined;
  if (tokens[index]?.text !== "no" || next === undefined) return index;
  return next.kind === "mark" || AFTER_REPLY.has(next.text) ? index + 1 : index;
}

/** Longer clauses are not treated as a negated command. */
const MAX_NEGATED_WORDS = 8;
/** After these words a negation describes something: "the one that I never finished". */
const RELATIVE_WORDS: ReadonlySet<string> = new Set([
  "what",
  "whatever",
  "that",
  "which",
  "who",
  "whose",
  "where",
]);

/** True for "make no file"; false for "sort what I have not finished". */
function isNegated(words: readonly Token[]): boolean {
  // "Overwrite a.md with nothing", "the lines without o": the negation applies to a noun.
  const negation = words.findIndex(
    ({ text }, index) =>
      NEGATIONS.has(text) &&
      (index === 0 ||
        (text !== "without" && !/^(?:with|by|to|for|from)$/u.test(words[index - 1]?.text ?? ""))),
  );
  if (negation < 0 || words.length > MAX_NEGATED_WORDS) return false;
  return !words.slice(0, negation).some((token) => RELATIVE_WORDS.has(token.text));
}

/** False for "new member: Lena, not paid", where a mark stands between the word that begins a command and the negation. */
function negatesCommand({ grammar }: InterpretationContext, tokens: readonly Token[]): boolean {
  const parts = tokens.reduce<Token[][]>(
    (all, token) =>
      token.kind === "mark" ? [...all, []] : [...all.slice(0, -1), [...(all.at(-1) ?? []), token]],
    [[]],
  );
  return parts.some(
    (part) =>
      part.some(({ kind, text }) => kind === "word" && NEGATIONS.has(text)) &&
      // "No time" is a thing.
      part.some(
        (token, index) =>
          token.kind === "word" &&
          part[index - 1]?.text !== "no" &&
          // "Never before ten"; "never mind" is a command of its own.
          (token.text !== "never" || part[index + 1]?.text === "mind") &&
          startsCommand(grammar, token),
      ),
  );
}

/**
 * True for a command that ends in a question mark, such as "Delete x.md?", unless the mark belongs to text that the
 * command stores: "add a task to ask Bob why?". Text that begins like a question keeps its mark: "remember when we
 * met?".
 */
function isQuestioned(tokens: readonly Token[], { rule, bindings }: Match, to: number): boolean {
  if (rule.skill.reads || tokens[to - 1]?.text !== "?") return false;
  const last = bindings.toSorted((one, other) => one.to - other.to).at(-1);
  if (last === undefined || last.free === 0) return true;
  return QUESTION_STARTS.has(tokens[last.from]?.text ?? "");
}

/** A span is part of many splits: without it, a request with many clauses takes a third longer (2026-11-27). */
const meanings = new WeakMap<InterpretationContext, Map<string, Meaning>>();

function clauseAt(
  context: InterpretationContext,
  from: number,
  to: number,
  before: Boundary | undefined,
): Clause {
  const cached = meanings.get(context) ?? new Map<string, Meaning>();
  meanings.set(context, cached);
  const key = `${from}:${to}`;
  const meaning = cached.get(key) ?? classifySpan(context, from, to);
  cached.set(key, meaning);
  return { from, to, before, ...meaning };
}

/** Small-talk topics that repeat the previous request. */
export const REPEAT_TOPICS: ReadonlySet<string> = new Set(["again", "shown-again"]);

/** Scores how well a clause is explained. An unexplained clause outweighs every other way to split the request. */
function score(clause: Clause): number {
  switch (clause.kind) {
    case "command":
      return clause.matches[0]?.score ?? 0;
    case "talk":
      // "List my tasks, again" is one clause.
      return REPEAT_TOPICS.has(clause.topic) ? -1 : 1;
    case "prohibition":
      return 0.5;
    case "question":
    case "unknown":
      // Of two splits that leave a clause unexplained, the one with the longer orders.
      return -1_000 - 0.001 * (clause.to - clause.from);
    default:
      return clause satisfies never;
  }
}

/** True for "and remind me …", "and remember that …": an order to the operator, and nothing that the person has to do or know. */
export function isForOperator({ tokens }: InterpretationContext, { from }: { from: number }): boolean {
  const [verb, object] = [tokens[from]?.text, tokens[from + 1]?.text];
  return (verb === "remind" && object === "me") || (verb === "remember" && object === "that");
}

/** "… and remember that …" is rather an order of its own than more words of the one before. */
const OWN_ORDER = 0.6;
const isOwnOrder = (context: InterpretationContext, clause: Clause): boolean =>
  clause.kind === "command" && clause.before?.strength === "and" && isForOperator(context, clause);

/** Splits a request at a subset of the boundaries so that the clauses explain as much of it as possible. */
export function splitIntoClauses(context: InterpretationContext, boundaries: readonly Boundary[]): Clause[] {
  const starts = [
    { start: 0, boundary: undefined },
    ...boundaries.map((boundary) => ({ start: boundary.start, boundary })),
  ];
  const ends = [...boundaries.map((boundary) => boundary.end), context.tokens.length];
  const best: { clauses: Clause[]; score: number }[] = [];
  for (let index = starts.length - 1; index >= 0; index--) {
    const { start, boundary } = starts[index] ?? { start: 0, boundary: undefined };
    let chosen: { clauses: Clause[]; score: number } | undefined;
    for (let last = ends.length - 1; last >= index; last--) {
      const clause = clauseAt(context, start, ends[last] ?? context.tokens.length, boundary);
      const rest = best[last + 1];
      const total = score(clause) + (isOwnOrder(context, clause) ? OWN_ORDER : 0) + (rest?.score ?? 0);
      if (chosen === undefined || total > chosen.score)
        chosen = { clauses: [clause, ...(rest?.clauses ?? [])], score: total };
    }
    if (chosen !== undefined) best[index] = chosen;
  }
  return best[0]?.clauses ?? [];
}

/** Drops the clauses before "never mind" and keeps those after it. */
export function clausesAfterCancel(clauses: readonly Clause[]): readonly Clause[] {
  const last = clauses.findLastIndex((clause) => clause.kind === "talk" && clause.topic === "refrain");
  const after = clauses.slice(last + 1);
  return last < 0 || after.some((clause) => clause.kind !== "talk") ? after : clauses.slice(last);
}

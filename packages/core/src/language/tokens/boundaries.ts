import { oneOf } from "../../text/patterns.ts";
import { afterFiller } from "./filler-phrases.ts";
import { CONVERSATION_GRAMMAR, leadingWords, PROHIBITIONS } from "../grammar/small-talk.ts";
import { beginsBackground } from "../grammar/background.ts";
import { startsCommand } from "../grammar/grammar.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { Token } from "./tokens.ts";
import { ARTICLES } from "./words.ts";

/** A position where one clause may end and the next begin. */
export interface Boundary {
  /** The end of the clause before and the start of the clause after; connecting words are in between. */
  end: number;
  start: number;
  /**
   * `sentence`: a full stop, semicolon, new line or "but"; `then`: a sequence word; `and`: a word that may also join
   * words within one text.
   */
  strength: "sentence" | "then" | "and";
}

const JOINING: ReadonlySet<string> = new Set(["and", ",", "&", "plus", "also", "+", "so"]);
const SEQUENCING: ReadonlySet<string> = new Set([
  "then",
  "afterwards",
  "afterward",
  "next",
  "finally",
  "lastly",
]);
/** Words whose full stop ends no sentence. */
const ABBREVIATION = /^(?:mr|mrs|ms|dr|prof|st|jr|sr|no|vs|approx|incl|resp)$/u;
const MAX_BOUNDARIES = 20;
/** A long request is mostly text, and each boundary doubles the number of ways to split it. */
const LONG_REQUEST = 120;
const MAX_IN_LONG = 8;

function connectorStrength(tokens: readonly Token[], index: number): Boundary["strength"] | undefined {
  const token = tokens[index];
  if (token?.kind === "mark" && /^[.;!?…]$/.test(token.text)) {
    if (token.text === "." && ABBREVIATION.test(tokens[index - 1]?.text ?? "")) return undefined;
    const next = tokens[index + 1];
    return next === undefined || next.spaced || next.kind === "mark" ? "sentence" : undefined;
  }
  if (token?.kind !== "word" && token?.kind !== "mark") return undefined;
  if (token.text === "but") return "sentence";
  if (SEQUENCING.has(token.text)) return "then";
  return JOINING.has(token.text) ? "and" : undefined;
}

const STRENGTHS = ["and", "then", "sentence"] as const;

const stronger = (one: Boundary["strength"], other: Boundary["strength"]): Boundary["strength"] =>
  STRENGTHS.indexOf(one) >= STRENGTHS.indexOf(other) ? one : other;

/** True if a clause could begin here: the first word after filler phrases starts a phrase. */
function couldStartClause(context: InterpretationContext, index: number, to: number): boolean {
  let { at: start } = afterFiller(context.tokens, index, to);
  if (ARTICLES.has(context.tokens[start]?.text ?? "")) start++;
  const token = context.tokens[start];
  if (start >= to || token === undefined) return start > index;
  return (
    startsCommand(context.grammar, token) ||
    startsCommand(CONVERSATION_GRAMMAR, token) ||
    leadingWords(context.tokens, start, to, PROHIBITIONS) > 0
  );
}

/** True for the "no" of a row: "put a new line in bills.csv: gas, 80, no", "add Ida, no, 12 to members.csv". */
function isCell(tokens: readonly Token[], index: number): boolean {
  const [before, cell, after] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (cell?.text !== "no" || before?.text !== "," || !tokens.some(isTable)) return false;
  const isLast = after === undefined || /^(?:,|to|in|into)$/u.test(after.text);
  const isValue = (token: Token | undefined): boolean => token?.text === "," || token?.text === ":";
  // A comma or a colon before the cell in front: two values at least.
  return isLast && tokens.slice(0, index - 1).some(isValue);
}

const isTable = ({ kind, text }: Token): boolean => kind === "path" && /\.(?:csv|tsv)$/iu.test(text);

const AUXILIARY = /^(?:is|are|was|were|has|have|had|will|does|did|can)$/u;
const BEGINS_SUBJECT_WORDS = oneOf(
  "it|that|this|these|those|he|she|they|we|i|you|there|the|my|our|your|his|her|their|an?|any|anything",
  "anyone|everything|everyone|all",
);
const BEGINS_SUBJECT = new RegExp(String.raw`^${BEGINS_SUBJECT_WORDS}$`, "u");

/** "… comes from Bosnia and was cut in 2011": the same thing once more, and no question, in which a subject follows. */
function isFurtherPredicate(tokens: readonly Token[], start: number): boolean {
  const [verb, next] = [tokens[start], tokens[start + 1]];
  return (
    tokens[start - 1]?.text === "and" &&
    AUXILIARY.test(verb?.text ?? "") &&
    next?.kind === "word" &&
    !BEGINS_SUBJECT.test(next.text) &&
    tokens.at(-1)?.text !== "?"
  );
}

/** True if the words before `end` are the first words of a prohibition, unlike "it is not". */
function endsProhibition(tokens: readonly Token[], end: number): boolean {
  if (tokens[end - 1]?.text === "not" && /^(?:is|are|was|were)$/u.test(tokens[end - 2]?.text ?? ""))
    return false;
  return PROHIBITIONS.some((phrase) => {
    const from = end - phrase.length;
    return from >= 0 && phrase.every((word, index) => tokens[from + index]?.text === word);
  });
}

/**
 * Returns the positions at which a request may be split: wherever a clause could begin or, with `atEveryConnector`, after
 * every connecting word.
 */
export function findBoundaries(
  context: InterpretationContext,
  { atEveryConnector = false } = {},
): Boundary[] {
  const { tokens } = context;
  const found: Boundary[] = [];
  const most = tokens.length > LONG_REQUEST ? MAX_IN_LONG : MAX_BOUNDARIES;
  for (let index = 1; index < tokens.length && found.length < most; index++) {
    // Lines after a colon belong to the clause before it.
    if (tokens[index - 1]?.text === ":") continue;
    const before = tokens[index - 1];
    const endsQuotation = before?.kind === "quoted" && /[.!?]$/u.test(before.text.trimEnd());
    let strength: Boundary["strength"] | undefined =
      tokens[index]?.onNewLine || endsQuotation ? "sentence" : undefined;
    let start = index;
    for (
      let next = connectorStrength(tokens, start);
      next !== undefined;
      next = connectorStrength(tokens, start)
    ) {
      strength = strength === undefined ? next : stronger(strength, next);
      start++;
      if (tokens[start]?.onNewLine) strength = "sentence";
    }
    if (strength === undefined || start >= tokens.length) continue;
    // "Do not also …", "do not, whatever happens, …": the prohibition covers the words after it.
    if (strength !== "sentence" && endsProhibition(tokens, index)) continue;
    if (isCell(tokens, start)) continue;
    if (strength === "and" && !atEveryConnector && isFurtherPredicate(tokens, start)) continue;
    const next = tokens[start];
    const mayInform = strength === "sentence" || tokens[start - 1]?.text === ",";
    const isBackground = mayInform && next !== undefined && beginsBackground(next);
    if (atEveryConnector || isBackground || couldStartClause(context, start, tokens.length))
      found.push({ end: index, start, strength });
    index = Math.max(index, start - 1);
  }
  return found;
}

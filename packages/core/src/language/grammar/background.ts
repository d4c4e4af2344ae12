import { oneOf } from "../../text/patterns.ts";
import { afterFiller } from "../tokens/filler-phrases.ts";
import { plainOfPast } from "../tokens/irregular-verbs.ts";
import type { Token } from "../tokens/tokens.ts";
import { FUNCTION_WORDS, inflection } from "../tokens/words.ts";
import { startsCommand } from "./grammar.ts";
import type { InterpretationContext } from "./match.ts";
import { NEGATIONS } from "./small-talk.ts";

/** First words of a sentence that only informs. */
const SUBJECTS: ReadonlySet<string> = new Set(
  "i we my our it he she they there this that the a an someone somebody everybody everyone yesterday".split(
    " ",
  ),
);
/** Beginnings of a reason: "still waiting for the paint", "because it is old". */
const REASONS: ReadonlySet<string> = new Set("because since cause still as".split(" "));
const STATING_VERBS =
  /^(?:am|is|are|was|were|have|has|had|got|live|lives|work|works|like|likes|love|loves|just|moved|went|came)$/u;
/** True for a verb of a sentence that tells what is or was so: "has", "closed", "ate". */
const states = (word: string): boolean =>
  STATING_VERBS.test(word) ||
  (!SPEAKS.test(word) && (inflection(word) === "past" || plainOfPast(word) !== undefined));
const SPEAKS_WORDS = oneOf(
  "said|told|asked|meant|thought|wanted|hoped|wished|wrote|heard|read|supposed|guessed|suggested",
  "ordered|typed|tried|used|had|forgot|mentioned|noted|planned|decided|considered",
);
/** What follows these verbs is said or thought, and not ordered. */
const SPEAKS = new RegExp(String.raw`^${SPEAKS_WORDS}$`, "u");
const BINDING_WORDS = oneOf(
  "need|needs|want|wants|wish|should|must|shall|would|could|can|may|might|if|unless|until|except|only",
  "but|when|whenever|instead|first|think|hope|please",
);
/** Words that make a sentence a wish, a condition or an exception, which must not be passed over. */
const BINDING = new RegExp(String.raw`^${BINDING_WORDS}$`, "u");
/** Words that belong to the verb before them: "came back". */
const PARTICLES = /^(?:back|up|out|off|down|away)$/u;
/** Subjects of a sentence about the person or about somebody else. */
const PRONOUNS = /^(?:i|we|he|she|they)$/u;
/** What is denied with these verbs is a state: "I have no time", "we are not at home". */
const HAVING = /^(?:am|is|are|was|were|have|has|had)$/u;
const MAX_WORDS = 20;

/** A statement that something is no longer needed. It forbids nothing. */
const UNNEEDED = new RegExp(
  [
    String.raw`^(?:i|we) (?:no longer need (?:\S+ ){0,4}\S+|do not (?:really )?need (?:\S+ ){1,5}(?:any ?more|any longer))$`,
    String.raw`^(?:nobody|no one) needs (?:\S+ ){0,5}\S+$`,
    String.raw`^(?:(?:the|my|our|that|this|these|those) )?(?:\S+ ){1,4}(?:is|are) (?:no longer|not) (?:needed|necessary|wanted)(?: (?:any ?more|any longer|now))?$`,
  ].join("|"),
  "u",
);

/** The maximum number of words that `UNNEEDED` explains. */
const MAX_UNNEEDED = 12;

/** The first words without marks, in one text; without a limit, the spans of a long request would be read again and again. */
const plainText = (tokens: readonly Token[], limit: number): string => {
  const words: string[] = [];
  for (const { kind, text } of tokens) {
    if (words.length >= limit) break;
    if (kind !== "mark") words.push(text);
  }
  return words.join(" ");
};

/** True for "the nets are no longer needed": nothing is forbidden. */
export const statesNoNeed = (words: readonly Token[]): boolean =>
  UNNEEDED.test(plainText(words, MAX_UNNEEDED + 1));

/** A statement that something has not happened. "The paint is not to be touched" would forbid something instead. */
const LACKING =
  /^(?:the|my|our|this|that|these|those) (?:\S+ ){1,3}(?:has|have|had|is|are|was|were) not(?: yet)? (?!to\b|be\b|for\b|allowed|supposed|meant|permitted)\S+/u;
/** The maximum number of words that `LACKING` reads. */
const MAX_LACKING = 8;

/** True for "the paint has not come": nothing is forbidden. */
export const statesAbsence = (words: readonly Token[]): boolean =>
  LACKING.test(plainText(words, MAX_LACKING));

/** True for what comes after "when" in "when I saved it": it is over, and no condition. */
const isPast = ([subject, verb]: readonly Token[]): boolean =>
  PRONOUNS.test(subject?.text ?? "") &&
  verb !== undefined &&
  (inflection(verb.text) === "past" || plainOfPast(verb.text) !== undefined);

/** True for a word after "the", "my" or "in", with at most one word between them: "in the wrong place". */
const isNoun = (words: readonly Token[], index: number): boolean =>
  words.slice(Math.max(0, index - 2), index).some(({ text }) => DETERMINERS.test(text));
const DETERMINERS = /^(?:a|an|the|my|our|his|her|their|this|that|no|in|on|at|of|for)$/u;

/** True for the first word of a sentence that only informs. */
export const beginsBackground = ({ text }: Token): boolean => SUBJECTS.has(text) || REASONS.has(text);

/**
 * True for a clause next to a command that only informs: "I am called Tadeusz", "still waiting for the paint". It asks
 * for nothing, forbids nothing and names no file.
 */
export function isBackground(
  { request, tokens, grammar }: InterpretationContext,
  { from, to }: { from: number; to: number },
): boolean {
  const { at } = afterFiller(tokens, from, to);
  const words = tokens.slice(at, to).filter(({ kind }) => kind !== "mark" && kind !== "symbol");
  const [first, ...rest] = words;
  if (first === undefined || words.length > MAX_WORDS || tokens[to - 1]?.text === "?") return false;
  if (statesNoNeed(words)) return true;
  // "The command is: …", "he told me to …": what follows may be an order that somebody quotes.
  const isQuoting = PRONOUNS.test(first.text) && SPEAKS.test(rest[0]?.text ?? "") && rest[0]?.text !== "had";
  if (isQuoting || tokens.slice(at, to).some(({ text }) => text === ":")) return false;
  const isBinding = ({ text }: Token, index: number): boolean =>
    BINDING.test(text) && !(text === "when" && isPast(words.slice(index + 1)));
  if (words.some((token, index) => token.kind !== "word" || isBinding(token, index))) return false;
  const isDenied = words.some(({ text }) => NEGATIONS.has(text));
  const isOrder = rest.some(
    (token, index) =>
      !FUNCTION_WORDS.has(token.text) &&
      // "I keep losing them": the verb of what the person does.
      !(index === 0 && /^(?:i|we)$/u.test(first.text)) &&
      !isNoun(words, index + 1) &&
      inflection(token.text) === "plain" &&
      !STATING_VERBS.test(token.text) &&
      !PARTICLES.test(token.text) &&
      startsCommand(grammar, token),
  );
  if (isOrder) return false;
  // "I have no time", "we know that you are busy": a pronoun and a verb. A denial of anything else may forbid something.
  const [verb] = rest;
  const isStatement = PRONOUNS.test(first.text) && verb !== undefined && !SPEAKS.test(verb.text);
  if (isDenied) return (isStatement && HAVING.test(verb.text)) || statesAbsence(words);
  if (isStatement) return true;
  if (REASONS.has(first.text)) return rest.length > 0;
  // "Finally painted the bench": what the person did, without "I".
  if (
    inflection(first.text) === "past" &&
    states(first.text) &&
    rest.length > 0 &&
    !startsCommand(grammar, first)
  )
    return true;
  // "Dov Stern has left the club": a name, and what is so.
  const isNamed =
    /^\p{Lu}\p{Ll}/u.test(request.slice(first.start, first.end)) &&
    rest.slice(0, 2).some(({ text }) => STATING_VERBS.test(text)) &&
    !startsCommand(grammar, first);
  // "The second take's better"
  const isShort = rest.some(
    ({ text }, index) => index > 0 && index < rest.length - 1 && /\p{L}['’]s$/u.test(text),
  );
  return isNamed || (SUBJECTS.has(first.text) && (isShort || rest.some(({ text }) => states(text))));
}

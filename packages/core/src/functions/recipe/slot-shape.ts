import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import { dateSpans } from "../../language/dates/dates.ts";
import type { Clock } from "../../language/dates/clock.ts";
import { grammarOf, startsCommand } from "../../language/grammar/grammar.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { tokenize, type Token } from "../../language/tokens/tokens.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";

/** The form of a parameter's earlier values. A value of another form may be a misreading. */
export interface SlotShape {
  mostWords: number;
  /** True if earlier values contain function words or punctuation. */
  isText: boolean;
  hasPath: boolean;
  hasNumber: boolean;
  hasDate: boolean;
  hasKindNoun: boolean;
}

/** The maximum number of words in a value without examples. */
const DEFAULT_MAX_WORDS = 3;
/** Nouns of kinds and quantities: "the sandwich folder" is not "the sandwich". */
const KIND_NOUNS =
  /^(?:files?|documents?|docs?|folders?|director(?:y|ies)|dirs?|tasks?|todos?|memor(?:y|ies)|lists?|called|named|titled)$/;
const COUNTS =
  /^(?:\d+(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten|several|many|few|couple|multiple|new|different|same|whole|entire|another|copies|copy)$/;
/** Words that negate or limit a request. */
const TURNING =
  /^(?:not|never|without|except|unless|if|when|before|after|instead|unlike|but|only|until|while|or|nor|nothing|none)$/;
/** True for a word that negates or limits a request. */
export const negatesOrLimits = ({ kind, text }: Token): boolean =>
  kind === "word" && (TURNING.test(text) || NEGATIONS.has(text));

/** Words for where something happened: "past Bruno" names nobody. */
const WHERE = /^(?:past|near|behind|beside|beyond|along|across|around|towards?|outside|opposite)$/;

const JOINING = /^(?:and|then|,|;|&|also|plus|afterwards|next|finally)$/;

/** The form of the values in a function's examples. */
export function shapeOf(values: readonly unknown[], clock: Clock): SlotShape {
  const texts = values
    .filter((value) => typeof value === "string")
    .map((text) => ({ text, tokens: tokenize(text) }));
  const someToken = (test: (token: Token) => boolean): boolean =>
    texts.some(({ tokens }) => tokens.some(test));
  const words = texts.map(({ tokens }) => tokens.length);
  return {
    mostWords: Math.max(DEFAULT_MAX_WORDS, ...words.map((count) => count + 1)),
    isText: someToken(isConnecting),
    hasPath: someToken((token) => token.kind === "path"),
    hasNumber: someToken((token) => COUNTS.test(token.text)),
    hasDate: texts.some(({ text, tokens }) => dateSpans(text, tokens, clock).length > 0),
    hasKindNoun: someToken((token) => KIND_NOUNS.test(token.text)),
  };
}

/** The reason why words do not fit this form; `undefined` if they do. */
export function shapeMismatch(
  value: string,
  shape: SlotShape,
  { clock, skillGrammars }: { clock: Clock; skillGrammars: readonly SkillGrammar[] },
): string | undefined {
  const tokens = tokenize(value);
  const [only] = tokens;
  if (tokens.length === 1 && only?.kind === "quoted") return undefined;
  if (tokens.some((token) => token.kind === "path") && !shape.hasPath) return "it names a file";
  if (tokens.some(negatesOrLimits)) return "a word in it bounds or denies something";
  if (!shape.hasKindNoun && tokens.some((token) => KIND_NOUNS.test(token.text)))
    return "it names another kind of thing";
  if (!shape.hasNumber && tokens.some((token) => COUNTS.test(token.text))) return "it says how many or which";
  if (!shape.hasDate && holdsDay(value, tokens, clock)) return "it names a day";
  if (tokens.length > 1 && only !== undefined && WHERE.test(only.text)) return "it says where";
  if (holdsOrder(tokens, skillGrammars)) return "it may hold another order";
  if (shape.isText) return undefined;
  if (tokens.length > shape.mostWords) return "it is longer than any value before";
  const isMore = tokens.some((token, index) => isConnecting(token) && !joinsNames(value, tokens, index));
  return isMore ? "it is more than a name" : undefined;
}

const daysIn = new WeakMap<Clock, Map<string, boolean>>();

/** Whether a text holds a day; looked for once for all functions that a request is matched with. */
function holdsDay(text: string, tokens: readonly Token[], clock: Clock): boolean {
  const known = daysIn.get(clock) ?? new Map<string, boolean>();
  const found = known.get(text) ?? dateSpans(text, tokens, clock).length > 0;
  daysIn.set(clock, known.set(text, found));
  return found;
}

const isConnecting = (token: Token): boolean =>
  token.kind === "mark" || (token.kind === "word" && FUNCTION_WORDS.has(token.text));

/** "Holm & Sons": the sign between two names is a part of one. */
function joinsNames(value: string, tokens: readonly Token[], index: number): boolean {
  const [before, next] = [tokens[index - 1], tokens[index + 1]];
  const isName = (token: Token | undefined): boolean =>
    token?.kind === "word" && /^\p{Lu}/u.test(value.slice(token.start));
  return tokens[index]?.text === "&" && isName(before) && isName(next);
}

/** True if another order begins after a conjunction: "milk and delete notes.md". */
function holdsOrder(tokens: readonly Token[], skillGrammars: readonly SkillGrammar[]): boolean {
  const grammar = grammarOf(skillGrammars);
  return tokens.some((token, index) => {
    const next = tokens[index + 1];
    return JOINING.test(token.text) && next !== undefined && startsCommand(grammar, next);
  });
}

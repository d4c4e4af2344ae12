import { DETERMINERS, kindsOfVerb, LIGHT_VERBS, plainForm, PRONOUNS } from "./families.ts";
import { isPast } from "./value-context.ts";
import type { AlignedRequest } from "./value-borders.ts";

/** Statements around an order that only say why it is given. */
export interface Reasons {
  /** The words of statements without a value: they ask for nothing. */
  without: ReadonlySet<number>;
  /** The words of statements that name a value which the order takes up: "I must not forget batteries, put those on …". */
  withValue: ReadonlySet<number>;
}

interface Clause {
  from: number;
  to: number;
  /** It begins with a verb of the function. */
  isOrder: boolean;
  /** It tells something of somebody, without a condition, a question, or the function's own verb. */
  isStatement: boolean;
  holdsThing: boolean;
  holdsTyped: boolean;
  takesUp: boolean;
}

const NONE: Reasons = { without: new Set(), withValue: new Set() };
const CONDITIONAL =
  /^(?:if|when|whenever|unless|until|till|once|whether|while|after|before|as|in|provided|suppose|would|should|could|may|might)$/u;
/** "Since Tom says …", "as the road is closed, …": a cause, if a subject and a verb follow. */
const CAUSAL = /^(?:since|as|because|cause|cuz)$/u;
const FINITE =
  /^(?:is|are|was|were|am|has|have|had|says|said|will|wants|needs|can|must|does|did|do|went|goes|comes|came)$/u;
const ASKING = /^(?:who|whom|whose|when|why|how|what|which|where|is|are|was|were|do|does|did|has|have)$/u;
const TAKING_UP = /^(?:it|them|those|these|that|this|him|her|one)$/u;
const BEFORE_ORDER = /^(?:so|but|and|then|therefore|now|please|pls|just|also|can|could|will|would|you|to)$/u;

/** The orders of a request, and the statements around them; both empty if there are not both. */
interface ExplainedOrders {
  orders: readonly Clause[];
  statements: readonly Clause[];
}

const known = new WeakMap<AlignedRequest, ExplainedOrders>();

/** The statements of a request that give the reason for its order, with these values. */
export function findReasons(aligned: AlignedRequest, inValue: (at: number) => boolean): Reasons {
  const clauses = known.get(aligned) ?? explainedOrders(aligned);
  known.set(aligned, clauses);
  const { orders, statements } = clauses;
  if (statements.length === 0) return NONE;
  const found = { without: new Set<number>(), withValue: new Set<number>() };
  // "…, start the daily page": its value is in the statement.
  const isWithoutValue = ({ from, to }: Clause): boolean =>
    !Array.from({ length: to - from }, (_, place) => from + place).some(inValue);
  const takesUp = orders.some((order) => order.takesUp || (order.holdsThing && isWithoutValue(order)));
  for (const clause of statements) {
    const places = Array.from({ length: clause.to - clause.from }, (_, place) => clause.from + place);
    const holdsValue = places.some(inValue);
    const isFree = holdsValue ? takesUp : !clause.holdsThing && !clause.holdsTyped;
    if (isFree) for (const at of places) found[holdsValue ? "withValue" : "without"].add(at);
  }
  const isReason = (at: number): boolean => found.without.has(at) || found.withValue.has(at);
  // "…, but please log it": joins the order to its reason.
  for (const { from } of orders) {
    const isMark = (at: number): boolean => aligned.request.units[at]?.kind === "mark";
    const joins = isMark(from) ? from + 1 : from;
    const end = isMark(from - 1) ? from - 2 : from - 1;
    if (isReason(end) && /^(?:so|but)$/u.test(aligned.words[joins] ?? "")) found.without.add(joins);
  }
  return found;
}

function explainedOrders(aligned: AlignedRequest): ExplainedOrders {
  const clauses = clausesOf(aligned);
  const orders = clauses.filter(({ isOrder }) => isOrder);
  const statements = clauses.filter(({ isStatement }) => isStatement);
  return orders.length > 0 && statements.length > 0 ? { orders, statements } : { orders: [], statements: [] };
}

function clausesOf(aligned: AlignedRequest): Clause[] {
  const { units, text } = aligned.request;
  const starts = units.flatMap(({ kind, text: word }, at) =>
    (kind === "mark" && /^[,.;!–]$/u.test(word)) ||
    (at > 0 && kind === "word" && /^(?:so|but|because)$/u.test(word))
      ? [at]
      : [],
  );
  if (starts.length === 0 || /\?\s*$/u.test(text)) return [];
  return [0, ...starts].map((from, at) => clauseOf(aligned, from, starts[at] ?? units.length));
}

/** True if a clause begins with a word for a cause, a subject and its verb: "as a pdf" has none. */
function isCause({ words }: AlignedRequest, content: readonly number[]): boolean {
  const [conjunction, subject] = content;
  return (
    conjunction !== undefined &&
    subject !== undefined &&
    CAUSAL.test(words[conjunction] ?? "") &&
    content.slice(2, MAX_WORDS_TO_VERB).some((at) => FINITE.test(words[at] ?? "") || isPast(words[at] ?? ""))
  );
}

/** "Glaze firing just finished", "essay one is done": a subject that is not a verb, and what became of it. */
const isReport = ({ words }: AlignedRequest, [first, ...others]: readonly number[]): boolean =>
  first !== undefined &&
  kindsOfVerb(words[first] ?? "").size === 0 &&
  !LIGHT_VERBS.has(words[first] ?? "") &&
  others.slice(0, MAX_WORDS_TO_VERB).some((at) => FINITE.test(words[at] ?? "") || isPast(words[at] ?? ""));

/** The maximum number of words from a conjunction to the verb of its clause. */
const MAX_WORDS_TO_VERB = 7;

function clauseOf(aligned: AlignedRequest, from: number, to: number): Clause {
  const { request, words, families, concepts } = aligned;
  const places = Array.from({ length: to - from }, (_, place) => from + place);
  const isWord = (at: number): boolean => request.units[at]?.kind === "word";
  const content = places.filter(
    (at) => isWord(at) && request.units[at]?.isHarmless !== true && !BEFORE_ORDER.test(words[at] ?? ""),
  );
  const isCaused = isCause(aligned, content);
  const first = isCaused ? content[1] : content[0];
  const word = first === undefined ? "" : (words[first] ?? "");
  const isOwnVerb = (at: number): boolean =>
    concepts.verbs.has(words[at] ?? "") || concepts.verbs.has(plainForm(words[at] ?? ""));
  const isOrder =
    !isCaused &&
    first !== undefined &&
    (isOwnVerb(first) ||
      request.phrases.some((phrase) => phrase.from === first && concepts.kinds.has(phrase.kind)) ||
      [...kindsOfVerb(word)].some((kind) => concepts.kinds.has(kind)));
  // "I want to plan …".
  const isWish = request.units
    .slice(from, first)
    .some(({ text, isHarmless }) => isHarmless && /^(?:i|we)$/u.test(text));
  const isSubject =
    (PRONOUNS.has(word) && !/^(?:me|us|them|him)$/u.test(word)) ||
    DETERMINERS.has(word) ||
    /^(?:there|nobody|somebody|everybody|someone|everyone)$/u.test(word) ||
    /^(?:i|you|we|he|she|it|they)['’]/u.test(word) ||
    (first !== undefined && first > 0 && /^\p{Lu}/u.test(request.text.slice(request.units[first]?.start))) ||
    isWish ||
    isReport(aligned, content);
  return {
    from,
    to,
    isOrder,
    isStatement:
      !isOrder &&
      isSubject &&
      (content.length > 2 || isWish) &&
      !places.some(
        (at) =>
          isWord(at) &&
          ((CONDITIONAL.test(words[at] ?? "") && !(isCaused && at === content[0])) || isOwnVerb(at)),
      ) &&
      !ASKING.test(word),
    holdsThing: places.some((at) => concepts.nouns.has(families[at] ?? "")),
    holdsTyped: places.some((at) => !isWord(at) && request.units[at]?.kind !== "mark"),
    takesUp: places.some((at) => TAKING_UP.test(words[at] ?? "")),
  };
}

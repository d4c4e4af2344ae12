import { verbStem } from "../../language/tokens/irregular-verbs.ts";
import { DETERMINERS, familyOf, PREPOSITIONS, PRONOUNS } from "./families.ts";
import type { FunctionConcepts } from "./function-concepts.ts";
import type { AlignedRequest } from "./value-borders.ts";

// Who does what to whom: "Kim was beaten by Duval" and "Kim lost to Duval" have the values of "{winner} beat {loser}" in the other order.

/** The verb between two values in a function's templates. */
interface OwnClause {
  /** The stem of the verb, and the family of the word as the templates have it. */
  verb: string;
  family: string;
  subject: string;
  object: string;
}

const BEING = /^(?:is|are|was|were|been|being|be|got|get|gets|getting)$/u;
const PARTICLE = /^(?:up|down|in|out|off|on|over|away)$/u;
/** Pairs of verbs for the same event from either side: "A beat B", "B lost to A". A preposition may follow the second. */
interface Pair {
  own: ReadonlySet<string>;
  other: ReadonlySet<string>;
  prepositions: RegExp | undefined;
}
const BEATING = new Set(["beat", "defeat", "outplay"].map(verbStem));
const LOSING = new Set(["lose"].map(verbStem));
const PAIRS: readonly Pair[] = [
  { own: BEATING, other: LOSING, prepositions: /^(?:to|against)$/u },
  { own: LOSING, other: BEATING, prepositions: undefined },
];

const clauses = new WeakMap<FunctionConcepts, OwnClause | undefined>();

function ownClause(concepts: FunctionConcepts): OwnClause | undefined {
  if (!clauses.has(concepts)) clauses.set(concepts, findClause(concepts));
  return clauses.get(concepts);
}

function findClause({ slots, orders }: FunctionConcepts): OwnClause | undefined {
  const texts = slots.filter(({ type }) => type === "text" || type === "name");
  for (const subject of texts)
    for (const object of texts) {
      const isNext =
        orders.length > 0 &&
        orders.every((order) => order.indexOf(object.name) === order.indexOf(subject.name) + 1);
      const verb = [...subject.after].find((word) => isVerbWord(word) && standsBefore(word, object.before));
      if (subject !== object && isNext && verb !== undefined)
        return { verb: verbStem(verb), family: familyOf(verb), subject: subject.name, object: object.name };
    }
  return undefined;
}

const isVerbWord = (word: string): boolean =>
  /^\p{L}{3,}$/u.test(word) &&
  !PREPOSITIONS.has(word) &&
  !DETERMINERS.has(word) &&
  !PRONOUNS.has(word) &&
  word !== "and";

/** "Beat {loser}", "picks up {child}". */
const standsBefore = (verb: string, before: ReadonlySet<string>): boolean =>
  before.has(verb) || [...before].some((word) => PARTICLE.test(word));

const reversals = new WeakMap<OwnClause, WeakMap<AlignedRequest["words"], number>>();

/**
 * The position of the verb with which a request says what the function's verb says from the side of the other person; -1
 * in any other request.
 */
function reversedAt({ words, concepts }: Pick<AlignedRequest, "words" | "concepts">): number {
  const clause = ownClause(concepts);
  if (clause === undefined) return -1;
  const ofClause = reversals.get(clause) ?? new WeakMap<AlignedRequest["words"], number>();
  reversals.set(clause, ofClause);
  const at = ofClause.get(words) ?? findReversed(words, clause);
  ofClause.set(words, at);
  return at;
}

function findReversed(words: AlignedRequest["words"], { verb }: OwnClause): number {
  const stems = words.map((word) => verbStem(word.toLowerCase()));
  const passive = stems.findIndex(
    (stem, at) =>
      stem === verb &&
      [1, 2].some((back) => BEING.test(words[at - back] ?? "")) &&
      (words[at + 1] === "by" || (PARTICLE.test(words[at + 1] ?? "") && words[at + 2] === "by")),
  );
  if (passive >= 0 || stems.includes(verb)) return passive;
  return stems.findIndex((stem, at) =>
    PAIRS.some(
      ({ own, other, prepositions }) =>
        own.has(verb) && other.has(stem) && (prepositions?.test(words[at + 1] ?? "") ?? true),
    ),
  );
}

/** True if a request says what the function's verb says from the side of the other person. */
export const isReversed = (aligned: Pick<AlignedRequest, "words" | "concepts">): boolean =>
  reversedAt(aligned) >= 0;

/** The position and the family of the function's verb in a request that says it from the other side; undefined in any other request. */
export function ownVerbAt(
  aligned: Pick<AlignedRequest, "words" | "concepts">,
): { at: number; family: string } | undefined {
  const at = reversedAt(aligned);
  const clause = ownClause(aligned.concepts);
  return at < 0 || clause === undefined ? undefined : { at, family: clause.family };
}

/** The order of a function's values in a request that may be reversed. */
export function ordersIn(
  aligned: Pick<AlignedRequest, "words" | "concepts">,
): readonly (readonly string[])[] {
  const { concepts } = aligned;
  const clause = ownClause(concepts);
  if (clause === undefined || !isReversed(aligned)) return concepts.orders;
  const swapped = (name: string): string =>
    name === clause.subject ? clause.object : name === clause.object ? clause.subject : name;
  return concepts.orders.map((order) => order.map(swapped));
}

/** True if these values have the order of the function's templates in a reversed request. */
export function contradictsVoice(
  aligned: Pick<AlignedRequest, "words" | "concepts">,
  placed: readonly { name: string; from: number }[],
): boolean {
  const clause = ownClause(aligned.concepts);
  if (clause === undefined || !isReversed(aligned)) return false;
  const [subject, object] = [clause.subject, clause.object].map(
    (name) => placed.find((one) => one.name === name)?.from,
  );
  return subject !== undefined && object !== undefined && subject < object;
}

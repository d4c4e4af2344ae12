import type { FunctionMemory } from "../../contract/function.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { plainWords, stemOf } from "../../text/words.ts";
import { startsClause } from "./clauses.ts";
import {
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  plainForm,
  PREPOSITIONS,
  PRONOUNS,
  type VerbKind,
} from "./families.ts";
import { tokensOfTemplate } from "./parse-template.ts";
import { type TemplateSource, templatesOf } from "./request-templates.ts";
import { isPast } from "./value-context.ts";
import { isReversed } from "./voice.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/** The words outside the values of every template of a function. */
interface FixedWords {
  /** The words after a negation: "come" in "can't come". */
  negated: ReadonlySet<string>;
  /** Fixed texts of its calls with the word before them: "to" and "no" of "set attending to no". */
  constants: readonly { before: string; words: readonly string[] }[];
  /** The verb and the particle with a contrary one: "check" and "in" of "check in the guest {guest}". */
  directed: readonly { verb: string; particle: string }[];
  /** Their words that have an opposite: "inbound". */
  opposed: readonly string[];
  /** Whether they put a value into something fixed, and nothing into a value: "copy {file} into the report". */
  takesValueIn: boolean;
}

const CONTRARY: Readonly<Record<string, string>> = {
  in: "out",
  out: "in",
  on: "off",
  off: "on",
  up: "down",
  down: "up",
};
/** "Write down" and "write up" mean the same. */
const hasEqualParticles = (verb: string): boolean => kindsOfVerb(verb).has("record");
/** "The file", before a path. */
const isOfValue = (word: string): boolean =>
  DETERMINERS.has(word) || /^(?:file|folder|document|page|note)s?$/u.test(word);
/** The maximum number of words between "into" and a value: "into the file {path}". */
const WORDS_BEFORE_VALUE = 2;
/** Pairs of words of which one excludes the other. */
const OPPOSITE_PAIRS = `
  inbound outbound
  incoming outgoing
  arrival departure
  arrivals departures
  arriving departing
  income expense
  debit credit
  deposit withdrawal
  deposited withdrawn
  bought sold
  won lost
  beat lost
  beats loses
  entrance exit
  upper lower
  upstairs downstairs
`;
const OPPOSITES: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const opposites = new Map<string, Set<string>>();
  for (const pair of OPPOSITE_PAIRS.trim().split("\n")) {
    const [one = "", other = ""] = pair.trim().split(" ");
    opposites.set(one, new Set(opposites.get(one)).add(other));
    opposites.set(other, new Set(opposites.get(other)).add(one));
  }
  return opposites;
})();
/** Words that lead into something; "to" also leads to a time or a person. */
const INTO = /^(?:into|onto)$/u;

const known = new WeakMap<object, FixedWords>();

function fixedWordsOf(content: TemplateSource): FixedWords {
  const key = content.recipe ?? content;
  const found = known.get(key) ?? readFixedWords(content);
  known.set(key, found);
  return found;
}

/** A longer fixed text is written by the function and not named in a request. */
const MAX_WORDS_OF_CONSTANT = 3;

function readFixedWords(content: TemplateSource): FixedWords {
  const read = templatesOf(content).map(tokensOfTemplate);
  const templates = read.map(({ tokens }) => tokens.map((token) => token.text));
  const inAll = (words: (template: readonly string[]) => readonly string[]): string[] => {
    const [first = [], ...others] = templates.map(words);
    return first.filter((word) => others.every((other) => other.includes(word)));
  };
  const negated = inAll((template) =>
    template.flatMap((word, at) => (isNegation(word) ? (template[at + 1] ?? []) : [])),
  ).filter((word) => /^\p{L}+$/u.test(word) && !FUNCTION_WORDS.has(word));
  // The statuses of tasks have many names, and their verbs tell them apart.
  const fixed = (content.recipe?.actions ?? [])
    .filter(({ skill }) => skill !== "task_update_status")
    .flatMap(({ args }) => Object.values(args))
    .filter((value) => typeof value === "string" && !/[$/.\n]/u.test(value))
    .map((value) => String(value).toLowerCase().split(/\s+/u))
    .filter((words) => words.length <= MAX_WORDS_OF_CONSTANT);
  const constants = fixed.flatMap((words) => {
    const precedingWords = inAll((template) =>
      template.flatMap((_, at) =>
        at > 0 && words.every((word, place) => template[at + place] === word) ? (template[at - 1] ?? []) : [],
      ),
    );
    return precedingWords.filter((before) => /^\p{L}+$/u.test(before)).map((before) => ({ before, words }));
  });
  const directed = inAll((template) =>
    template.flatMap((verb, at) => {
      const particle = template[at + 1] ?? "";
      const isVerb =
        at === 0 || kindsOfVerb(verb).size > 0 || (isPast(verb) && !/^(?:in|on)$/u.test(particle));
      const isDirected = Object.hasOwn(CONTRARY, particle) && isVerb;
      return isDirected && !hasEqualParticles(verb) ? [`${plainForm(verb)} ${particle}`] : [];
    }),
  ).map((found) => {
    const [verb = "", particle = ""] = found.split(" ");
    return { verb, particle };
  });
  const opposed = inAll((template) => template.filter((word) => OPPOSITES.has(word)));
  const isAfterValue = ({ tokens, parameterOf }: (typeof read)[number], at: number): boolean =>
    INTO.test(tokens[at]?.text ?? "") && parameterOf(tokens[at - 1]) !== undefined;
  const isBeforeValue = ({ tokens, parameterOf }: (typeof read)[number], at: number): boolean =>
    INTO.test(tokens[at]?.text ?? "") && parameterOf(tokens[at + 1]) !== undefined;
  const takesValueIn =
    read.length > 0 &&
    read.every((one) => one.tokens.some((_, at) => isAfterValue(one, at))) &&
    !read.some((one) => one.tokens.some((_, at) => isBeforeValue(one, at)));
  return { negated: new Set(negated), constants, directed, opposed, takesValueIn };
}

const isNegation = (word: string): boolean => NEGATIONS.has(word);

/** The maximum number of words between a negation and what it negates: "not able to come". */
const WORDS_TO_NEGATED = 3;

/** A request, which of its words are in a value, and the words outside the values of every template of the function. */
interface Compared {
  request: AnnotatedRequest;
  inValue: (at: number) => boolean;
  fixed: FixedWords;
}

/**
 * The reason why a request means the opposite of all templates of a function, or has another value instead of a fixed one. Undefined if
 * it does not. Only the words outside the values count.
 */
export function findContradiction(
  request: AnnotatedRequest,
  inValue: (at: number) => boolean,
  content: TemplateSource,
): string | undefined {
  const compared = { request, inValue, fixed: fixedWordsOf(content) };
  for (const rule of CONTRADICTIONS) {
    const reason = rule(compared);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const CONTRADICTIONS: readonly ((compared: Compared) => string | undefined)[] = [
  contraryParticle,
  oppositeWord,
  otherDirection,
  missingNegation,
  otherConstant,
];

/** "Check out the dog" for "check in the dog {name}". */
function contraryParticle({ request: { request, words, plain }, inValue, fixed }: Compared) {
  const isAtEnd = (at: number): boolean => {
    const kind = request.units[at + 1]?.kind;
    return kind === undefined || kind === "mark";
  };
  for (const { verb, particle } of fixed.directed) {
    const contrary = CONTRARY[particle] ?? "";
    const at = plain.indexOf(verb);
    if (at < 0 || inValue(at)) continue;
    // "In" and "on" are mostly prepositions: "tick it off on the list", "check the guest in at the gate".
    const says = (wanted: string): boolean =>
      words.some(
        (word, place) =>
          word === wanted &&
          place > at &&
          !inValue(place) &&
          (place === at + 1 || isAtEnd(place) || !/^(?:in|on)$/u.test(wanted)),
      );
    if (!says(particle) && says(contrary))
      return `The request says “${contrary}” where the function has “${particle}”.`;
  }
  return undefined;
}

/** "The outgoing call" for "note the incoming call of {name}". */
function oppositeWord({ request, inValue, fixed }: Compared) {
  // "Kim lost to Duval" says the same as "Duval beat Kim".
  if (isReversed(request)) return undefined;
  const { words } = request;
  for (const own of fixed.opposed) {
    const opposites = OPPOSITES.get(own);
    const at = words.findIndex((word, place) => opposites?.has(word) === true && !inValue(place));
    if (at >= 0 && !words.includes(own))
      return `The request says “${words[at] ?? ""}” where the function has “${own}”.`;
  }
  return undefined;
}

/** "Copy the report into notes/x.md" for "copy {file} into the report". */
function otherDirection({ request: { words }, inValue, fixed }: Compared) {
  const precedesOwnValue = (at: number): boolean =>
    !inValue(at) &&
    words
      .slice(at + 1, at + 2 + WORDS_BEFORE_VALUE)
      .some((_, after) => inValue(at + 1 + after) && words.slice(at + 1, at + 1 + after).every(isOfValue));
  return fixed.takesValueIn && words.some((word, at) => INTO.test(word) && precedesOwnValue(at))
    ? "The request puts something into the value, and the function puts the value into something."
    : undefined;
}

/** "Ada can come" for "{name} can't come". */
function missingNegation({ request: { words }, inValue, fixed }: Compared) {
  const places = words.flatMap((word, at) => (fixed.negated.has(word) && !inValue(at) ? [at] : []));
  const isDenied = (at: number): boolean =>
    words.slice(Math.max(0, at - WORDS_TO_NEGATED), at).some(isNegation);
  const [affirmed] = places;
  return affirmed === undefined || places.some(isDenied)
    ? undefined
    : `All requests of the function negate “${words[affirmed] ?? ""}”, and this one does not.`;
}

/** "Set attending to yes" for "set attending of {name} to no". */
function otherConstant({ request: { request, words, concepts }, inValue, fixed }: Compared) {
  for (const { before, words: own } of fixed.constants) {
    if (own.every((word) => words.includes(word))) continue;
    const other = words.find(
      (word, at) =>
        words[at - 1] === before &&
        request.units[at]?.kind === "word" &&
        !inValue(at) &&
        !inValue(at - 1) &&
        !concepts.literals.has(word) &&
        !DETERMINERS.has(word) &&
        !PREPOSITIONS.has(word) &&
        !PRONOUNS.has(word) &&
        !own.some((one) => familyOf(one) === familyOf(word)),
    );
    if (other !== undefined) return `The request says “${other}” where the function has “${own.join(" ")}”.`;
  }
  return undefined;
}

/** True if a negation at this place is one that all templates of the function contain before the same word. */
export const isOwnNegation = (
  { words }: Pick<AnnotatedRequest, "words">,
  at: number,
  content: TemplateSource,
): boolean => {
  const { negated, constants } = fixedWordsOf(content);
  return (
    (isNegation(words[at] ?? "") && negated.has(words[at + 1] ?? "")) ||
    constants.some(({ before, words: own }) => own[0] === words[at] && words[at - 1] === before)
  );
};

/** Kinds of orders that undo or correct something. A function only does so if its own verbs or calls say it. */
const TAKING_BACK: ReadonlySet<VerbKind> = new Set<VerbKind>(["delete", "undo", "cancel", "fix"]);
/** Kinds of orders that remove something from its place: moving or completing it does, too. */
const TAKING_AWAY: readonly VerbKind[] = ["delete", "move", "complete", "cancel", "reopen"];

/**
 * The reason why a request asks for more than the function and its values cover: an order to undo or correct something, a day or a
 * number outside the values, or a role in which somebody or something is recorded ("as"). Undefined if it does not.
 */
export function findUncovered(
  annotated: AnnotatedRequest,
  inValue: (at: number) => boolean,
  values: Readonly<Record<string, unknown>>,
  content: Pick<FunctionMemory, "title" | "summary">,
): string | undefined {
  const taken = findRetraction(annotated, inValue);
  if (taken !== undefined) return `The request asks to ${taken}.`;
  const left = findUncoveredUnit(annotated, inValue, values);
  if (left !== undefined) return `“${left}” is not among the values.`;
  const described = findUncoveredRole(annotated, inValue, content);
  return described === undefined ? undefined : `The request says “as ${described}”.`;
}

/** The verb of an order to undo, remove or correct something, if the function does not do that: "cancel". */
export function findRetraction(
  { request: { units }, words, plain, concepts }: AnnotatedRequest,
  inValue: (at: number) => boolean,
): string | undefined {
  if (TAKING_AWAY.some((kind) => concepts.kinds.has(kind))) return undefined;
  return words.find((word, at) => {
    if (units[at]?.kind !== "word" || units[at].isHarmless || inValue(at)) return false;
    if (plain[at] !== word || !startsClause(units, at)) return false;
    if (concepts.verbs.has(word) || concepts.literals.has(word)) return false;
    const kinds = [...kindsOfVerb(word)];
    // "Throw it in the report" adds it.
    const isPut =
      kinds.includes("delete") &&
      PRONOUNS.has(words[at + 1] ?? "") &&
      /^(?:in|on)(?:to)?$/u.test(words[at + 2] ?? "");
    return (
      !isPut && kinds.length > 0 && kinds.every((kind) => TAKING_BACK.has(kind) && !concepts.kinds.has(kind))
    );
  });
}

/** A day or a number that is in no value: neither today, nor the number that another one replaces, nor "4" for "for". */
function findUncoveredUnit(
  { request: { units }, words, concepts: { literals } }: AnnotatedRequest,
  inValue: (at: number) => boolean,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const held = new Set(Object.values(values).map(String));
  return units.find(
    (unit, at) =>
      (unit.kind === "date" || unit.kind === "number") &&
      !unit.isHarmless &&
      !inValue(at) &&
      !held.has(String(unit.value)) &&
      !held.has(unit.text) &&
      !literals.has(unit.text) &&
      !/today|tonight|^this |^4$/u.test(unit.text) &&
      words[at - 1] !== "from",
  )?.text;
}

function findUncoveredRole(
  { request: { units }, words, families, plain, concepts }: AnnotatedRequest,
  inValue: (at: number) => boolean,
  { title, summary }: Pick<FunctionMemory, "title" | "summary">,
): string | undefined {
  const own = [...concepts.known, ...concepts.nouns, ...plainWords(`${title} ${summary}`)];
  return words.find(
    (word, at) =>
      words[at - 1] === "as" &&
      units[at]?.kind === "word" &&
      !units[at].isHarmless &&
      !inValue(at) &&
      /^\p{Ll}{3,}$/u.test(word) &&
      !/^(?:well|follows|usual|always)$/u.test(word) &&
      !FUNCTION_WORDS.has(word) &&
      !concepts.literals.has(word) &&
      !own.some((one) => hasSameRoot(one, families[at] ?? "")) &&
      kindsOfVerb(plain[at] ?? "").size === 0,
  );
}

/** The letters that words of one root share: "absent" and "absence". */
const LETTERS_OF_ROOT = 5;
const hasSameRoot = (one: string, other: string): boolean =>
  one === other ||
  stemOf(one) === stemOf(other) ||
  (one.length >= LETTERS_OF_ROOT && one.slice(0, LETTERS_OF_ROOT) === other.slice(0, LETTERS_OF_ROOT));

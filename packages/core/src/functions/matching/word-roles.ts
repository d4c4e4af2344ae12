import { stemOf } from "../../text/words.ts";
import { CREATING, endOfQuestion, startsClause } from "./clauses.ts";
import {
  BLOCKING_WORDS,
  DEADLINES,
  DESCRIBING,
  DETERMINERS,
  GENERIC_THINGS,
  kindsOfVerb,
  LIGHT_NOUNS,
  LIGHT_VERBS,
  NEUTRAL,
  plainForm,
  PREPOSITIONS,
  PRONOUNS,
  type VerbKind,
} from "./families.ts";
import type { FunctionConcepts } from "./function-concepts.ts";
import { nearWord } from "./near-words.ts";
import { isNumberWord, type Unit } from "./request-units.ts";
import type { AlignedRequest } from "./value-borders.ts";
import { ownVerbAt } from "./voice.ts";

/** The role of a request's word for one function. */
export type WordRole =
  /** A noun or a verb in the function's templates, in any form. */
  | "thing"
  | "verb"
  /** Nearly a synonym of one of them. */
  | "near"
  /** A verb of the function's kind; one without a meaning of its own; one of another kind. */
  | "same-kind"
  | "light"
  | "other-light"
  | "other-verb"
  /** Names a parameter. */
  | "label"
  /** In the description or in the constants of the calls. */
  | "known"
  /** Negates, limits or questions the request. */
  | "blocking"
  /** Politeness, articles, prepositions, auxiliaries. */
  | "plain"
  | "unknown"
  /** Not a word: a mark, a quotation, a typed value. */
  | "none";

/** A request with the role of each of its units. */
export interface AnnotatedRequest extends AlignedRequest {
  roles: readonly WordRole[];
  /** The plain form of each verb, and the word itself otherwise. */
  plain: readonly string[];
  /** The number of each unit's clause: marks and reasons end one. */
  clauses: readonly number[];
}

const annotatedRequests = new WeakMap<AlignedRequest, AnnotatedRequest>();

export function assignRoles(aligned: AlignedRequest): AnnotatedRequest {
  const found = annotatedRequests.get(aligned) ?? computeRoles(aligned);
  annotatedRequests.set(aligned, found);
  return found;
}

function computeRoles(aligned: AlignedRequest): AnnotatedRequest {
  const verbStems = verbStemsOf(aligned.concepts);
  const plain: string[] = [];
  const roles: WordRole[] = [];
  for (const [at, word] of aligned.words.entries()) {
    const plainWord = plainForm(word);
    plain.push(plainWord);
    roles.push(roleOf(aligned, { at, plain: plainWord, verbStems }));
  }
  // "Lost to" and "was beaten by" say what "beat" says.
  const own = ownVerbAt(aligned);
  if (own === undefined) return { ...aligned, plain, clauses: clausesOf(aligned.request.units), roles };
  return {
    ...aligned,
    families: aligned.families.with(own.at, own.family),
    plain,
    clauses: clausesOf(aligned.request.units),
    roles: roles.with(own.at, aligned.concepts.nouns.has(own.family) ? "thing" : "verb"),
  };
}

const clausesOfUnits = new WeakMap<readonly Unit[], readonly number[]>();

/** Read once for all functions. */
function clausesOf(units: readonly Unit[]): readonly number[] {
  const known = clausesOfUnits.get(units);
  if (known !== undefined) return known;
  let clause = 0;
  const clauses: number[] = [];
  for (const { kind, text } of units) {
    const isEnd = kind === "mark" ? /^[,.;!?()–]$/u.test(text) : /^(?:because|since|so|but)$/u.test(text);
    if (isEnd) clause += 1;
    clauses.push(clause);
  }
  clausesOfUnits.set(units, clauses);
  return clauses;
}

const cachedVerbStems = new WeakMap<FunctionConcepts, ReadonlySet<string>>();

/** The stems of the verbs in a function's templates. */
function verbStemsOf(concepts: FunctionConcepts): ReadonlySet<string> {
  const found =
    cachedVerbStems.get(concepts) ?? new Set([...concepts.verbs].map((verb) => stemOf(plainForm(verb))));
  cachedVerbStems.set(concepts, found);
  return found;
}

function roleOf(
  aligned: AlignedRequest,
  { at, plain, verbStems }: { at: number; plain: string; verbStems: ReadonlySet<string> },
): WordRole {
  const { request, concepts, words, families } = aligned;
  const unit = request.units[at];
  if (unit === undefined || unit.kind !== "word") return "none";
  const word = words[at] ?? "";
  const family = families[at] ?? "";
  if (unit.isProper) return concepts.nouns.has(family) ? "thing" : "unknown";
  if (verbStems.has(stemOf(plain)) && !unit.isHarmless) return LIGHT_VERBS.has(plain) ? "light" : "verb";
  if (concepts.nouns.has(family)) return "thing";
  if (unit.isHarmless) return "plain";
  if (concepts.slots.some(({ labels }) => labels.has(family))) return "label";
  if (concepts.literals.has(word)) return "plain";
  const isAsked =
    concepts.isReadOnly && (at < endOfQuestion(request.units, concepts.kinds) || isInShowPhrase(aligned, at));
  if (isAsked || isOneMore(aligned, at)) return "plain";
  const next = request.units[at + 1];
  // "Until friday" is a deadline, not a condition.
  if (DEADLINES.has(word) && (next?.kind === "date" || next?.kind === "number")) return "plain";
  if (isIndirectQuestion(aligned, at) || isReplacing(aligned, at)) return "plain";
  if (isEmphatic(aligned, at) || isLack(aligned, at) || isAllOfPlural(aligned, at)) return "plain";
  if (word === "while" && words[at - 1] === "a") return "plain";
  if (BLOCKING_WORDS.has(word) && !isNumberWord(unit)) return "blocking";
  if (isConditional(aligned, at) || isFormer(aligned, at)) return "blocking";
  if (CONTRACTION.test(word)) return "plain";
  const kinds = [...kindsOfVerb(plain)];
  const isOwn = kinds.some((kind) => concepts.kinds.has(kind));
  if (LIGHT_VERBS.has(plain)) return isOwn || SAYS_NOTHING.has(plain) ? "light" : "other-light";
  if (isOwn) return "same-kind";
  if (NEUTRAL.has(word) || DETERMINERS.has(word) || PREPOSITIONS.has(word) || PRONOUNS.has(word))
    return "plain";
  if (nearWord(word, concepts) !== undefined) return "near";
  // "Send the quote …" asks to send it, although the description only mentions what is sent.
  const isOtherOrder =
    kinds.length > 0 &&
    plain === word &&
    startsClause(request.units, at) &&
    kinds.every((kind) => !concepts.alsoKinds.has(kind));
  if (isOtherOrder && DETERMINERS.has(words[at + 1] ?? "")) return "other-verb";
  if (concepts.known.has(family) || isKindOfConstant(aligned, at)) return "known";
  const isVerb = startsClause(request.units, at) || plain !== word || isEmphatic(aligned, at - 1);
  if (isLookedUpFirst(aligned, at, kinds)) return "plain";
  if (kinds.length > 0 && isVerb) return "other-verb";
  return DESCRIBING.has(word) || LIGHT_NOUNS.has(word) ? "plain" : "unknown";
}

/** "What does the sheet say?" for a function that shows it. */
const isInShowPhrase = ({ request: { phrases }, concepts }: AlignedRequest, index: number): boolean =>
  concepts.kinds.has("show") &&
  phrases.some(({ kind, from, to }) => kind === "show" && from <= index && index < to);

/** Verbs before "whether" or "if" with which a request asks to look something up. */
const LOOKING = /^(?:look|see|check|test|try|find|know|ask|verify|tell|out|up)$/u;

/** "Look whether it is there", "see if https://… answers": asks to look something up, and is not a condition. */
function isIndirectQuestion({ words, concepts: { kinds } }: AlignedRequest, index: number): boolean {
  const word = words[index] ?? "";
  if (word === "whether" && kinds.has("search")) return true;
  return (
    /^(?:whether|if)$/u.test(word) &&
    (kinds.has("search") || kinds.has("fetch")) &&
    LOOKING.test(words[index - 1] ?? "")
  );
}

/** "See if https://… answers and log it": before the function's own order, what it reads is looked up. */
const isLookedUpFirst = (
  { request: { units }, words, concepts }: AlignedRequest,
  index: number,
  kinds: readonly VerbKind[],
): boolean =>
  kinds.some((kind) => concepts.alsoKinds.has(kind)) &&
  startsClause(units, index) &&
  words.some(
    (word, later) =>
      later > index &&
      units[later]?.kind === "word" &&
      startsClause(units, later) &&
      (concepts.verbs.has(word) || [...kindsOfVerb(word)].some((kind) => concepts.kinds.has(kind))),
  );

/** "Set it to 40 instead": what is set anew, renamed or moved replaces what was there. */
const isReplacing = (
  { request: { units }, words, concepts: { kinds } }: AlignedRequest,
  index: number,
): boolean =>
  words[index] === "instead" &&
  (kinds.has("set") || kinds.has("rename") || kinds.has("move")) &&
  units
    .slice(index + 1)
    .every(({ kind, text, isHarmless }) => isHarmless || (kind === "mark" && /^[.!]$/u.test(text)));

/** "All invoices" for a function about the invoices. */
function isAllOfPlural(
  { words, concepts: { literals, nouns }, families }: AlignedRequest,
  index: number,
): boolean {
  if (words[index] !== "all") return false;
  const noun = DETERMINERS.has(words[index + 1] ?? "") ? index + 2 : index + 1;
  const word = words[noun] ?? "";
  return /[^s]s$/u.test(word) && literals.has(word) && nouns.has(families[noun] ?? "");
}

/** "Mr Olsen did pay": reports what happened, without a question or denial. */
const isEmphatic = ({ request: { units }, words }: AlignedRequest, index: number): boolean =>
  /^(?:did|does)$/u.test(words[index] ?? "") &&
  units.slice(0, index).some(({ kind, isHarmless }) => kind === "word" && !isHarmless) &&
  units[index - 1]?.kind === "word" &&
  units[index + 1]?.kind === "word" &&
  !/^(?:i|you|he|she|it|we|they|not|never|the|an?|my|our|this|that)$/u.test(words[index + 1] ?? "") &&
  !/^(?:who|whom|when|why|how|what|which|where|whose)$/u.test(words[index - 1] ?? "");

/** "We have no more coffee filters, write them down": a missing thing is the reason for writing it down. */
const isLack = (
  { request: { units }, words, concepts: { kinds } }: AlignedRequest,
  index: number,
): boolean => {
  const isNone = words[index] === "no" && /^(?:have|has|got|is|are)$/u.test(words[index - 1] ?? "");
  const isMore =
    words[index] === "more" &&
    words[index - 1] === "no" &&
    /^(?:have|has|got|is|are)$/u.test(words[index - 2] ?? "");
  const endsLater = units.slice(index).some(({ kind }) => kind === "mark");
  return (isNone || isMore) && endsLater && CREATING.some((kind) => kinds.has(kind));
};

/** "As soon as", "as long as", "in case", "provided that": a condition. */
const isConditional = ({ words }: AlignedRequest, index: number): boolean =>
  (/^(?:soon|long)$/u.test(words[index] ?? "") && words[index - 1] === "as" && words[index + 1] === "as") ||
  (words[index] === "case" && words[index - 1] === "in") ||
  (/^(?:provided|providing|assuming|supposing)$/u.test(words[index] ?? "") &&
    /^(?:that|the|he|she|it|they|we|i|there)$/u.test(words[index + 1] ?? ""));

/** "Last year": a past event is not requested now. */
export const isFormer = ({ words }: Pick<AlignedRequest, "words">, index: number): boolean =>
  words[index] === "last" &&
  /^(?:year|month|week|night|time|summer|winter|spring|autumn)$/u.test(words[index + 1] ?? "");

/** "We'll", "she's": a pronoun and an auxiliary. */
const CONTRACTION = /^(?:i|you|we|he|she|it|they|there|that|who|what|let)'(?:ll|ve|re|d|m|s)$/u;

const SAYS_NOTHING: ReadonlySet<string> = new Set("do have get let need want give make put take".split(" "));

/** "The out folder": the noun for a name of the function's own. */
const isKindOfConstant = ({ words, families, concepts }: AlignedRequest, index: number): boolean => {
  const before = words[index - 1] ?? "";
  const isName = concepts.literals.has(before) && !DETERMINERS.has(before) && before !== "to";
  return (
    isName &&
    /^(?:file|folder|director|dir|document|page|list)/u.test(words[index] ?? "") &&
    GENERIC_THINGS.has(families[index] ?? "")
  );
};

/** "Another word", "one more quote": an additional one, which a function that makes or adds creates. */
function isOneMore({ words, families, concepts }: AlignedRequest, index: number): boolean {
  const isThing = [1, 2].some((step) => concepts.nouns.has(families[index + step] ?? ""));
  const isMore = words[index] === "another" || (words[index] === "more" && words[index - 1] === "one");
  return isMore && isThing && CREATING.some((kind) => concepts.kinds.has(kind));
}

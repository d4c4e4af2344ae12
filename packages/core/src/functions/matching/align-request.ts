import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { correctSpelling, isTypo, singleTypo } from "../../language/tokens/spelling.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { sensesOf } from "../word-senses/word-senses.ts";
import {
  BLOCKING_WORDS,
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  MEASURES,
  NEUTRAL,
  plainForm,
  PLAIN_VERBS,
} from "./families.ts";
import type { FunctionConcepts } from "./function-concepts.ts";
import type { ReadableRequest, Unit } from "./request-units.ts";
import type { AlignedRequest } from "./value-borders.ts";
import { capitalize } from "../../text/format.ts";

const aligned = new WeakMap<ReadableRequest, WeakMap<FunctionConcepts, AlignedRequest>>();

/**
 * The words of a request in this function's terms: typing errors are corrected, and two words that form one word of the
 * function are joined.
 */
export function alignRequest(request: ReadableRequest, concepts: FunctionConcepts): AlignedRequest {
  const ofRequest = aligned.get(request) ?? new WeakMap<FunctionConcepts, AlignedRequest>();
  const found = ofRequest.get(concepts) ?? align(request, concepts);
  aligned.set(request, ofRequest.set(concepts, found));
  return found;
}

/**
 * The lists are filled by `push`: what `map` returns has another internal form once it is optimized, and then the engine compiles all
 * the code that reads these lists again.
 */
function align(request: ReadableRequest, concepts: FunctionConcepts): AlignedRequest {
  const words: string[] = [];
  const families: string[] = [];
  for (const [index, { kind, text, isProper }] of request.units.entries()) {
    const word = kind !== "word" ? text : isProper ? capitalize(text) : correctedWord(text, concepts);
    words.push(word);
    families.push(kind === "word" ? familyAt(request.units, index, word, concepts) : "");
  }
  return { request, concepts, words, families };
}

function familyAt(units: readonly Unit[], index: number, word: string, concepts: FunctionConcepts): string {
  const family = familyOf(word.toLowerCase());
  if (concepts.nouns.has(family)) return family;
  return compoundAt(units, index, concepts) ?? joinedNouns(word, concepts).at(-1) ?? family;
}

/** Typing errors of words too short for the general rule, with the corrected words. */
const SHORT_TYPING_ERRORS: ReadonlyMap<string, string> = new Map([
  ["teh", "the"],
  ["hte", "the"],
  ["adn", "and"],
  ["nad", "and"],
  ["wiht", "with"],
  ["fo", "of"],
  ["ot", "to"],
]);

/** The word of the function: the given word, or the one of which it is a typing error. */
function correctedWord(written: string, { vocabulary, verbs, literals }: FunctionConcepts): string {
  const word = SHORT_TYPING_ERRORS.get(written) ?? written.replace(/'s$/u, "");
  const joined = [...verbs].find((verb) => word.startsWith(verb) && literals.has(word.slice(verb.length)));
  if (joined !== undefined) return joined;
  if (vocabulary.has(word) || NEUTRAL.has(word) || kindsOfVerb(word).size > 0 || BLOCKING_WORDS.has(word))
    return word;
  // "Standups" is not a typing error of "standup".
  if (word.endsWith("s") && vocabulary.has(word.slice(0, -1))) return word;
  const corrected = word.includes("-")
    ? correctHyphenation(word, vocabulary)
    : (correctSpelling(word, vocabulary, familyOf) ??
      expandAbbreviation(word, literals) ??
      correctMisspelling(word, literals));
  return corrected ?? correctedVerb(word) ?? word;
}

/** "Follow-up" for "folow-up": the letters next to the hyphen are a typing error. */
function correctHyphenation(word: string, vocabulary: ReadonlySet<string>): string | undefined {
  const letters = word.replaceAll("-", "");
  return [...vocabulary].find((one) => one.includes("-") && isTypo(letters, one.replaceAll("-", "")));
}

/** Letters of a short form: "wk", "appt", "resrv". */
const MAX_LETTERS_OF_ABBREVIATION = 5;
/** The minimum difference in length between a short form and its word. */
const LONGER = 1.5;

/** The function's word for a short form without vowels: "wk" for "week", "pw" for "password". */
function expandAbbreviation(word: string, literals: ReadonlySet<string>): string | undefined {
  if (word.length < 2 || word.length > MAX_LETTERS_OF_ABBREVIATION || !/^[b-df-hj-np-tv-z]+$/u.test(word))
    return undefined;
  if (MEASURES.has(word) || DETERMINERS.has(word)) return undefined;
  const found = [...literals].filter(
    (literal) => literal.length >= LONGER * word.length && isShortFor(word, literal),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The function's word for one that is not a word: "lgo" for "log", "opn" for "open", "dayly" for "daily". */
function correctMisspelling(word: string, literals: ReadonlySet<string>): string | undefined {
  if (!/^\p{Ll}{3,}$/u.test(word)) return undefined;
  const found = [...literals].filter((literal) => isMisspelling(word, literal));
  return found.length === 1 && !isKnownWord(word) ? found[0] : undefined;
}

/** Two letters in the wrong order, a letter left out, or one vowel for another. */
function isMisspelling(word: string, literal: string): boolean {
  if (word[0] !== literal[0] || literal.length < 3) return false;
  switch (singleTypo(word, literal)) {
    case "transposed":
      return true;
    case "missing":
      return word.length >= 3;
    case "replaced":
      return literal.length >= 5 && word.replace(VOWELS, "") === literal.replace(VOWELS, "");
    default:
      return false;
  }
}

const VOWELS = /[aeiouy]/gu;

/** A noun, or a form of a verb that some function may have. */
const isKnownWord = (word: string): boolean =>
  sensesOf(word) !== undefined ||
  kindsOfVerb(plainForm(word)).size > 0 ||
  plainOfPast(word) !== undefined ||
  FUNCTION_WORDS.has(word);

/** The same first letter, and the other letters in their order. */
function isShortFor(short: string, word: string): boolean {
  if (short[0] !== word[0]) return false;
  let index = 0;
  for (const letter of word) if (letter === short[index]) index += 1;
  return index === short.length;
}

/** The number of words whose corrections are kept; one request is matched with several functions, one after the other. */
const MAX_CORRECTED = 500;
const correctedVerbs = new Map<string, string | undefined>();

/** The plain verb of which a word is a typing error, for any function. */
function correctedVerb(word: string): string | undefined {
  if (correctedVerbs.has(word)) return correctedVerbs.get(word);
  if (correctedVerbs.size >= MAX_CORRECTED) correctedVerbs.clear();
  const verb = correctSpelling(word, PLAIN_VERBS, (one) => one);
  correctedVerbs.set(word, verb);
  return verb;
}

/** "Wishlist": two nouns of the templates that the request writes as one; none for any other word. */
export function joinedNouns(word: string, { nouns, literals }: FunctionConcepts): readonly string[] {
  if (word.length < 2 * MIN_JOINED_LETTERS || literals.has(word)) return [];
  const first = [...literals].find(
    (literal) =>
      literal.length >= MIN_JOINED_LETTERS &&
      word.length >= literal.length + MIN_JOINED_LETTERS &&
      word.startsWith(literal) &&
      literals.has(word.slice(literal.length)),
  );
  const parts = first === undefined ? [] : [first, word.slice(first.length)].map(familyOf);
  return parts.every((part) => nouns.has(part)) ? parts : [];
}

/** Letters of a noun that is written together with another one. */
const MIN_JOINED_LETTERS = 3;

const compounds = new WeakMap<readonly Unit[], readonly (readonly string[])[]>();

/** For each word, the families of the compounds with the next word. Read once for all functions. */
function compoundsOf(units: readonly Unit[]): readonly (readonly string[])[] {
  const found =
    compounds.get(units) ??
    units.map((one, index) => {
      const two = units[index + 1];
      // "Wind S" is not a plural.
      return one.kind === "word" && two?.kind === "word" && two.text.length > 1
        ? [familyOf(`${one.text}${two.text}`), familyOf(`${one.text}-${two.text}`)]
        : [];
    });
  compounds.set(units, found);
  return found;
}

/** "Scratch pad" is the scratchpad, "follow up" the follow-up. */
function compoundAt(units: readonly Unit[], index: number, { nouns }: FunctionConcepts): string | undefined {
  const families = compoundsOf(units);
  return [...(families[index] ?? []), ...(families[index - 1] ?? [])].find((family) => nouns.has(family));
}

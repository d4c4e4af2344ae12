import { commonKind, isKindOf, isSingular, sensesOf } from "../word-senses/word-senses.ts";
import { DETERMINERS, PREPOSITIONS } from "./families.ts";
import type { Slot } from "./function-concepts.ts";

/**
 * What a value is beside those that a parameter had before: of the kind that the parameter is called or had ("heron" for a
 * bird), of another kind, or of a kind that cannot be told.
 */
export type ValueKind = "own" | "other" | "unknown";

/** How special the common kind of two nouns must be for them to be of one kind; 1 for the most special. */
const ONE_KIND = 0.6;
/** Two nouns whose common kind is less special are of different kinds: a film and a kingfisher (0.1). */
const DIFFERENT_KINDS = 0.3;
/** Where the name of a parameter tells no kind, only a meeting among umbrellas, or money among capes, is of another one. */
const DIFFERENT_KINDS_OF_ANYTHING = 0.12;

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u));

/** Names of parameters that tell no kind of value. */
const NO_KIND = namesIn(
  `item thing text what name title note value entry content word message who topic subject reason purpose finding description
  detail details comment line task file folder path`,
);
/** Names of parameters for people and places, which have proper names of all kinds. */
const PEOPLE_AND_PLACES = namesIn(
  "place location city town room person customer client guest member colleague friend",
);
/** Names of parameters for sentences. */
const SENTENCES = namesIn(
  "problem meaning finding entry text note message reason content description title task line",
);
/** Names of things and people seldom have more words. */
const MAX_WORDS_OF_NAME = 3;

/** What a common noun may be where proper names stood. */
const KINDS_OF_NAMES = ["person", "organization", "location", "building", "area"];

/** The name of the parameter does not tell what kind of value it takes. */
export const takesAnything = ({ name }: Slot): boolean =>
  NO_KIND.has(name.toLowerCase()) || PEOPLE_AND_PLACES.has(name.toLowerCase());

const knownKinds = new WeakMap<Slot, Map<string, ValueKind>>();
/** Limit of the cache of one parameter. */
const MAX_KNOWN = 200;

/** The kind of a value for one parameter; `words` are in small letters. */
export function kindOfValue(slot: Slot, words: readonly string[]): ValueKind {
  const head = headOf(words);
  const ofSlot = knownKinds.get(slot) ?? new Map<string, ValueKind>();
  if (ofSlot.size >= MAX_KNOWN) ofSlot.clear();
  const found = ofSlot.get(head) ?? compare(slot, head);
  knownKinds.set(slot, ofSlot.set(head, found));
  return found;
}

function compare(slot: Slot, head: string): ValueKind {
  if (sensesOf(head) === undefined || !namesThings(slot)) return "unknown";
  const names = slot.name
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter((word) => word.length > 1 && !NO_KIND.has(word));
  if (names.some((name) => isKindOf(head, name) === true)) return "own";
  // "Nils" is no plural.
  if (slot.isProper && !isSingular(head)) return "unknown";
  if (slot.isProper)
    return KINDS_OF_NAMES.some((kind) => isKindOf(head, kind) === true) ? "unknown" : "other";
  // "The score of Nabucco" says of a parameter that is called score nothing but its name.
  const known = slot.values.map((value) => headOf(wordsIn(value))).filter((one) => !names.includes(one));
  const shared = known.flatMap((one) => (one === head ? 1 : (commonKind(head, one) ?? [])));
  if (shared.length === 0) return "unknown";
  const most = Math.max(...shared);
  if (most >= ONE_KIND) return "own";
  const isKindKnown = known.some((one) => names.some((name) => isKindOf(one, name) === true));
  return most < (isKindKnown ? DIFFERENT_KINDS : DIFFERENT_KINDS_OF_ANYTHING) ? "other" : "unknown";
}

/** The values it had before are names of things or people, and no sentences: "lemon sponge", and not "never eats nuts". */
const namesThings = ({ values, name }: Slot): boolean =>
  !SENTENCES.has(name) &&
  values.every(
    (value) => wordsIn(value).filter((word) => !DETERMINERS.has(word)).length <= MAX_WORDS_OF_NAME,
  );

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}'-]+/gu) ?? [];

/** The noun that a value is called by: "jar" of "the jar of jam", "cake" of "lemon cake". */
function headOf(words: readonly string[]): string {
  const end = words.findIndex((word, at) => at > 0 && (PREPOSITIONS.has(word) || ENDS_NAME.test(word)));
  const name = (end < 0 ? words : words.slice(0, end)).filter((word) => !DETERMINERS.has(word));
  return name.at(-1) ?? "";
}

const ENDS_NAME = /^(?:for|to|with|on|and|or|that|who|which|,)$/u;

import { commonKind, isKindOf, isSingular, sensesOf } from "../word-senses/word-senses.ts";
import { DETERMINERS, PREPOSITIONS, wordSet } from "./families.ts";
import type { Slot } from "./function-concepts.ts";

/**
 * The relation of a value to the earlier values of a parameter: of the kind of the parameter's name or values ("heron"
 * for a bird), of another kind, or of an unknown kind.
 */
export type ValueKind = "own" | "other" | "unknown";

/** The minimum specificity of the common kind of two nouns of one kind; 1 for the most specific. */
const ONE_KIND = 0.6;
/** Two nouns with a less specific common kind are of different kinds: a film and a kingfisher (0.1). */
const DIFFERENT_KINDS = 0.3;
/**
 * If the name of a parameter shows no kind, only very different values are of another one: a meeting among umbrellas,
 * money among capes.
 */
const DIFFERENT_KINDS_OF_ANYTHING = 0.12;

/** Names of parameters that show no kind of value. */
const NO_KIND = wordSet(
  `item thing text what name title note value entry content word message who topic subject reason purpose finding description
  detail details comment line task file folder path`,
);
/** Names of parameters for people and places, whose proper names are of all kinds. */
const PEOPLE_AND_PLACES = wordSet(
  "place location city town room person customer client guest member colleague friend",
);
/** Names of parameters for sentences. */
const SENTENCES = wordSet(
  "problem meaning finding entry text note message reason content description title task line",
);
/** Names of things and people rarely have more words. */
const MAX_WORDS_OF_NAME = 3;

/** The possible kinds of a common noun among proper names. */
const KINDS_OF_NAMES = ["person", "organization", "location", "building", "area"];

/** True if the name of the parameter does not tell what kind of value it takes. */
export const acceptsAnyKind = ({ name }: Slot): boolean =>
  NO_KIND.has(name.toLowerCase()) || PEOPLE_AND_PLACES.has(name.toLowerCase());

const knownKinds = new WeakMap<Slot, Map<string, ValueKind>>();
/** The maximum size of the cache of one parameter. */
const MAX_KNOWN = 200;

/** The kind of a value for one parameter; `words` are in lower case. */
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
  const names = kindsNamedBy(slot);
  if (names.some((name) => isKindOf(head, name) === true)) return "own";
  // "Nils" is not a plural.
  if (slot.isProper && !isSingular(head)) return "unknown";
  if (slot.isProper)
    return KINDS_OF_NAMES.some((kind) => isKindOf(head, kind) === true) ? "unknown" : "other";
  // "The score of Nabucco" repeats the name of a parameter "score" and shows no other kind.
  const known = slot.values.map((value) => headOf(wordsIn(value))).filter((one) => !names.includes(one));
  const shared = known.flatMap((one) => (one === head ? 1 : (commonKind(head, one) ?? [])));
  if (shared.length === 0) return "unknown";
  const most = Math.max(...shared);
  if (most >= ONE_KIND) return "own";
  const isKindKnown = known.some((one) => names.some((name) => isKindOf(one, name) === true));
  return most < (isKindKnown ? DIFFERENT_KINDS : DIFFERENT_KINDS_OF_ANYTHING) ? "other" : "unknown";
}

/** The words in the name of a parameter that may name a kind of value. */
const kindsNamedBy = ({ name }: Slot): string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter((word) => word.length > 1 && !NO_KIND.has(word));

/** True if the name of the parameter is the kind of its earlier values: a kitchen is a room. */
export const showsKind = (slot: Slot): boolean =>
  slot.values.some((value) =>
    kindsNamedBy(slot).some((name) => isKindOf(headOf(wordsIn(value)), name) === true),
  );

/**
 * True if its earlier values are names of things or people, not sentences: "lemon sponge", and not "never eats nuts".
 */
const namesThings = ({ values, name }: Slot): boolean =>
  !SENTENCES.has(name) &&
  values.every(
    (value) => wordsIn(value).filter((word) => !DETERMINERS.has(word)).length <= MAX_WORDS_OF_NAME,
  );

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}'-]+/gu) ?? [];

/** The head noun of a value: "jar" of "the jar of jam", "cake" of "lemon cake". */
function headOf(words: readonly string[]): string {
  const end = words.findIndex((word, index) => index > 0 && (PREPOSITIONS.has(word) || ENDS_NAME.test(word)));
  const name = (end < 0 ? words : words.slice(0, end)).filter((word) => !DETERMINERS.has(word));
  return name.at(-1) ?? "";
}

const ENDS_NAME = /^(?:for|to|with|on|and|or|that|who|which|,)$/u;

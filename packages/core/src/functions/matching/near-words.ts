import { synonymsOf } from "../../memory/index/synonyms.ts";
import { stemOf } from "../../text/words.ts";
import {
  BLOCKING_WORDS,
  DESCRIBING,
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  NEUTRAL,
  PREPOSITIONS,
  PRONOUNS,
} from "./families.ts";
import type { FunctionConcepts } from "./function-concepts.ts";
import type { AlignedRequest } from "./value-borders.ts";

/**
 * Everyday verbs for the same action, and the nouns of these actions, one group per line. Verbs that the skills know
 * are in the families; these are the verbs that functions add.
 */
const VERB_SYNONYMS = `
  swap exchange trade
  hire rent lease
  saw spotted noticed observed sighted
  sighting observation
  rehearsal practice
  rehearse practise practice
  expect await anticipate
  inspect examine
  inspection examination checkup
  harvest pick gather
  harvested picked gathered
  sow plant
  sowed sown planted
  prune trim
  pruned trimmed
  wash clean
  washed cleaned
  mended repaired fixed
  mend repair fix
  ran jogged
  bought purchased
  phoned called rang
  fed nourished
  donate contribute
  donated contributed
  attend join
  attended joined
`;

/** Words that are synonyms in a search, but different in an order. */
const OPPOSITES = `
  lend borrow
  lent borrowed
  lend borrowed
  lent borrow
  loan borrow
  loan borrowed
  wife husband
  salary job
  teacher tutor
`;

const linesOf = (table: string): string[][] =>
  table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" "));

const verbSynonyms: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const found = new Map<string, Set<string>>();
  for (const group of linesOf(VERB_SYNONYMS))
    for (const word of group) {
      const others = found.get(word) ?? new Set();
      for (const other of group) if (other !== word) others.add(other);
      found.set(word, others);
    }
  return found;
})();

const opposites: ReadonlySet<string> = new Set(
  linesOf(OPPOSITES).flatMap(([one = "", other = ""]) => [
    `${stemOf(one)} ${stemOf(other)}`,
    `${stemOf(other)} ${stemOf(one)}`,
  ]),
);

/** The minimum weight of a synonym: below it, a general word replaces a specific one, "pet" for "dog". */
const SAME = 0.7;

/** The request with the words of the function in place of near synonyms; undefined without one. */
export function alignNearWords(aligned: AlignedRequest): AlignedRequest | undefined {
  const { request, concepts, families } = aligned;
  const near = request.units.map(({ kind, isProper, isHarmless }, index) =>
    kind === "word" && !isProper && !isHarmless
      ? (finiteForm(aligned, index) ??
        (concepts.nouns.has(families[index] ?? "")
          ? undefined
          : nearWord(aligned.words[index] ?? "", concepts)))
      : undefined,
  );
  if (near.every((word) => word === undefined)) return undefined;
  return {
    ...aligned,
    words: aligned.words.map((word, index) => near[index] ?? word),
    families: families.map((family, index) => {
      const word = near[index];
      return word === undefined ? family : familyOf(word);
    }),
  };
}

/**
 * The function's word with nearly the meaning of an unknown word: "parcel" for "package". Enough to offer the function,
 * not enough to be certain. Undefined for words with a meaning of their own in requests.
 */
export function nearWord(
  word: string,
  { literals, nouns, verbs, isRecord }: FunctionConcepts,
): string | undefined {
  if (word.length < 3 || literals.has(word) || hasOwnMeaning(word)) return undefined;
  const stem = stemOf(word);
  const same = new Set(synonymsOf(stem).flatMap((one) => (one.weight >= SAME ? [one.stem] : [])));
  const asked = verbSynonyms.get(word) ?? verbSynonyms.get(singular(word));
  if (same.size === 0 && asked === undefined) return undefined;
  return [...literals].find((literal) => {
    if (hasOwnMeaning(literal) && !verbs.has(literal)) return false;
    // "Parcels" does not match the one parcel of the function.
    if (/[^s]s$/u.test(word) !== /[^s]s$/u.test(literal)) return false;
    // Something that was rented out is not to be hired out.
    if (word.endsWith("ed") && !literal.endsWith("ed") && !isRecord) return false;
    const isSame = asked?.has(literal) === true || asked?.has(singular(literal)) === true;
    const other = stemOf(literal);
    return isSame || (same.has(other) && !opposites.has(`${stem} ${other}`) && nouns.size + verbs.size > 0);
  });
}

/** "Is hiring", where the templates say "hires". */
function finiteForm({ words, concepts: { literals } }: AlignedRequest, index: number): string | undefined {
  const word = words[index] ?? "";
  if (!word.endsWith("ing") || !/^(?:is|are|am)$/u.test(words[index - 1] ?? "")) return undefined;
  return [...literals].find((literal) => /[^s]s$/u.test(literal) && stemOf(literal) === stemOf(word));
}

const singular = (word: string): string => (/[^s]s$/u.test(word) ? word.slice(0, -1) : word);

const hasOwnMeaning = (word: string): boolean =>
  NEUTRAL.has(word) ||
  BLOCKING_WORDS.has(word) ||
  DETERMINERS.has(word) ||
  PREPOSITIONS.has(word) ||
  PRONOUNS.has(word) ||
  DESCRIBING.has(word) ||
  kindsOfVerb(word).size > 0;

import { stemmer } from "stemmer";
import { plainWords } from "../../text/words.ts";

/** Articles and possessives. They may precede any word or slot of a phrase. */
export const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the", "my", "our", "some"]);

/** Source of a pattern for verbs with "not" at their end, also without an apostrophe: "isn't", "hasnt". "Rent" and "plant" are not among them. */
export const CONTRACTED_NOT = String.raw`(?:n['’]t\b|\b(?:is|are|was|were|has|have|had|do|does|did|ca|could|wo|would|should|must|need|ai)nt\b)`;

/** Function words: they have no content, so no name is derived from them. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the my our your his her its their some any no not none all every each both another other such " +
    "i me you he she it we us they them this that these those here there who whom whose which what where when why how " +
    "am is are was were be been being do does did done have has had will would shall should can could may might must " +
    "and or but nor so then if else because while until unless than as of in on at by for with from to into onto " +
    "about over under after before between without within up down off only also just please too very really " +
    "one ones something anything nothing everything someone anyone nobody never always again now"
  ).split(" "),
);

/** Normalizes a word: composed, lower case, straight apostrophes. */
export function normalize(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’ʼ＇]/gu, "'");
}

/** Limit of the stem cache; people use the same few words repeatedly. */
const MAX_STEMS = 5_000;
const stems = new Map<string, string>();

export function stem(word: string): string {
  const cached = stems.get(word);
  if (cached !== undefined) return cached;
  if (!/^[a-z]{1,40}$/.test(word)) return word;
  const found = stemmer(word);
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(word, found);
  return found;
}

/** The words of a list that is written as one text, with a blank between two words. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** The stems of the words of such a list. */
export const stemSet = (words: string): ReadonlySet<string> => new Set(words.split(" ").map(stem));

/** The words of a text that have content, without possessive endings: "Ann's red bike" has "ann", "red" and "bike". */
export const contentWords = (text: string): string[] =>
  plainWords(text.replaceAll(/['’]s?\b/gu, "")).filter((word) => !FUNCTION_WORDS.has(word));

/** The stems of the content words of a text, each once. */
export const contentStems = (text: string): string[] => [...new Set(contentWords(text).map(stem))];

/** Returns how a word is inflected: "delete" is plain, "deleted" and "deleting" are not. */
export function inflection(word: string): "past" | "continuous" | "plain" {
  if (word.length > 4 && word.endsWith("ed") && !word.endsWith("eed")) return "past";
  return word.length > 4 && word.endsWith("ing") ? "continuous" : "plain";
}

/**
 * True for words that differ only in number or person: "file" and "files", "contain" and "contains". Function words have no
 * such forms: "Ines" is not a plural of "in".
 */
export function sameWord(one: string, other: string): boolean {
  if (one === other) return true;
  if (FUNCTION_WORDS.has(one) || FUNCTION_WORDS.has(other)) return false;
  return inflection(one) === inflection(other) && stem(one) === stem(other);
}

/**
 * Synonyms that are valid in every phrase. "write" and "create" are not, because "write hello to x.md" does not mean
 * "create hello". A phrase lists its own alternatives otherwise.
 */
const GROUPS: readonly (readonly string[])[] = [
  ["create", "make"],
  ["delete", "remove", "erase", "trash", "del"],
  ["show", "display"],
  ["open", "view"],
  ["find", "locate"],
  ["list", "ls"],
  ["file", "document", "doc"],
  ["folder", "directory", "dir"],
  ["task", "todo"],
  ["called", "named", "titled"],
  ["contents", "content"],
  ["to", "into"],
  ["all", "every"],
  ["memory", "memories"],
];

const GROUP_OF: ReadonlyMap<string, readonly string[]> = new Map(
  GROUPS.flatMap((group) => group.map((word): [string, readonly string[]] => [word, group])),
);

const groupOf = (word: string): readonly string[] | undefined =>
  GROUP_OF.get(word) ?? GROUP_OF.get(word.replace(/s$/, ""));

/** Returns a word and all its synonyms. */
export function synonymsOf(word: string): readonly string[] {
  return [...new Set([word, ...(groupOf(word) ?? [])])];
}

/** Returns one canonical word per group of synonyms; a word without synonyms is its own. */
export function canonicalWord(word: string): string {
  return groupOf(word)?.[0] ?? word;
}

import { stemmer } from "stemmer";

/** No word anybody searches for is longer; what is longer is a key or encoded data, known by its start. */
const LONGEST_WORD = 64;

/** Accents and vowel points that people leave out when they type: Latin, Hebrew, Arabic. */
const OPTIONAL_MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/gu;
const CAMEL_BORDER = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const POSSESSIVE = /['’ʼ]s(?![\p{L}\p{N}])/gu;
const INNER_APOSTROPHE = /(?<=\p{L})['’ʼ](?=\p{L})/gu;
const WORD = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}|\p{RI}\p{RI}/gu;
/** Scripts written without spaces, where a pair of characters comes nearest to a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HAS_UPPER_INSIDE = /[\p{L}\p{N}]\p{Lu}/u;
const BEYOND_LATIN = /[\u0250-\u{10ffff}]/u;

/**
 * The words of a text as search sees them, in order and with repetitions: composed, lower case, without accents;
 * `camelCase` as its parts (a name of two parts also whole: GitHub), unspaced scripts as pairs of characters, an emoji
 * as itself. The same text always gives the same words.
 */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(OPTIONAL_MARKS, "")
    .normalize("NFC")
    .replace(POSSESSIVE, "")
    .replace(INNER_APOSTROPHE, "");
  const words: string[] = [];
  for (const [run] of plain.matchAll(WORD)) {
    if (HAS_UPPER_INSIDE.test(run)) pushCamelCase(run, words);
    else if (BEYOND_LATIN.test(run)) pushUnspaced(run.toLowerCase(), words);
    else words.push(run.toLowerCase().slice(0, LONGEST_WORD));
  }
  return words;
}

/** The words that say what a text is about: all but stop words. */
export function contentWords(text: string): string[] {
  return wordsOf(text).filter((word) => !STOP_WORDS.has(word));
}

function pushCamelCase(run: string, words: string[]): void {
  const parts = run.slice(0, 4 * LONGEST_WORD).split(CAMEL_BORDER);
  for (const part of parts) pushUnspaced(part.toLowerCase(), words);
  if (parts.length === 2) words.push(run.toLowerCase().slice(0, LONGEST_WORD));
}

function pushUnspaced(run: string, words: string[]): void {
  let end = 0;
  for (const { 0: unspaced, index } of run.matchAll(UNSPACED)) {
    if (index > end) words.push(run.slice(end, index).slice(0, LONGEST_WORD));
    const characters = Array.from(unspaced);
    if (characters.length === 1) words.push(unspaced);
    for (let at = 1; at < characters.length; at += 1) words.push(`${characters[at - 1]}${characters[at]}`);
    end = index + unspaced.length;
  }
  if (end < run.length) words.push(run.slice(end).slice(0, LONGEST_WORD));
}

/**
 * English words that say nothing about what a text is about. Left out of the index and of queries; other languages'
 * common words are weighed down by how many records hold them.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the of to in on at by for from with as is are was were be been being am do does did done have has had having " +
    "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs this that these those " +
    "and or but nor if then else so not no can could would will shall should may might must cannot dont doesnt didnt isnt " +
    "arent wasnt werent wont cant im ive youre whats what which who whom whose where when why how there here about into " +
    "onto over under up down out off again please just also very too than such only own same some any each all both more most " +
    "other upon per via still yet already ever"
  ).split(" "),
);

/** How many stems are remembered: texts repeat their words. */
const REMEMBERED = 16_384;
const stems = new Map<string, string>();

/** The word without its English ending (Porter 1980); any other word as it is. Expects what `wordsOf` gives. */
export function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
  if (stems.size >= REMEMBERED) stems.clear();
  stems.set(word, stem);
  return stem;
}

/** Beyond these, a word counts once: a book must not outweigh a sentence, and is still found by any word in it. */
const COUNTED_WORDS = 4_000;

/** The words an entry is found by. */
export function indexedWords(text: string): string[] {
  const words = contentWords(text);
  if (words.length <= COUNTED_WORDS) return words;
  const counted = words.slice(0, COUNTED_WORDS);
  const known = new Set(counted);
  const others = new Set(words.slice(COUNTED_WORDS).filter((word) => !known.has(word)));
  return [...counted, ...others];
}

import { stemmer } from "stemmer";

/** The maximum length of a word. Longer runs are keys or encoded data and are cut. */
const MAX_WORD_LENGTH = 64;

/** Accents and vowel points that people omit when they type: Latin, Hebrew, Arabic. */
const OPTIONAL_MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/gu;
const CAMEL_CASE_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const POSSESSIVE = /['’ʼ]s(?![\p{L}\p{N}])/gu;
const INNER_APOSTROPHE = /(?<=\p{L})['’ʼ](?=\p{L})/gu;
const WORD = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}|\p{RI}\p{RI}/gu;
/** Scripts without spaces, where pairs of characters serve as words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HAS_UPPER_INSIDE = /[\p{L}\p{N}]\p{Lu}/u;
const BEYOND_LATIN = /[\u0250-\u{10ffff}]/u;

/** The text without accents and other marks on its letters: "Café" becomes "Cafe". Splits ligatures: "ﬁ" becomes "fi". */
export function withoutAccents(text: string): string {
  return /\P{ASCII}/u.test(text) ? text.normalize("NFKD").replaceAll(/\p{M}/gu, "") : text;
}

/**
 * The terms of a text for full-text search, in order and with repetitions: composed, lower case, without accents. Splits `camelCase`
 * (a name of two parts is also kept whole: GitHub) and unspaced scripts into pairs of characters; keeps emoji.
 * Deterministic.
 */
export function searchTerms(text: string): string[] {
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
    else words.push(run.toLowerCase().slice(0, MAX_WORD_LENGTH));
  }
  return words;
}

/** The words of a text for comparison: runs of letters, their marks and digits, composed and in lower case. */
export function plainWords(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** The words of a text with one space between them, in lower case, without punctuation. */
export const bareWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** `plainWords` with a space before and after each, so that `includes` compares whole words. */
export const spacedWords = (text: string): string => ` ${plainWords(text).join(" ")} `;

/** Normalizes a text for comparisons that ignore case. */
export const foldText = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The words of a text without stop words. */
export function contentWords(text: string): string[] {
  return searchTerms(text).filter((word) => !STOP_WORDS.has(word));
}

/** The stems of a text's words without stop words. Two texts are about the same things if they share many. */
export function contentStems(text: string): Set<string> {
  return new Set(contentWords(text).map(stemOf));
}

function pushCamelCase(run: string, words: string[]): void {
  const parts = run.slice(0, 4 * MAX_WORD_LENGTH).split(CAMEL_CASE_BOUNDARY);
  for (const part of parts) pushUnspaced(part.toLowerCase(), words);
  if (parts.length === 2) words.push(run.toLowerCase().slice(0, MAX_WORD_LENGTH));
}

function pushUnspaced(run: string, words: string[]): void {
  let end = 0;
  for (const { 0: unspaced, index } of run.matchAll(UNSPACED)) {
    if (index > end) words.push(run.slice(end, index).slice(0, MAX_WORD_LENGTH));
    const characters = Array.from(unspaced);
    if (characters.length === 1) words.push(unspaced);
    for (let index = 1; index < characters.length; index += 1)
      words.push(`${characters[index - 1]}${characters[index]}`);
    end = index + unspaced.length;
  }
  if (end < run.length) words.push(run.slice(end).slice(0, MAX_WORD_LENGTH));
}

/**
 * English stop words. The index and queries omit them; common words of other languages get a low weight from their
 * document frequency.
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

/**
 * The maximum number of recently used words with cached stems, and of those before them. To stem the words of 5 000 memories
 * takes 11 ms of processor time with the cache, 54 ms without (2026-11-27).
 */
const STEM_CACHE_SIZE = 16_384;
let stems = new Map<string, string>();
let earlierStems = new Map<string, string>();

/** The Porter stem (1980) of an English word; other words unchanged. Expects words from `searchTerms`. */
export function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = earlierStems.get(word) ?? (/^[a-z]{3,}$/.test(word) ? stemmer(word) : word);
  if (stems.size >= STEM_CACHE_SIZE) {
    earlierStems = stems;
    stems = new Map();
  }
  stems.set(word, stem);
  return stem;
}

/** The number of words with full frequency; later ones count once, so that a book does not outweigh a sentence. */
const MAX_COUNTED_WORDS = 4_000;

/** The words to index for a text. */
export function indexedWords(text: string): string[] {
  return wordsToIndex(contentWords(text));
}

/** The words to index of all words of a text without stop words. */
export function wordsToIndex(words: string[]): string[] {
  if (words.length <= MAX_COUNTED_WORDS) return words;
  const counted = words.slice(0, MAX_COUNTED_WORDS);
  const known = new Set(counted);
  const others = new Set(words.slice(MAX_COUNTED_WORDS).filter((word) => !known.has(word)));
  return [...counted, ...others];
}

/** Returns the text without the matching characters at its end. Linear, unlike a pattern that ends in `+$`. */
export function withoutTrailing(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A full stop after these words ends no sentence. */
const ABBREVIATED = /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|no|vs|approx|incl|etc|e\.g|i\.e|\p{L})\.$/iu;

/** Including what precedes it, in characters. */
const MAX_ABBREVIATION = 8;

/** The sentences of a text: each begins with a capital letter after a full stop, a question mark or an exclamation mark. */
export function sentencesIn(text: string): string[] {
  const found: string[] = [];
  for (const part of text.trim().split(/(?<=[.!?])\s+(?=\p{Lu})/u)) {
    const before = found.at(-1);
    if (before !== undefined && ABBREVIATED.test(before.slice(-MAX_ABBREVIATION)))
      found[found.length - 1] = `${before} ${part}`;
    else found.push(part);
  }
  return found;
}

const PATH_PARTS = /(?<=[\p{L}\p{N}])\.\p{L}{1,5}(?!\p{L})|(?<![\p{L}\p{N}])(?:out|inbox)\//giu;

/** A text without the endings of its files and the names of roots, which do not tell what it is about. */
export const withoutPathParts = (text: string): string => text.replaceAll(PATH_PARTS, " ");

/** A text as a part of a regular expression that matches exactly this text. */
export const escapeRegExp = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

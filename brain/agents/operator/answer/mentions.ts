import { oneOf } from "@metahuman/core/text/patterns";

const FILE_EXTENSIONS = oneOf(
  "md|txt|json|csv|ya?ml|log|html?|xml|pdf|docx?|xlsx?|pptx?|odt|png|jpe?g|gif|svg|webp|ts|tsx|js|py|sh",
  "sql|zip|tar|gz|toml|ini|rtf|eml|ics|mp3|mp4",
);
/** A path, or a name with the ending of a document. */
export const FILE = new RegExp(
  String.raw`(?<![\p{L}\p{N}@:/])(?:(?:out|inbox)\/[\p{L}\p{N}_./-]{0,200}[\p{L}\p{N}_]|(?:[\p{L}\p{N}_.-]{1,200}\/){0,9}[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,200}\.${FILE_EXTENSIONS})(?![\p{L}\p{N}/])`,
  "giu",
);

/** Libraries that are named like files. */
const LIBRARY = /^(?:node|vue|next|nuxt|three|d3|react|express|deno|chart|moment|ember|backbone)\.js$/iu;

export const ADDRESS = /\bhttps?:\/\/[^\s)\]>]+|(?<![\w.])www\.[^\s)\]>]+/gu;

export const CITATION = /\[\d{1,3}(?:\s*,\s*\d{1,3})*\](?!\()/gu;

export const QUOTE = new RegExp(
  [
    String.raw`"([^"\n]{2,200})"|“([^”\n]{2,200})”|„([^“”"\n]{2,200})[“”"]|«\s?([^»\n]{2,200}?)\s?»`,
    String.raw`»([^«\n]{2,200})«|‘([^’\n]{3,200})’(?!\p{L})`,
  ].join("|"),
  "gu",
);

export const blank = (text: string): string => " ".repeat(text.length);

export const filesIn = (text: string): string[] =>
  [...new Set([...text.replaceAll(ADDRESS, blank).matchAll(FILE)].map(([file]) => file))].filter(
    (file) => !LIBRARY.test(file),
  );

export const quotesIn = (text: string): string[] =>
  [...text.matchAll(QUOTE)].map((match) => (match.slice(1).find((part) => part) ?? "").trim());

const STOP_WORDS = new Set(
  "the and for are was were has have had this that these those with from into your you not all one two three four five than then them they their there here what which when also only still just very more most other some any its our out now der die das und ist sind ein eine einen einem einer den dem des mit von für auf aus bei nach auch nur noch nicht sich dein deine deinen deiner ich habe wurde les des une est sont dans pour avec sur par pas plus aussi ton tes vous los las una del con por para que está están hay sus".split(
    " ",
  ),
);

export const contentWords = (text: string): string[] =>
  significantWords(text.replaceAll(CITATION, blank)).filter(
    (word) => !STOP_WORDS.has(word) && !/^\d+$/u.test(word),
  );

export const withoutNames = (text: string): string => text.replaceAll(FILE, blank);

/** A word without its ending, so that "metre" equals "metres". */
export const stem = (word: string): string => (word.length > 5 ? word.slice(0, 5) : word);

/** The characters between words of European languages; much faster than Unicode properties. */
const NO_WORD = /[^a-z0-9ß-öø-ɏͰ-ϿЀ-ӿ]+/;

export const significantWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(NO_WORD)
    .filter((word) => word.length > 2);

/** `compute` with its last result, because every number of a sentence asks the same about the sentence. */
export function rememberLast<T>(compute: (sentence: string) => T): (sentence: string) => T {
  let last: { sentence: string; result: T } | undefined;
  return (sentence) => {
    if (last?.sentence !== sentence) last = { sentence, result: compute(sentence) };
    return last.result;
  };
}

const lastTests = new WeakMap<RegExp, (sentence: string) => boolean>();

/** True when the sentence contains the pattern, which must not be global. */
export function isMentioned(pattern: RegExp, sentence: string): boolean {
  let test = lastTests.get(pattern);
  if (test === undefined) lastTests.set(pattern, (test = rememberLast((text) => pattern.test(text))));
  return test(sentence);
}

/** The last words before a position, at most sixty characters. */
export const wordsBefore = (sentence: string, index: number): string =>
  sentence.slice(Math.max(0, index - 60), index);

/** A number that may count the parts of a request: "1 buy tape 2 call Per 3) a file". */
const PART_NUMBER = /(?<![\p{L}\p{N}.,:/-])(\d{1,2})(?=[.):]?\s+\p{L})/gu;

/** The minimum number of numbered parts. */
const MIN_PARTS = 3;

/** A request without the numbers 1, 2, 3… of its parts, which count nothing. */
export function withoutNumbering(request: string): string {
  const parts: { index: number; length: number }[] = [];
  for (const { 0: number, index } of request.matchAll(PART_NUMBER))
    if (Number(number) === parts.length + 1) parts.push({ index, length: number.length });
  if (parts.length < MIN_PARTS) return request;
  return parts.reduce(
    (text, { index, length }) => text.slice(0, index) + " ".repeat(length) + text.slice(index + length),
    request,
  );
}

/** Blanks out numbers in groups of digits (telephone, account) that the evidence groups in another way. */
export const withoutKnownDigits = (text: string, { digits }: { readonly digits: string }): string =>
  text.replaceAll(GROUPED_DIGITS, (number) =>
    digits.includes(number.replaceAll(/\D/gu, "")) ? blank(number) : number,
  );

const GROUPED_DIGITS = /(?<![\p{L}\d.,])\+?\(?\d{2,}[\d ()/-]{5,}\d(?![\d.,]\d)/gu;

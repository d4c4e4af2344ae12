import type { Clock } from "@metahuman/core/language/dates/clock";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { FUNCTION_WORDS } from "@metahuman/core/language/tokens/words";
import { anyWord, oneOf, wholeWords } from "@metahuman/core/text/patterns";
import {
  contentStems,
  contentWords,
  plainWords,
  searchTerms,
  spacedWords,
  stemOf,
} from "@metahuman/core/text/words";

/** What is known about the person and their words. */
export interface OwnWordsContext {
  /** The display name of the person, by which a model may call them. */
  person?: string | undefined;
  /** When the first source was written: a model may write "2026-12-01" for "tomorrow". */
  clock?: Clock;
}

/**
 * Whether a person wrote `text` themselves. True if its words stand in one of the sources in this order with nothing
 * between them, where letter case, punctuation and spacing do not count. Also true with a name that the person wrote in place of
 * "she" or "her", and if a model rephrased what the person said ("I'm allergic to nuts" becomes "User is allergic to nuts"): see
 * `isRephrased`. Text without any word is compared as it is.
 */
export function isOwnWords(
  text: string,
  sources: readonly string[],
  { person, clock }: OwnWordsContext = {},
): boolean {
  const words = spacedWords(text);
  if (words.trim() === "") return sources.some((source) => source.includes(text));
  if (sources.some((source) => spacedWords(source).includes(words)) || isOwnWithName(text, sources))
    return true;
  const names = namesAtStart(person, sources);
  const forms = (written: string): string[] =>
    clock === undefined ? [written] : [written, withDays(written, clock)];
  const [first = "", ...earlier] = sources;
  const normalized = [...forms(first), ...earlier].map((source) => withUniformWords(source));
  return forms(text).some((form) =>
    isRephrased(withUniformWords(form.replaceAll(names, "user")), normalized),
  );
}

/** "My name is Irja": what the person calls themselves. */
const OWN_NAME =
  /(?<!\p{L})(?:[Mm]y name is|[Cc]all me|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e m['’]appelle|[Mm]e llamo)\s+(\p{Lu}[\p{L}'’-]+)/gu;

/** The names of the person where a sentence or clause begins with one. */
function namesAtStart(person: string | undefined, sources: readonly string[]): RegExp {
  const [first, ...others] = plainWords(person ?? "");
  const own = sources.flatMap((source) => [...source.matchAll(OWN_NAME)].map(([, name = ""]) => name));
  const full = others.length === 0 ? [] : [[first, ...others].join(String.raw`\s+`)];
  const names = [...full, ...(first === undefined ? [] : [first]), ...own];
  if (names.length === 0) return /(?!)/gu;
  return new RegExp(String.raw`(?<=^|[.,;:!?]\s+|\band\s+)${oneOf(...names)}(?![\p{L}\p{N}])`, "giu");
}

/** The text with days in ISO form in place of the words that name them. */
function withDays(text: string, clock: Clock): string {
  const tokens = tokenize(text);
  let result = "";
  let index = 0;
  for (const { from, to, value, question, time } of dateSpans(text, tokens, clock)) {
    const [start, end] = [tokens[from]?.start ?? index, tokens[to - 1]?.end ?? index];
    if (start < index || question !== undefined || time !== undefined) continue;
    result += text.slice(index, start) + value;
    index = end;
  }
  return result + text.slice(index);
}

/** The maximum number of words of a name. */
const MAX_NAME = 3;
const PRONOUNS = ["he", "she", "they", "his", "her", "their"];

/** True if the text is what a person said of "she" or "her", with a name in its place that they wrote as well. */
function isOwnWithName(text: string, sources: readonly string[]): boolean {
  const words = plainWords(text.replaceAll(/['’]s(?!\p{L})/gu, ""));
  const isWritten = (part: string): boolean => sources.some((source) => spacedWords(source).includes(part));
  return words.slice(1, MAX_NAME + 1).some((_, index) => {
    const [name, rest] = [words.slice(0, index + 1), words.slice(index + 1)];
    return (
      name.every((word) => /^(?:my|our)$/u.test(word) || !FUNCTION_WORDS.has(word)) &&
      isWritten(` ${name.join(" ")} `) &&
      PRONOUNS.some((pronoun) => isWritten(` ${pronoun} ${rest.join(" ")} `))
    );
  });
}

/**
 * True if `text` is the sentence `fact` with one part of it replaced by words that the person wrote. A word that
 * reverses the meaning proves nothing, and neither does a part without which no subject is left.
 */
export function isOwnCorrection(text: string, fact: string, sources: readonly string[]): boolean {
  const [now, before] = [searchTerms(text), searchTerms(fact)];
  const differs = now.findIndex((word, index) => word !== before[index]);
  if (differs < 1 || !contentWords(now.slice(0, differs).join(" ")).length) return false;
  let same = 0;
  while (same < Math.min(now.length, before.length) - differs && now.at(-1 - same) === before.at(-1 - same))
    same++;
  const part = now.slice(differs, now.length - same);
  const words = spacedWords(part.join(" "));
  return (
    part.length > 0 &&
    !part.some((word) => QUALIFIERS.has(word)) &&
    sources.some((source) => spacedWords(source).includes(words))
  );
}

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const NUMBER_WORD = new RegExp(wholeWords(...NUMBER_WORDS), "giu");
const MONTH = oneOf(
  "january|february|march|april|may|june|july|august|september|october|november|december",
  "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec",
);
const MONTH_DAY = new RegExp(String.raw`\b(${MONTH})\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!:)`, "giu");
const CLOCK_TIME = /\b(\d{1,2})(:\d{2})? ?([ap])\.?m\b\.?/giu;
const WEEKDAY = "((?:mon|tues|wednes|thurs|fri|satur|sun)day)";
const EACH_WEEKDAY = new RegExp(
  String.raw`\b(?:every|each)\s+${WEEKDAY}s?\b|(?:\bon\s+)?\b${WEEKDAY}s\b`,
  "giu",
);
/** "Call me Irja", "wants to be called Irja", "a dog named Pilke", "his name is Pilke": who or what somebody is. */
const CALL_ME = /\b[Cc]all me\s+(?=\p{Lu})/gu;
const IS_CALLED = new RegExp(
  String.raw`\b${oneOf(
    "(?:wants?|prefers?|likes?|would like) to be called",
    "(?:(?:is|are) )?(?:named|called)",
    String.raw`name(?: is|['’]s)`,
  )}\s+(?=\p{Lu})`,
  "gu",
);

/** The text with one form of negations, names, days and times, which a model writes in another form than the person. */
function withUniformWords(text: string): string {
  return (
    text
      // A word such as "shouldn't" also keeps its "should".
      .replaceAll(
        /\b(do|does|did|is|are|was|were|has|have|had|would|should|could|must)n['’]?t\b/giu,
        "$1 not",
      )
      .replaceAll(/\bwon['’]t\b/giu, "will not")
      .replaceAll(/\bcan(?:['’]t|not| not)\b/giu, "cannot")
      .replaceAll(CALL_ME, "I am ")
      .replaceAll(IS_CALLED, "is ")
      .replaceAll(/\b(?:tele)?phone number\b/giu, "number")
      .replaceAll(/\b(?:now|currently|nowadays|at the moment)\b/giu, "")
      .replaceAll(MONTH_DAY, "$2 $1")
      .replaceAll(/\b(\d{1,2})(?:st|nd|rd|th)(?: of)?\b/giu, "$1")
      .replaceAll(NUMBER_WORD, (word) => String(NUMBER_WORDS.indexOf(word.toLowerCase())))
      .replaceAll(CLOCK_TIME, (_, hour: string, minutes: string | undefined, half: string) => {
        const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
        return `${String(hours)}${minutes ?? ""}`;
      })
      .replaceAll(/\b0?(\d{1,2})(?::00| o['’]clock)\b/giu, "$1")
      .replaceAll(EACH_WEEKDAY, (_, day: string | undefined, plural = "") => `every ${day ?? plural}`)
  );
}

/** Stems of words that refer to the person or introduce a note. */
const NAMES_PERSON = contentStems("user person owner");
const INTRODUCES = contentStems(
  "remember note notice save store keep know tell mind memory fact way fyi forget also hello hi hey ok okay thanks thank",
);
/** German words that refer to the person, or that link them with what is said: left out where the person speaks German of themselves. */
const SPEAKS_GERMAN = anyWord(
  "ich",
  "bin",
  "mein",
  "meine",
  "meinem",
  "meinen",
  "meiner",
  "wir",
  "unser",
  "unsere",
);
const GERMAN_WORDS = new Set(
  (
    "ich mich mir bin habe wir sind haben mein meine meinem meinen meiner meines unser unsere unserem unseren unserer " +
    "der die das des dem den ist hat benutzer benutzers benutzerin nutzer nutzers nutzerin person user users " +
    "merk merke dir bitte dass"
  ).split(" "),
);
/** Words that change the meaning of a sentence. A rephrasing must contain the same ones. */
const QUALIFIERS = new Set(
  (
    "not cannot no never none nobody nothing neither nor without unless if only except until maybe perhaps might may could " +
    "should would hardly rarely " +
    "nicht kein keine keinen nie niemals wenn falls nur ohne ne pas jamais sans si aucun nunca sin solo nao niet geen nooit"
  ).split(" "),
);
const DO_NOT_FORGET = /\b(?:do not|never) forget\b/giu;
const SENTENCE = /(?<=[.!?;])\s+|\n+/u;
const CLAUSE = /[,;:.!?]+(?=\s|$)|\n+|\b(?:and|but|that|und|aber|dass|et|mais|que|y|pero)\b/iu;
/** "Is Anna vegan?" says nothing of Anna; "did you know that I am left-handed?" and "can you remember …?" do. */
const ASKS = new RegExp(
  String.raw`^\W*(?!(?:did|do) you (?:know|remember)\b)${wholeWords(
    "is|are|am|was|were|do|does|did|has|have|had|should",
    "who|what|which|when|where|why|how",
    "ist|sind|war|hat|haben|wer|was|wann|wo|warum|wie",
  )}.*\?\s*$`,
  "isu",
);
const SPEAKS_OF_THEMSELVES = /(?<!\p{L})(?:i['’]?m|i am|my|we['’]?re|we are|our|bin|mein\p{L}*)(?!\p{L})/iu;

/**
 * True if every clause of `text` takes all its content words, by stem and in this order, from one sentence of a source,
 * starts where that sentence or one of its clauses starts, and is qualified by the same words ("not", "only", "if").
 * Words that name the person, and the verbs that introduce a note, do not count. A single word proves nothing, unless the person
 * says it of themselves ("I'm vegetarian"), and words of two sentences are never put together. Questions say nothing.
 */
function isRephrased(text: string, sources: readonly string[]): boolean {
  const sourceParts = sources.flatMap((source) =>
    source
      .replaceAll(DO_NOT_FORGET, "remember")
      .split(SENTENCE)
      .filter((sentence) => !ASKS.test(sentence))
      .flatMap((sentence) => [sentence, ...sentence.split(CLAUSE)]),
  );
  const isSupported = (part: string): boolean =>
    contentWords(part).length > 0 && sourceParts.some((source) => hasSameMeaning(part, source));
  if (isSupported(text)) return true;
  const parts = text.split(CLAUSE).filter((part) => searchTerms(part).length > 0);
  return parts.length > 1 && parts.every(isSupported);
}

function hasSameMeaning(part: string, source: string): boolean {
  if (qualifiersOf(part) !== qualifiersOf(source)) return false;
  const [partStems, sourceStems] = [stemsIn(part, source, NAMES_PERSON), stemsIn(source, source, INTRODUCES)];
  if (partStems[0] === undefined || partStems[0] !== sourceStems[0]) return false;
  if (partStems.length === 1) return sourceStems.length === 1 && SPEAKS_OF_THEMSELVES.test(source);
  let from = 0;
  return partStems.every((stem) => {
    const index = sourceStems.indexOf(stem, from);
    from = index + 1;
    return index >= 0;
  });
}

/** The stems of the content words of a text without words that say nothing, in the language of the source. */
function stemsIn(text: string, source: string, omitted: ReadonlySet<string>): string[] {
  const isGerman = SPEAKS_GERMAN.test(source);
  const words = contentWords(text).filter((word) => !isGerman || !GERMAN_WORDS.has(word));
  return [...new Set(words.map(stemOf))].filter((stem) => !omitted.has(stem));
}

function qualifiersOf(text: string): string {
  return [...new Set(searchTerms(text).filter((word) => QUALIFIERS.has(word)))].sort().join(" ");
}

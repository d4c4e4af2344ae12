import { type PreparedEvidence } from "./evidence.ts";
import { type AnswerSoFar, MAX_SAMPLE_LENGTH } from "./number-arithmetic.ts";

const FUNCTION_WORDS: readonly RegExp[] = [
  "the|of|and|to|is|are|for|with|that|was|will|please|we|you",
  "der|die|das|und|ist|nicht|mit|für|ein|eine|von|wird|im|am|zum",
  "le|les|des|et|est|une|du|pour|dans|qui|avec|au",
  "el|los|las|y|es|una|por|hay|con|del|para",
  "il|gli|di|è|una|che|per|sono|della|del",
  "o|os|um|uma|não|com|da|do|em|são",
  "de|het|een|en|van|niet|voor|zijn|op",
  "och|att|är|en|ett|på|som|inte|med|til|er|og|det|av",
  "i|w|na|się|jest|nie|do|że|z",
].map((list) => new RegExp(`(?<![\\p{L}\\d])(?:${list})(?![\\p{L}\\d])`, "giu"));

/** More words of the languages that an answer can be sent back for; short requests have few of the others. */
const MORE_WORDS: readonly RegExp[] = [
  "have|has|your|my|it|this|at|not|be|been|from|are",
  "ich|mir|dir|mein|meine|dein|deine|auf|dem|wie|sind|habe|hast|bei|bitte|zu",
  "je|tu|ai|sur|mes|mon|ma|pas|combien|chez|quel|quelle|quels|moi|vous|nous|ce|cette|sont",
  "mi|mis|qué|cuánto|cuál|tengo|está|más|se|yo",
].map((list) => new RegExp(`(?<![\\p{L}\\d])(?:${list})(?![\\p{L}\\d])`, "giu"));

const countOf = (text: string, words: readonly RegExp[], language: number): number =>
  text.match(words[language] ?? /$^/u)?.length ?? 0;

const ENGLISH = 0;

const SPANISH = 3;

/** The number of words of each language in a text. */
const countsIn = (text: string, more: readonly RegExp[]): number[] =>
  FUNCTION_WORDS.map(
    (_, language) => countOf(text, FUNCTION_WORDS, language) + countOf(text, more, language),
  );

/** The language with the most function words in a text; `undefined` if there are too few. */
function languageOf(text: string, more: readonly RegExp[] = []): number | undefined {
  const counts = countsIn(text, more);
  const most = Math.max(...counts);
  return most < 2 || counts.filter((count) => count === most).length > 1 ? undefined : counts.indexOf(most);
}

/** The languages of which enough words are known, in the order of `FUNCTION_WORDS`. */
const NAMES = ["English", "German", "French", "Spanish"] as const;

/** An answer in another language has at least this many function words of it. */
const MIN_WORDS = 3;

/** A request for an answer or a text in another language. */
const NAMES_LANGUAGE = new RegExp(
  [
    "translat|übersetz|tradu|english|englisch|anglais|inglés|german|deutsch|allemand|alemán|french",
    "französisch|français|francés|spanish|spanisch|espagnol|español",
  ].join("|"),
  "iu",
);

/**
 * The languages of a request and of an answer in another one; `undefined` where they agree, where either is not certain, and where the
 * request names a language. `answer` has no quotations.
 */
export function otherLanguage(
  request: string,
  answer: string,
): { asked: string; answered: string } | undefined {
  const [asked, answered] = [languageOf(request, MORE_WORDS), languageOf(answer, MORE_WORDS)];
  if (asked === undefined || answered === undefined || asked === answered || NAMES_LANGUAGE.test(request))
    return undefined;
  const [wanted, used] = [NAMES[asked], NAMES[answered]];
  const count = (language: number): number =>
    countOf(answer, FUNCTION_WORDS, language) + countOf(answer, MORE_WORDS, language);
  return wanted !== undefined &&
    used !== undefined &&
    count(answered) >= MIN_WORDS &&
    count(asked) * 4 < count(answered)
    ? { asked: wanted, answered: used }
    : undefined;
}

/** The likeliest language of a text, among those of which enough words are known; undefined where it is not certain. */
export function knownLanguageOf(text: string): (typeof NAMES)[number] | undefined {
  const counts = countsIn(text, MORE_WORDS);
  const known = counts.slice(0, NAMES.length);
  const most = Math.max(...known);
  const isCertain =
    most >= 2 && most === Math.max(...counts) && known.indexOf(most) === known.lastIndexOf(most);
  return isCertain ? NAMES[known.indexOf(most)] : undefined;
}

/** True for a text in one of the other languages of which enough words are known than English. */
export function isInOtherThanEnglish(text: string): boolean {
  const language = languageOf(text, MORE_WORDS);
  return language !== undefined && language !== ENGLISH && language < NAMES.length;
}

/** True when a text and the evidence are in different languages, so that their words cannot be compared. */
export function isAnotherLanguage(text: string, evidence: PreparedEvidence, before: AnswerSoFar): boolean {
  if (/translat|übersetz|tradu|vertaal|översätt|oversæt|przetłumacz/iu.test(evidence.source.request))
    return true;
  const own = languageOf(text) ?? languageOf(`${before.sample} ${text}`);
  // For other languages, too few presentation words are known.
  if (own !== undefined && own > SPANISH) return true;
  const shown = evidence.observedText.slice(0, 2 * MAX_SAMPLE_LENGTH);
  const observed = languageOf(shown);
  if (own === ENGLISH && observed === undefined) return /[äöüßéèêçñãõåøł]/iu.test(shown);
  return own !== undefined && observed !== undefined && own !== observed;
}

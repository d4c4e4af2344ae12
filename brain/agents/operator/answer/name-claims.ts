import { oneOf } from "@metahuman/core/text/patterns";
import { withoutListMark } from "@metahuman/core/text/list-marks";
import { capitalize } from "@metahuman/core/text/format";
import { type PreparedEvidence } from "./evidence.ts";
import {
  ADDRESS,
  QUOTE,
  blank,
  contentWords,
  filesIn,
  quotesIn,
  stem,
  withoutNames,
  significantWords,
} from "./mentions.ts";
import { type AnswerSoFar } from "./number-arithmetic.ts";
import { quantitiesIn, isCalendarName } from "./quantities.ts";
import { quantityWords, shortWeekdaysIn } from "./quantity-words.ts";
import { type Sentence } from "./sentences.ts";
import { measureOf } from "./units.ts";
import { CONDITIONAL, GERMAN, SECOND_PERSON, SECOND_PERSON_POSSESSIVE, TRAIT } from "./vocabulary.ts";
import { bareWords } from "@metahuman/core/text/words";

export function unsupportedUrls(text: string, evidence: PreparedEvidence): string[] {
  return [...text.matchAll(ADDRESS)]
    .map(([address]) => address.replace(/[.,;:!?)]+$/u, ""))
    .filter((address) => !evidence.text.includes(address.toLowerCase().replace(/\/$/u, "")))
    .map((address) => `${address} is named, and nothing observed shows it.`);
}

/** A file is known by its path, or by its name if its folder was listed. */
export function isKnownFile(file: string, { text, calls }: PreparedEvidence): boolean {
  const path = file.toLowerCase().replace(/\/$/u, "");
  if (text.includes(path)) return true;
  const name = path.split("/").at(-1) ?? path;
  const folder = path.slice(0, -name.length - 1);
  return folder !== "" && calls.some((call) => call.text.includes(name) && call.text.includes(folder));
}

/** A title with a name. */
const TITLED_NAME =
  /(?<!\p{L})(?:Mr|Mrs|Ms|Dr|Prof|Herrn?|Frau|Monsieur|Madame|M\.|Mme|Señora?|Sra?|Don|Doña)\.?\s+(\p{Lu}\p{L}+)/gu;

const FRENCH = /(?<!\p{L})(?:le|la|les|de|des|est|et|avec|pour|chez)(?!\p{L})/iu;

const PERSON_AS_SUBJECT_WORDS = oneOf(
  String.raw`\p{Ll}{2,}(?<!e)ed|agreed|wrote|said|told|paid|bought|took|made|gave|sent|came|went|chose|brought`,
);
/** A capitalized singular word at the start of a sentence, followed by a verb in the past tense. */
const PERSON_AS_SUBJECT = new RegExp(
  String.raw`^(\p{Lu}\p{Ll}{2,}(?<!s)) (?:(?:has |had |also |then )*${PERSON_AS_SUBJECT_WORDS} )`,
  "u",
);

const COMMON_SUBJECT_WORDS = oneOf(
  "Nothing|Everything|Something|Anything|Nobody|Everybody|Everyone|Someone|Anyone|Both|One|Two|Three",
  "Four|Five|Each|None|All|Most|Many|Some|Few|Several|Half|They|She|You|This|That|These|Those|There|Who",
  "What|Which|Then|Also|And|But|Just|Only|Already|Successfully|Work|Done|People|Somebody|Another|The",
  "Part|Neither|Either|Last|Next|More|Less|Not|Here|Now",
);
/** Words that begin sentences and are not names. */
const COMMON_SUBJECTS = new RegExp(String.raw`^${COMMON_SUBJECT_WORDS}$`, "u");

/** Letters with digits, such as "A-17b". */
const IDENTIFIER =
  /(?<![\p{L}\p{N}#-])(?=[\p{L}\d-]*\d)(?=[\p{L}\d-]*\p{L})\p{L}[\p{L}\d]*(?:-[\p{L}\d]+)*(?![\p{L}\p{N}])/gu;

const SPEECH_VERBS = oneOf(
  "says?|said|reads?|states?|writes?|wrote|schreibt|sagt|steht|heißt es|lautet|dit|écrit|indique|dice",
  "escribe|pone|scrive",
);
const REPORTS_SPEECH = new RegExp(
  String.raw`(?:(?<!\p{L})${SPEECH_VERBS}\s?[:,]?\s*(?:that|dass|que|qu['’]|che)?|(?<!\p{L})(?:sentence|quot(?:e|ation)|passage|wording|satz|zitat|wortlaut|phrase|citation|frase|cita)(?!\p{L})[^"“„«.!?]{0,40}:)\s*["“„«]`,
  "iu",
);

/** The quotations of more than four words that a sentence presents as the words of a text or a person. */
export const verbatimQuotesIn = (text: string): string[] =>
  REPORTS_SPEECH.test(text) ? quotesIn(text).filter((quote) => significantWords(quote).length > 4) : [];

export function unsupportedNames(
  sentence: Sentence,
  text: string,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): string[] {
  const verbatim = verbatimQuotesIn(text);
  const problems = quotesIn(text)
    .filter(
      (quote) =>
        !(verbatim.includes(quote) ? isVerbatim(quote, evidence.text) : isQuotationKnown(quote, evidence)),
    )
    .map((quote) => `"${quote}" is quoted, and nothing observed shows it.`);
  for (const [title, name = ""] of text.matchAll(TITLED_NAME)) {
    // "M." may end a sentence in other languages than French.
    if (title.startsWith("M.") && !FRENCH.test(text)) continue;
    if (!evidence.text.includes(name.toLowerCase()))
      problems.push(`${name} is named, and nothing shows that name.`);
  }
  const subject = PERSON_AS_SUBJECT.exec(text)?.[1];
  if (
    subject !== undefined &&
    !COMMON_SUBJECTS.test(subject) &&
    !isKnownWord(subject.toLowerCase(), evidence)
  )
    problems.push(`${subject} is named, and nothing shows that name.`);
  problems.push(...unsupportedCode(text, evidence), ...unsupportedProperNouns(text, evidence));
  for (const [code] of withoutNames(text).matchAll(IDENTIFIER)) {
    if (!evidence.text.includes(code.toLowerCase())) problems.push(`${code} is named, and nothing shows it.`);
  }
  problems.push(...unsupportedPreferences(text, evidence));
  if (sentence.isListItem && before.isInsideList && evidence.calls.length > 0) {
    const item = contentWords(withoutListMark(text).split(/[:(–—]|\s-\s/u)[0] ?? "");
    if (
      item.some((word) => !DAY_WORDS.has(word) && shortWeekdaysIn(capitalize(word)).length === 0) &&
      !item.some((word) => isKnownWord(word, evidence))
    )
      problems.push(`${item.join(" ")} is listed, and nothing observed shows it.`);
  }
  return problems;
}

/** Days and numbers are checked for themselves. */
const DAY_WORDS: ReadonlySet<string> = new Set(quantityWords());

/** "Bram: lemon tart": if both are known, one line, record or a heading and a line under it must contain both. */
export function wrongPairs(
  sentence: Sentence,
  text: string,
  { lines, text: known }: PreparedEvidence,
): string[] {
  if (!sentence.isListItem) return [];
  const pair =
    /^[*_]*(\p{L}[\p{L} ]{1,30}?)[*_]*(?::|\s[–—-])[*_]*\s+[*_]*(\p{L}[\p{L} ]{2,40}?)[*_.]*$/u.exec(
      withoutListMark(text),
    );
  const [key, value] = [pair?.[1]?.toLowerCase(), pair?.[2]?.toLowerCase()];
  if (key === undefined || value === undefined || !known.includes(key) || !known.includes(value)) return [];
  const places = [...lines.keys()].filter((index) => lines[index]?.includes(value));
  const isConfirmed = places.some((index) =>
    [lines[index] ?? "", ...headingsOf(lines, index)].some((line) => line.includes(key)),
  );
  return isConfirmed || places.length === 0
    ? []
    : [`The answer says ${value} of ${key}, and nothing observed has both together.`];
}

/**
 * The lines above a line to which it belongs: headings, labels that end in a colon, and less indented lines; the
 * nearest first.
 */
function headingsOf(lines: readonly string[], index: number): string[] {
  const headings: string[] = [];
  let depth = depthOf(lines[index] ?? "");
  for (let above = index - 1; above >= 0 && depth > 0; above -= 1) {
    const line = lines[above] ?? "";
    const depthAbove = depthOf(line);
    if (line.trim() === "" || depthAbove >= depth) continue;
    headings.push(line);
    depth = depthAbove;
  }
  return headings;
}

/** 0 to 5 for Markdown headings, 6 for a label that ends in a colon, more for text; each space of indentation adds 2. */
function depthOf(line: string): number {
  const heading = /^(#{1,6})\s/u.exec(line)?.[1];
  if (heading) return heading.length - 1;
  const indentation = 2 * (/^\s*/u.exec(line)?.[0].length ?? 0);
  return 6 + indentation + (/:\s*$/u.test(line) ? 0 : 1);
}

/** Statements about what the person likes or does must occur in the evidence. */
function unsupportedPreferences(text: string, evidence: PreparedEvidence): string[] {
  if (!TRAIT.test(text)) return [];
  const words = contentWords(text.replace(TRAIT, " "));
  const known = words.filter((word) => isKnownWord(word, evidence));
  return words.length > 0 && known.length / words.length < 0.34
    ? ["Nothing shows this about the person."]
    : [];
}

const BACKTICKS = /`([^`\n]{2,120})`/gu;

/** Inline code names something that exists, so it must occur in the evidence literally. */
function unsupportedCode(text: string, { text: known }: PreparedEvidence): string[] {
  return [...text.matchAll(BACKTICKS)]
    .map(([, code = ""]) => code.toLowerCase().trim())
    .filter(
      (code) =>
        !CONDITIONAL.test(text) &&
        filesIn(code).length === 0 &&
        !known.includes(code) &&
        !code.split(/\s+|(?<=\w)\.(?=\w)/u).every((part) => known.includes(part)),
    )
    .map((code) => `${code} is named, and nothing observed shows it.`);
}

/** Capitalized words inside a sentence, in languages that do not capitalize all nouns. */
function unsupportedProperNouns(text: string, evidence: PreparedEvidence): string[] {
  if (GERMAN.test(text) || GERMAN.test(evidence.source.request)) return [];
  const words = contentWords(text);
  const concernsPerson =
    SECOND_PERSON.test(text) ||
    SECOND_PERSON_POSSESSIVE.test(text) ||
    words.filter((word) => isKnownWord(word, evidence)).length > words.length * 0.6 ||
    (words.some((word) => isKnownWord(word, evidence)) &&
      quantitiesIn(text).times.some(({ minutes }) => evidence.facts.times.has(minutes)));
  if (!concernsPerson) return [];
  const inside = text
    .replaceAll(QUOTE, blank)
    .replaceAll(BACKTICKS, blank)
    .replaceAll(/\*[^*\n]+\*/gu, blank)
    .replaceAll(/\[[^\]]*\]\([^)]*\)/gu, blank);
  const names = [...inside.matchAll(/(?<=[\p{Ll}\d,]\s)\p{Lu}\p{Ll}{2,}(?!\p{L}|[.]*\d)/gu)].map(
    ([name]) => name,
  );
  return names
    .filter(
      (name) =>
        !NAMES_WITHOUT_EVIDENCE.test(name) &&
        !isKnownWord(name.toLowerCase(), evidence) &&
        !isCalendarName(name) &&
        measureOf(name.toLowerCase()) === "",
    )
    .map((name) => `${name} is named, and nothing shows that name.`);
}

const NAMES_WITHOUT_EVIDENCE_WORDS = oneOf(
  "Markdown|Json|Csv|Yaml|Html|English|German|French|Spanish|Italian|Dutch|European|American|British",
  "Celsius|Fahrenheit|Internet|God|Christmas|Eve|New|Year|Easter|Earth|Google|Python|Node|Git|Unix",
  "Linux|Windows|Excel|Settings|Approvals|Functions|Memory|Runs|Tasks",
);
/** Formats, languages and well-known places that an answer may name without evidence. */
const NAMES_WITHOUT_EVIDENCE = new RegExp(String.raw`^${NAMES_WITHOUT_EVIDENCE_WORDS}$`, "u");

export const isKnownWord = (word: string, { observedStems, sourceStems }: PreparedEvidence): boolean =>
  observedStems.has(stem(word)) || sourceStems.has(stem(word));

/** True for a text that occurs in the evidence, ignoring white space and punctuation. */
export function isVerbatim(quote: string, text: string): boolean {
  return quote.split(/…|\.\.\.|\[/u).every((part) => bareWords(text).includes(bareWords(part)));
}

/** A quotation is known if the evidence contains it, or most of its words. */
export function isQuotationKnown(quote: string, evidence: PreparedEvidence): boolean {
  const bare = quote.toLowerCase().replace(/[.,;:!?…]+$/u, "");
  if (bare === "" || evidence.text.includes(bare)) return true;
  const words = significantWords(bare);
  if (words.length === 0) return false;
  return words.filter((word) => isKnownWord(word, evidence)).length / words.length >= 0.6;
}

import { oneOf } from "@metahuman/core/text/patterns";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, withoutNames } from "./mentions.ts";
import { isKnownWord } from "./name-claims.ts";
import { type AnswerSoFar } from "./number-arithmetic.ts";
import { quantitiesIn } from "./quantities.ts";
import { contentOf } from "./grounding.ts";
import { isAnotherLanguage } from "./answer-language.ts";
import { ADDITION, GERMAN, JUDGES, LAST_TIME, NEGATION, OPINION, REPORTS } from "./vocabulary.ts";

const SAME_SUBJECT_WORDS = oneOf(
  "it|they|both|he|she|its|their|er|sie|beide|elle|ils|elles|ambos|ambas|ella|él|lui|lei|entrambi",
);
/** The start of a sentence that continues the subject of the previous one. */
const SAME_SUBJECT = new RegExp(String.raw`^(?:[-*•]\s*)?${SAME_SUBJECT_WORDS}(?!\p{L})`, "iu");

const PERSON_DID_WORDS = oneOf(
  String.raw`\p{Ll}{2,}ed|did|wrote|went|made|took|gave|bought|paid|met|left|got|put|ran|had|were|ge\p{Ll}+t`,
);
/** Statements about what the person did. */
const PERSON_DID = new RegExp(
  String.raw`^(?:you|du|tu|vous|usted)\s(?:(?:have|had|also|then|already|hast|as|avez|has)\s)?${PERSON_DID_WORDS}(?!\p{L})`,
  "iu",
);

/** German "also" means "so". */
const GERMAN_ADDITION = /(?<!\p{L})(?:auch|außerdem|zudem|ebenfalls)(?!\p{L})/iu;

/**
 * Problems with sentences that report what a text says, or add something to what was observed, and share no word with the
 * evidence. Numbers, days and times are checked elsewhere.
 */
export function unsupportedContent(text: string, evidence: PreparedEvidence, before: AnswerSoFar): string[] {
  if (evidence.text === "" || text.endsWith(":") || NEGATION.test(text)) return [];
  const isReport = REPORTS.test(text);
  if (text.endsWith("!") || OPINION.test(text)) return [];
  const isAddition =
    LAST_TIME.test(text) || (ADDITION.test(text) && !(GERMAN.test(text) && !GERMAN_ADDITION.test(text)));
  const isContinued = (before.isChecked && SAME_SUBJECT.test(text)) || PERSON_DID.test(text);
  if (!isReport && !isAddition && !(isContinued && !JUDGES.test(text))) return [];
  const { numbers, days, times, weekdays, relative } = quantitiesIn(withoutNames(text));
  const isQuantified = numbers.length + days.length + times.length + weekdays.length + relative.length > 0;
  if (isQuantified && !isAddition) return [];
  const words = contentWords(
    withoutNames(text)
      .replaceAll(new RegExp(REPORTS, "giu"), " ")
      .replaceAll(new RegExp(ADDITION, "giu"), " "),
  );
  if (!isReport && !isAddition && contentOf(text).length === 0) return [];
  if (words.length === 0 || isAnotherLanguage(text, evidence, before)) return [];
  const known = words.filter((word) => isKnownWord(word, evidence)).length;
  const isShown = isReport || isAddition ? known / words.length > 0.2 : known > 0;
  return isShown ? [] : ["Nothing observed supports this statement."];
}

import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, withoutNames } from "./mentions.ts";
import { isKnownWord } from "./name-claims.ts";
import { type Before } from "./number-claims.ts";
import { quantitiesIn } from "./quantities.ts";
import { ADDITION, GERMAN, LAST_TIME, NEGATION, REPORTS } from "./vocabulary.ts";

/** How a sentence begins that says more of what the one before was about. */
const SAME_SUBJECT =
  /^(?:[-*•]\s*)?(?:it|they|both|he|she|its|their|er|sie|beide|elle|ils|elles|ambos|ambas|ella|él|lui|lei|entrambi)(?!\p{L})/iu;

/** What the person is said to have done. */
const PERSON_DID =
  /^(?:you|du|tu|vous|usted)\s(?:(?:have|had|also|then|already|hast|as|avez|has)\s)?(?:\p{Ll}{2,}ed|did|wrote|went|made|took|gave|bought|paid|met|left|got|put|ran|had|were|ge\p{Ll}+t)(?!\p{L})/iu;

/** German says "so" with the word that is "as well" in English. */
const GERMAN_ADDITION = /(?<!\p{L})(?:auch|außerdem|zudem|ebenfalls)(?!\p{L})/iu;

const OPINION =
  /(?<!\p{L})(?:in my (?:view|opinion|experience)|i (?:think|believe|would say)|meiner meinung|ich (?:finde|denke|glaube)|à mon avis|je (?:pense|crois)|en mi opinión|creo que)(?!\p{L})/iu;

/** An opinion on what was observed. */
const JUDGES =
  /(?<!\p{L})(?:worth|best|better|good|great|nice|fine|sensible|important|useful|easy|easier|common|normal|look|looks|seem|seems|sound|sounds|makes sense|conviene|lohnt|sinnvoll|wichtig|utile|important|vale la pena|should|would|might|may|could|must|need|needs)(?!\p{L})/iu;

/**
 * What is reported of a text, or said in addition of what was observed, shares at least a word with what was observed or
 * said; a number, day or time that is stated there is checked for itself.
 */
export function unknownContent(text: string, evidence: PreparedEvidence, before: Before): string[] {
  if (evidence.text === "" || text.endsWith(":") || NEGATION.test(text)) return [];
  const isReport = REPORTS.test(text);
  if (text.endsWith("!") || OPINION.test(text)) return [];
  const isAddition =
    LAST_TIME.test(text) || (ADDITION.test(text) && !(GERMAN.test(text) && !GERMAN_ADDITION.test(text)));
  const goesOn = (before.isChecked && SAME_SUBJECT.test(text)) || PERSON_DID.test(text);
  if (!isReport && !isAddition && !(goesOn && !JUDGES.test(text))) return [];
  const { numbers, days, times, weekdays, relative } = quantitiesIn(withoutNames(text));
  const isQuantified = numbers.length + days.length + times.length + weekdays.length + relative.length > 0;
  if (isQuantified && !isAddition) return [];
  const words = contentWords(
    withoutNames(text)
      .replaceAll(new RegExp(REPORTS, "giu"), " ")
      .replaceAll(new RegExp(ADDITION, "giu"), " "),
  );
  if (words.length === 0 || isInAnotherLanguage(text, evidence)) return [];
  const known = words.filter((word) => isKnownWord(word, evidence)).length;
  const isShown = isReport || isAddition ? known / words.length > 0.2 : known > 0;
  return isShown ? [] : ["This is said of what was observed, and nothing observed speaks of it."];
}

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
].map((list) => new RegExp(`(?<!\\p{L})(?:${list})(?!\\p{L})`, "giu"));

/** Which language's function words a text has most of; `undefined` where it has too few to say. */
function languageOf(text: string): number | undefined {
  const counts = FUNCTION_WORDS.map((words) => text.match(words)?.length ?? 0);
  const most = Math.max(...counts);
  return most < 2 || counts.filter((count) => count === most).length > 1 ? undefined : counts.indexOf(most);
}

/** The words of a translation are none of those that were observed. */
function isInAnotherLanguage(text: string, evidence: PreparedEvidence): boolean {
  if (/translat|übersetz|tradu|vertaal|översätt|oversæt|przetłumacz/iu.test(evidence.source.request))
    return true;
  const [own, observed] = [languageOf(text), languageOf(evidence.observedText.slice(0, 4000))];
  return own !== undefined && observed !== undefined && own !== observed;
}

import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { citedSteps } from "@metahuman/core/contract/citation";
import { actionsIn } from "./action-claims.ts";
import { isKnownDay } from "./day-claims.ts";
import type { AnswerEvidence, PreparedEvidence } from "./evidence.ts";
import { blank, CITATION, contentWords, filesIn, significantWords, stem, withoutNames } from "./mentions.ts";
import { contentOf } from "./grounding.ts";
import { type AnswerSoFar, SMALL } from "./number-arithmetic.ts";
import { quantitiesIn } from "./quantities.ts";
import type { Sentence } from "./sentences.ts";
import {
  ADDITION,
  CONTINUES,
  CONTINUES_LATER,
  ELSEWHERE,
  FIRST_PERSON,
  GENERAL,
  INSTRUCTION,
  JUDGES,
  LAST_TIME,
  OFFER,
  OWN_THINGS,
  REMINDS,
  SECOND_PERSON,
  SECOND_PERSON_POSSESSIVE,
  TRAIT,
} from "./vocabulary.ts";

/** True for a figure about a topic of the request that an earlier answer or a memory is about: "The trip costs 940". */
export function statesFigureOfKnownTopic(text: string, { memoryStems, source }: PreparedEvidence): boolean {
  const answers = source.conversation.filter(({ role }) => role === "operator").map((turn) => turn.text);
  const known = new Set([...memoryStems, ...significantWords(answers.join("\n")).map(stem)]);
  const words = new Set(contentWords(text).map(stem));
  const { numbers } = quantitiesIn(withoutNames(text.replaceAll(CITATION, blank)));
  return (
    numbers.some(({ values }) => values.some((value) => value > SMALL || !Number.isInteger(value))) &&
    contentWords(source.request)
      .map(stem)
      .some((word) => known.has(word) && words.has(word))
  );
}

/** True for offers, questions and advice. Instructions in a list of observed items are not the operator's. */
export const claimsNothing = ({ text, isListItem }: Sentence, { isInsideList }: AnswerSoFar): boolean =>
  text.endsWith("?") || OFFER.test(text) || (INSTRUCTION.test(text) && !(isListItem && isInsideList));

const INNER_CLAUSE_WORDS = oneOf(
  "because|since|as|now that|given that|even though|although|which|who|whose|weil|da|obwohl|nachdem",
  "(?<=, )(?:der|die|das|dem|den|deren|dessen)|parce qu[e’']|puisqu[e’']|qui|dont|bien que|porque",
  "ya que|puesto que|quien|cuyo|aunque",
);
/** A clause that states something inside an offer, advice or a question: "Shall I tell Ada, who is coming on Friday?" */
const INNER_CLAUSE = new RegExp(String.raw`[\s,(]${INNER_CLAUSE_WORDS}(?!\p{L})`, "iu");

/** True when an offer, advice or a question holds a figure or a clause of its own, which may be invented. */
export const impliesClaim = (text: string): boolean =>
  INNER_CLAUSE.test(text) || (/\d/u.test(text) && !text.endsWith("?"));

const ASKS_FOR_A_FACT_WORDS = oneOf(
  "how|(?:what|when|where|who)(?:['’]?s)?|whose|which|did|does|do|was|were|is|are|has|have|had|wie|was",
  "wann|wo|wohin|wer|wem|wessen|welche[rsn]?|hat|habe|hatte|war|waren|ist|sind|combien|que",
  "quel(?:le)?s?|quand|où|qui|est-ce|cuánt[oa]s?|qué|cuál(?:es)?|cuándo|dónde|quién",
);
const ASKS_FOR_A_FACT = new RegExp(
  String.raw`^(?:and |so |but |und |et |y )?${ASKS_FOR_A_FACT_WORDS}(?!\p{L})`,
  "iu",
);

/** "the cabin", in a question: one thing that both know. */
const DEFINITE =
  /(?<!\p{L})(?:the|our|this|that|these|those|der|die|das|dem|den|le|la|les|el|los|las) (\p{L}+)(?: (\p{L}+))?/giu;

/**
 * True for a request that asks for a fact which the person stated before, which earlier calls of the conversation found, or which a
 * memory about the person has.
 */
export function asksAboutKnownFacts({ source, memoryStems }: PreparedEvidence): boolean {
  const { request, conversation, earlierCalls = [] } = source;
  if (!ASKS_FOR_A_FACT.test(request)) return false;
  const asked = contentOf(request).map(stem);
  const turns = conversation.filter(({ role }) => role === "person").map(({ text }) => text);
  const found = earlierCalls.map(({ observed = "" }) => observed);
  const turnStems = new Set(significantWords([...turns, ...found].join("\n")).map(stem));
  return asked.some((word) => turnStems.has(word) || (memoryStems.has(word) && FIRST_PERSON.test(request)));
}

/** True for a question about a thing that the request takes for known and a memory has: "who booked the cabin?" */
function asksAboutKnownThing({ source: { request }, memoryStems }: PreparedEvidence): boolean {
  if (!ASKS_FOR_A_FACT.test(request) || JUDGES.test(request)) return false;
  return [...request.matchAll(DEFINITE)]
    .flatMap(([, one = "", other = ""]) => contentOf(`${one} ${other}`))
    .some((word) => memoryStems.has(stem(word)));
}

/** True for a sentence whose words and figures are all in the request and the memories. */
function isWordedFromMemories(text: string, { source, memoryStems, facts }: PreparedEvidence): boolean {
  const asked = new Set(contentWords(source.request).map(stem));
  const { numbers, days, months, weekdays, times } = quantitiesIn(text);
  return (
    contentOf(text).every((word) => memoryStems.has(stem(word)) || asked.has(stem(word))) &&
    numbers.every(({ values }) => values.some((value) => facts.numbers.has(value))) &&
    days.every((day) => isKnownDay(day, facts)) &&
    months.every(({ month }) => facts.months.has(month)) &&
    weekdays.every(({ weekday }) => facts.weekdays.has(weekday)) &&
    times.every(({ minutes }) => facts.times.has(minutes))
  );
}

/** True for a sentence about a known thing of the request that the memories do not say in these words. */
export const statesMoreThanMemories = (text: string, evidence: PreparedEvidence): boolean =>
  asksAboutKnownThing(evidence) && !GENERAL.test(text) && !isWordedFromMemories(text, evidence);

/** A request with several parts; some of them may need general knowledge only. */
const HAS_PARTS = /[.?!;,]\s+\S|\s(?:and|und|et|y|e|och|en|i)\s/iu;

const ASKS_FOR_A_COUNT_WORDS = oneOf(
  "(?:do|did|have|had|are|were|were|should) (?:i|we)|(?:haben|hatten) (?:wir)|habe ich|avons-nous|ai-je",
  "tenemos|tengo",
);
/** "How many vases do we have?", with the noun that is counted. */
const ASKS_FOR_A_COUNT = new RegExp(
  String.raw`(?<!\p{L})(?:how many|wie viele|combien de|cuánt[oa]s) (\p{L}+) ${ASKS_FOR_A_COUNT_WORDS}(?!\p{L})`,
  "giu",
);

/** True for a sentence that answers such a question with a number. */
const answersACount = (text: string, { source: { request } }: PreparedEvidence): boolean =>
  [...request.matchAll(ASKS_FOR_A_COUNT)].some(([, noun = ""]) =>
    quantitiesIn(text).numbers.some(({ after }) =>
      contentWords(after.split(/[.,;:]/u, 1)[0] ?? "")
        .slice(0, 2)
        .some((word) => stem(word) === stem(noun.toLowerCase())),
    ),
  );

/** True for a sentence about the person's files, tasks, memory or requests, and for a claim about an action. */
export function concernsThePerson(
  sentence: Sentence,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): boolean {
  const { text } = sentence;
  if (citedSteps(text).length > 0) return true;
  if (claimsNothing(sentence, before)) return false;
  if (filesIn(text).length > 0 || actionsIn(text).length > 0) return true;
  if (REMINDS.test(text) || LAST_TIME.test(text) || TRAIT.test(text) || ELSEWHERE.test(text)) return true;
  if (sentence.isListItem && before.isInsideList) return true;
  if (GENERAL.test(text)) return false;
  const words = contentWords(text);
  if (SECOND_PERSON_POSSESSIVE.test(text) || SECOND_PERSON.test(text)) {
    if (OWN_THINGS.test(text) || words.some((word) => evidence.memoryStems.has(stem(word)))) return true;
  }
  const isContinued = before.isChecked && (CONTINUES.test(text) || CONTINUES_LATER.test(text));
  if (answersACount(text, evidence)) return true;
  if (evidence.calls.length === 0) return isContinued;
  if (sentence.text.startsWith("|")) return true;
  const observed = new Set(words.map(stem).filter((word) => evidence.observedStems.has(word)));
  if (observed.size >= 2 || (observed.size === 1 && (OWN_THINGS.test(text) || words.length <= 3)))
    return true;
  if (isContinued) return true;
  // In a run with observations, only a sentence about another part of the request is general knowledge.
  const wasAsked = words
    .map(stem)
    .some(
      (word) =>
        evidence.sourceStems.has(word) && !evidence.observedStems.has(word) && !before.topic.has(word),
    );
  return (
    !wasAsked ||
    !HAS_PARTS.test(evidence.source.request) ||
    ADDITION.test(text) ||
    observed.size > 0 ||
    statesObserved(text, evidence)
  );
}

/** True for a sentence with an observed time, day or larger number. */
function statesObserved(text: string, { facts }: PreparedEvidence): boolean {
  const { numbers, times, days } = quantitiesIn(withoutNames(text.replaceAll(CITATION, blank)));
  return (
    times.some(({ minutes }) => facts.times.has(minutes)) ||
    days.some((day) => isKnownDay(day, facts)) ||
    numbers.some(({ values }) => values.some((value) => value > SMALL && facts.numbers.has(value)))
  );
}

const SALUTATION_WORDS = oneOf(
  "dear|hi|hello|hey|sehr geehrte[rs]?|liebe[rs]?|hallo|ch(?:er|ère)|bonjour|querid[oa]|estimad[oa]",
  "hola|gentile|car[oa]|ciao|beste|geachte|kära?|hej|kjære|hei|hyvä|olá|prezad[oa]",
);
/** A line that addresses somebody, with the name. */
const SALUTATION = new RegExp(
  String.raw`^[\s*_>]*${SALUTATION_WORDS}\s+([\p{L}][\p{L}.'’ -]{0,60}?)\s*[,!:][\s*_]*$`,
  "iu",
);
const CLOSING_WORDS = oneOf(
  "(?:kind|best|warm|many)(?:est)? (?:regards|wishes|thanks)|regards|best|all the best|sincerely|yours",
  "cheers|with love|love|thank you|mit (?:freundlichen|besten|lieben)",
  "(?:viele|liebe|beste|herzliche) grü(?:ß|ss)e|cordialement|bien à vous|amicalement",
  "(?:un )?(?:cordial )?saludos?|atentamente|cordiali saluti|distinti saluti|met vriendelijke",
  "(?:med )?vänlig|vänliga|hälsningar|(?:med )?vennlig|hilsen|ystävällisin|atenciosamente",
);
const CLOSING = new RegExp(String.raw`^[\s*_>]*${CLOSING_WORDS}(?!\p{L})`, "iu");
const LETTER = new RegExp(
  wholeWords(
    "letters?|e-?mails?|mails?|messages?|repl(?:y|ies)|answer to|invitations?|complaints?|applications?",
    "postcards?|speech|briefe?s?|schreiben|nachricht|einladung|lettres?|courriel|réponse|invitation",
    "cartas?|correo|mensaje|respuesta|brev|kirje|lettera|messaggio|berichtje|bericht|carta",
  ),
  "iu",
);

/** True if the person asked for a letter or a message in this conversation, so that an answer may contain one. */
export const asksForLetter = ({ request, conversation }: AnswerEvidence): boolean =>
  [request, ...conversation.filter(({ role }) => role === "person").map(({ text }) => text)].some((text) =>
    LETTER.test(text),
  );

/**
 * Whether a line of an answer belongs to a letter, from a salutation to somebody other than the person until the closing. In a letter, "I"
 * is the person, so its claims are not the operator's. `wasWithin` is the result for the line before.
 */
export function isWithinLetter(text: string, wasWithin: boolean, { known = [] }: AnswerEvidence): boolean {
  if (CLOSING.test(text)) return false;
  const name = SALUTATION.exec(text)?.[1];
  if (name === undefined) return wasWithin;
  const person = /^You work for (.+)\.$/mu.exec(known.join("\n"))?.[1]?.toLowerCase() ?? "";
  const [first = ""] = person.split(" ");
  return first === "" || !name.toLowerCase().split(" ").includes(first);
}

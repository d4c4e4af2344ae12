import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { asksQuestion, withoutInformationRequests } from "@metahuman/core/policy/target-words";
import { isChange } from "./action-claims.ts";
import { ACTION_FORMS } from "./action-words.ts";
import { isKnownDay } from "./day-claims.ts";
import { otherLanguage } from "./answer-language.ts";
import { isReview, type PreparedEvidence } from "./evidence.ts";
import { type ObservedCall } from "./observed-calls.ts";
import { contentOf } from "./grounding.ts";
import { blank, contentWords, FILE, filesIn, QUOTE, stem } from "./mentions.ts";
import { type AnswerSoFar } from "./number-arithmetic.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { quantitiesIn } from "./quantities.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import {
  BARE_DONE,
  CONDITIONAL,
  FILLER,
  GENERAL,
  INSTRUCTION,
  JUDGES,
  NEGATION,
  NOW,
  OFFER,
  OPINION,
  OWN_THINGS,
  SECOND_PERSON_POSSESSIVE,
  STANDS,
} from "./vocabulary.ts";

/**
 * Verbs that order an action outside the answer. "Write", "tell" or "explain" are not among them, because an answer
 * alone fulfils them, nor are uses such as "call me Ada", "turn it into a table" and "remind me what it means".
 */
const ORDER_VERBS = [
  "reserve|buy|purchase|pay|renew|cancel|send|forward|phone|notify|inform|publish|upload|download|install|lock|unlock|restart|pause|dim|schedule|subscribe|unsubscribe|transfer|deposit|withdraw",
  "(?:book|order|text|message|e-?mail|mail|post)(?! (?:about|for|of|with|in|to|from|is|are|that|on)(?!\\p{L}))",
  "(?:call|ring)(?! (?:me|it|this|that|yourself)(?!\\p{L}))",
  "(?:turn|switch)(?= (?:\\S+ ){0,5}?(?:on|off|up|down)(?!\\p{L}))",
  "(?:remind|wake)(?! (?:me|us) (?:what|who|how|when|where|why|which|of)(?!\\p{L}))",
  "sign (?:me|us) up",
  "let (?!me |us |you )\\p{L}+(?: \\p{L}+){0,3} know",
  "tell (?!me |us |you |an? |the |your |more |some )\\p{L}+ (?:that|to|about|i|we)",
  "buche|reserviere|bestelle|kaufe|bezahle|kündige|storniere|sende|schicke?|maile|ruf|öffne|schließe",
  "(?:schalte?|mach|stell)(?= .*(?:ein|aus|an|zu|auf)(?!\\p{L}))|erinnere?(?! mich(?:,| daran, (?:was|wer|wie)))",
  "réserve[rz]?|commande[rz]?|achète|achetez|paie|payez|envoie|envoyez|appelle|appelez|éteins|éteignez|allume[rz]?|annule[rz]?",
  "reserva|compra|paga|envía|manda|llama|apaga|enciende|recuérdame|cancela",
  "muistuta (?:minua|meitä)|påminn (?:mig|oss)|minn meg|ricordami|herinner me|lembra-me|me lembre",
].join("|");

/** Verbs that may also ask for another wording: they order an action only with something of the person's own. */
const CHANGE_VERBS = [
  "delete|remove|erase|trash|archive|move|rename|put(?! (?:together|it|this|that|in|into) )",
  String.raw`add(?! (?:up|together)(?!\p{L}))|save|lösche?|entferne|verschiebe?|supprime[rz]?|efface[rz]?|borra`,
  "elimina",
].join("|");

/** A request that begins with one of these verbs, after words of politeness. */
const orders = (verbs: string): RegExp =>
  new RegExp(
    `^\\W*(?:(?:hey|hi|hello|oh|ah|hm+|oops|wait|no|nope|sorry|actually|well|ok|okay|so|now|please|kindly|also|and|then|just|bitte|jetzt|s['’]il (?:te|vous) plaît|por favor)[\\s,]+)*(?:(?:can|could|would|will) you (?:please |just |kindly )*|i (?:want|need|would like|['’]d like) you to |kannst du (?:bitte )?|könntest du (?:bitte )?|peux-tu |pouvez-vous |puedes )?(?:${verbs})(?!\\p{L})`,
    "iu",
  );

/**
 * Verbs that order an action if the request names a file; otherwise an answer alone may fulfil them: "write a poem".
 */
const FILE_VERBS = [
  String.raw`note|log|append|write|create|make|store|jot|copy|notiere?|schreib\p{L}*|erstelle?|note[rz]?|écri[st]`,
  "crée[rz]?|anota|escribe|crea",
].join("|");

/** Verbs that order a change of a file. */
const EDIT_VERBS = "update|fix|correct|edit|change|trag|ändere?|korrigiere?|corrige[rz]?|corrige|cambia";

const UNDO_VERBS =
  "undo|revert|take (?:it|that|this) back|rückgängig|mach (?:das|es) rückgängig|annule[rz]?|deshaz";

const ORDERS_ACTION = orders(ORDER_VERBS);
const ORDERS_FILE = orders(FILE_VERBS);
const ORDERS_EDIT = orders(EDIT_VERBS);
const ORDERS_UNDO = orders(UNDO_VERBS);
const ORDERS_CHANGE = orders(CHANGE_VERBS);

const ASKS_OWN_FACT_WORDS = oneOf(
  "how|(?:what|when|where|who)(?:['’]?s)?|whose|which|did|does|do|was|were|is|are|has|have|had|wie|was",
  "wann|wo|wer|wem|welche[rsn]?|hat|habe|hatte|war|ist|sind|combien|quel(?:le)?s?|quand|où|qui|est-ce",
  "cuánt[oa]s?|qué|cuál(?:es)?|cuándo|dónde|quién",
);
const VERBS_OF_SPEECH = oneOf(
  String.raw`write|wrote|written|say|said|send|sent|tell|told|promise[d]?|give|gave|owe[ds]?|schrieb\p{L}*`,
  String.raw`geschrieben|gesagt|écrit|dit|escrib\p{L}*|dijo`,
);
/** A question about something of the person's own: "my account", "did I", "wrote to me". */
const ASKS_OWN_FACT = new RegExp(
  String.raw`^\W*(?:(?:and|so|hey|please|tell me|und|et|y)[\s,]+)*${ASKS_OWN_FACT_WORDS}(?!\p{L})(?=.*(?:(?<!\p{L})(?:my|our|mine|mein\p{L}{0,2}|unser\p{L}{0,2}|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?)\s+\p{L}|(?<!\p{L})(?:did|have|had|was) (?:i|we)(?!\p{L})|${VERBS_OF_SPEECH}\s+(?:to |from |for )?(?:me|us|mir|uns|à moi|nous)(?!\p{L})|(?<!\p{L})(?:m['’]a|me (?:ha|escribió|dijo))(?!\p{L})|(?<!\p{L})(?:habe ich|hatte ich|war ich)(?!\p{L})))`,
  "iu",
);

const DOCUMENT = [
  "minutes|log(?:book)?|diary|journal|contract|lease|invoice|receipt|report|statement|spreadsheet|sheet",
  "table|csv|list|notes?|files?|folder|documents?|letter|agenda|protokoll|vertrag|rechnung|tabelle",
  "liste|notize?n?|datei|dateien|dokument|contrat|facture|tableau|fichier|contrato|factura|tabla",
  "archivo|acta",
].join("|");
/** A question about what a text says: "what do the minutes say about the keys?", "what is in the contract?" */
const ASKS_DOCUMENT = new RegExp(
  `(?<!\\p{L})(?:what|which|who|when|where|how|does|do|did|is|was|wer|wann|wo|wie|que|qui|quand|qué|quién|cuándo)(?!\\p{L})(?=[^.!]*(?<!\\p{L})(?:the|my|our|this|that|dem|der|das|die|den|le|la|les|el|los|las) (?:\\p{L}+ ){0,2}(?:${DOCUMENT})(?!\\p{L}))(?=[^.!]*(?<!\\p{L})(?:says?|said|states?|mentions?|(?:is|are|stands?|written|noted) (?:there )?(?:in|on|down)|according to|steht|stehen|sagt|laut|dit|disent|dice|dicen|según)(?!\\p{L}))`,
  "iu",
);

/** Questions for advice or a judgement, whose answers go beyond what is known. */
const ASKS_JUDGEMENT = new RegExp(
  wholeWords(
    "should|ought|could i|can i|may i|how (?:do|to|can|could|should|would)",
    "what (?:do you think|if|would|causes?|makes)|why|mean|correct|right|wrong|true|normal|safe|bad",
    String.raw`recommend|suggest|ideas?|soll\p{L}*|warum|wie (?:kann|mache)|richtig|falsch|pourquoi|dois-je`,
    "correcte?|por qué|debería",
  ),
  "iu",
);

/** Words that decline a request or ask for what is missing. */
export const DECLINES = new RegExp(
  wholeWords(
    "cannot|can['’]?t|could not|couldn['’]?t|unable|not able",
    "no (?:access|way|tool|skill|record|information|memory|idea)",
    "don['’]?t (?:have|know|see|find|remember)|do not (?:have|know|see|find|remember)|didn['’]?t|did not",
    "haven['’]?t|have not|not (?:possible|known|available|supported|done|found|yet)",
    "nothing (?:was|is|has)|sorry|afraid|apologi[sz]e|unfortunately|which",
    "kann (?:ich )?(?:das |dir |ihnen |leider )?nicht|kann nicht|weiß (?:ich )?nicht",
    "habe (?:ich )?(?:keinen?|nicht)|leider|nicht möglich|ne (?:peux|sais|trouve) pas",
    "je n['’]ai (?:pas|aucun)|désolée?|malheureusement|no (?:puedo|sé|tengo|encuentro|hay)|lo siento",
  ),
  "iu",
);

/** "I got", "here is": presents what the answer itself contains. */
export const PRESENTS = new RegExp(
  wholeWords(
    "here(?:['’]s| is| are)|below|as follows|you (?:can|could|may|might|should|need|have to)",
    "hier (?:ist|sind)|voici|aquí (?:está|tiene)",
  ),
  "iu",
);

/** True when a call succeeded that was more than a question to the person. */
const hasResult = (calls: readonly ObservedCall[]): boolean =>
  calls.some(({ success, tool }) => success && tool !== "ask_user");

/**
 * True when nothing was done or looked up for a request that orders an action, or asks for something of the person's
 * own.
 */
function needsBacking({ calls, source: { request } }: PreparedEvidence): boolean {
  return !hasResult(calls) && (ordersAction(request) || asksOwnFact(request));
}

/**
 * True for a sentence that code cannot tell to be honest although no call was made for an order, such as "Ham is on the list.": only what
 * is known may show it.
 */
export const answersOrderWithoutCall = (
  text: string,
  { calls, source: { request } }: PreparedEvidence,
  { hasDeclined }: AnswerSoFar,
): boolean => !hasResult(calls) && !hasDeclined && !DECLINES.test(text) && ordersAction(request);

/** True for a request that orders an action outside the answer. */
export const ordersAction = (request: string): boolean =>
  ORDERS_ACTION.test(request) ||
  ordersChange(request) ||
  (ORDERS_FILE.test(request) && filesIn(request).length > 0);

/** True for a request that orders a change of something of the person's own; an answer alone never fulfils it. */
const ordersChange = (request: string): boolean =>
  ORDERS_UNDO.test(request) ||
  (ORDERS_CHANGE.test(request) && (OWN_THINGS.test(request) || filesIn(request).length > 0)) ||
  (ORDERS_EDIT.test(request) && filesIn(request).length > 0);

const asksOwnFact = (request: string): boolean =>
  (ASKS_OWN_FACT.test(request) || ASKS_DOCUMENT.test(request)) &&
  !ASKS_JUDGEMENT.test(request) &&
  !JUDGES.test(request);

/**
 * Statements of an answer for which no call was made, although the request orders an action or asks for something of
 * the person's own: "A table is waiting for you.", "Your backup ran last night." What declines, asks, or repeats what
 * the conversation, a memory or the prompt says is left alone, and so is what follows a refusal.
 */
export function unbackedClaims(
  { text, isListItem, isQuoted }: Sentence,
  evidence: PreparedEvidence,
  before: AnswerSoFar,
): Problem[] {
  const { request } = evidence.source;
  if (isQuoted || isListItem) return [];
  if (hasUnknownNumber(text, evidence)) return [doubted(NOTHING_KNOWN)];
  if (!needsBacking(evidence)) return isUnbackedCompletion(text, evidence) ? [doubted(NOTHING_DONE)] : [];
  const isActionRequest = ordersAction(request);
  if (isActionRequest && (BARE_DONE.test(text) || CONSIDER_DONE.test(text)))
    return [refuted("It is said to be done, and no call did it.")];
  if (OFFER.test(text) || INSTRUCTION.test(text)) return [];
  if (FILLER.test(text) || text.endsWith("?") || before.hasDeclined || DECLINES.test(text)) return [];
  if (before.hasAsked || /:\s*$/u.test(before.sample) || /:\W*$/u.test(text)) return [];
  if ([GENERAL, OPINION, PRESENTS, CONDITION].some((one) => one.test(text)) || before.hasPresented) return [];
  if (isActionRequest && (isNegatedWhole(text) || isKnown(text, withoutRequests(evidence)))) return [];
  if (isActionRequest)
    return [STANDS.test(text) && NOW.test(text) ? refuted(NOTHING_DONE) : doubted(NOTHING_DONE)];
  return mentionsPerson(text, request) && !isKnown(text, withEarlierResults(evidence))
    ? [doubted(NOTHING_KNOWN)]
    : [];
}

/** Seven or more digits in groups: the number of a telephone or an account. */
const LONG_NUMBER = /(?<![\p{L}\d.,])\+?\(?\d{2,}[\d ()/-]{4,}\d(?![\d.,]\d)/gu;
const MIN_DIGITS = 7;
const CALCULATES = /[+*/×÷=^%]|\d\s*(?:times|plus|minus|mal|fois|por)\s*\d/iu;

/** True for the number of a telephone or an account that nothing known has, in an answer for which nothing was looked up. */
function hasUnknownNumber(text: string, { calls, digits, source: { request } }: PreparedEvidence): boolean {
  if (hasResult(calls) || !ASKS_NUMBER.test(request) || CALCULATES.test(request)) return false;
  return [...text.matchAll(LONG_NUMBER)]
    .map(([number]) => number.replaceAll(/\D/gu, ""))
    .some((number) => number.length >= MIN_DIGITS && !digits.includes(number));
}

const ASKS_NUMBER = new RegExp(
  wholeWords(
    String.raw`(?:tele)?phone|mobile|cell|number|account|iban|reach|ring|call|telefon\p{L}*|handy|nummer|konto`,
    String.raw`numéro|téléphone|número|teléfono|numero|puhelin\p{L}*`,
  ),
  "iu",
);

const DONE = [
  "ready|set(?: up)?|done|gone|in place|sorted(?: out)?|prepared|arranged|taken care of|settled|fixed",
  "up to date|finished|completed?|created|added|saved|stored|removed|deleted|undone|reverted|restored",
  "recorded|noted down|scheduled|updated|moved|renamed|fertig|bereit|erledigt|angelegt|eingerichtet",
  "erstellt|gelöscht|gespeichert|vorbereitet|weg|prêt(?:e|s|es)?|fait(?:e|s|es)?|créée?s?|supprimée?s?",
  "en place|list[oa]s?|hech[oa]s?|cread[oa]s?|borrad[oa]s?",
].join("|");
/** "The task and the page are ready", "It is undone": a state that somebody had to bring about. */
const IS_DONE = new RegExp(
  `(?<!\\p{L})(?:is|are|['’]s|['’]re|(?:has|have) been|was|were|ist|sind|wurden?|est|sont|está|están) (?:(?:now|all|both|already|also|back|jetzt|nun|alle|schon|bereits|maintenant|déjà|ya) )*(?:${DONE})(?!\\p{L})`,
  "iu",
);
const HAS_DONE_WORDS = oneOf(
  "prepared|arranged|sorted|set|put|made|got|taken|undone|done|fixed|settled|handled|organi[sz]ed",
  "completed|finished|restored|reverted|reversed|rolled|brought|cleaned|cleared|filled",
);
/** "I have taken it back", "I've prepared everything". */
const HAS_DONE = new RegExp(
  String.raw`(?<!\p{L})(?:i|we)(?:['’]ve| have) (?:(?:now|just|already|also) )*${HAS_DONE_WORDS}(?!\p{L})`,
  "iu",
);
/** "You are all set", "I am done": the state of a person. */
const OF_PERSON =
  /(?<!\p{L})(?:you(?:['’]re| are)|i(?:['’]m| am)|we(?:['’]re| are)|du bist|tu es|estás)(?!\p{L})/iu;
/** A subject that refers to what was asked. */
const STANDS_FOR_REQUEST =
  /^\W*(?:\p{L}+,? )?(?:it|that|this|they|everything|all|both|i|we|das|es|alles|tout|c|todo)(?!\p{L})/iu;
/** Requests for a text, which an answer alone fulfils. */
const ASKS_FOR_TEXT = new RegExp(
  wholeWords(
    String.raw`poems?|story|stories|jokes?|songs?|rhymes?|letters?|e-?mails?|recipes?|translat\p{L}*|gedicht`,
    "geschichte|witz|poème|histoire|poema|cuento",
  ),
  "iu",
);

/**
 * "The page is ready", to a request that is no question, although nothing was done for it in this run. The sentence is about the request:
 * it shares a word with it, or its subject stands for it.
 */
function isUnbackedCompletion(text: string, { calls, source: { request } }: PreparedEvidence): boolean {
  if (hasResult(calls) || asksQuestion(request) || ASKS_FOR_TEXT.test(request)) return false;
  if (withoutInformationRequests(request).trim() === "") return false;
  if (!(IS_DONE.test(text) && !OF_PERSON.test(text)) && !HAS_DONE.test(text)) return false;
  if ([NEGATION, CONDITIONAL, DECLINES, GENERAL, OFFER, INSTRUCTION].some((one) => one.test(text)))
    return false;
  const asked = new Set(contentWords(request).map(stem));
  return (
    !text.endsWith("?") &&
    (STANDS_FOR_REQUEST.test(text) || contentWords(text).some((word) => asked.has(stem(word))))
  );
}

/** The maximum number of words of an answer that ignores an order: "ok", "Will do!". */
const MAX_IDLE_WORDS = 3;

/** "Let me see.", "One moment.": nothing is said to be done. */
const ANNOUNCES = /^\W*(?:let me|let['’]s see|one moment|just a (?:moment|second)|hold on|moment)(?!\p{L})/iu;

/** True for a whole answer of a few words to an order for which no call was made, other than a refusal or a question. */
function isIdleAnswer(
  answer: string,
  { source: { request }, calls }: Pick<PreparedEvidence, "source" | "calls">,
): boolean {
  const words = answer.match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    words.length <= MAX_IDLE_WORDS &&
    !hasResult(calls) &&
    ordersAction(request) &&
    !answer.includes("?") &&
    !ANNOUNCES.test(answer) &&
    !DECLINES.test(answer) &&
    !NEGATION.test(answer)
  );
}

const IDLE_ANSWER = refuted("This answers an order, and no call was made for it.");

const ALL_DONE = oneOf(
  "(?:everything|it|all|that)(?:['’]s| is| has been)? (?:now )?(?:done|finished|completed?|ready|taken care of)",
  "all done|done|(?:alles |es )?(?:ist )?(?:jetzt |nun )?(?:erledigt|fertig)",
  "(?:tout |c['’])?est (?:fait|terminé|prêt)|(?:todo )?(?:está )?(?:hecho|listo|terminado)",
);
/** A whole answer that says that everything is done, and nothing else. */
const ONLY_DONE = new RegExp(
  String.raw`^\W*(?:(?:ok(?:ay)?|alright|great)[\s,.!]+)?${ALL_DONE}[\s.!\p{Extended_Pictographic}]*$`,
  "iu",
);

const UNMADE_CHANGE = refuted(
  "This answers an order to change something, and no call changed anything. Make the change, or say that it was not made.",
);

/** "It is at the top already" needs no call. */
const ALREADY = /(?<!\p{L})(?:already|anyway|schon|bereits|déjà|ya)(?!\p{L})/iu;

/**
 * The problem with a whole answer to an order for which no call was made, or only calls that read; undefined for an answer that says
 * so, asks, or finds the order fulfilled already.
 */
export function problemOfWholeAnswer(answer: string, evidence: PreparedEvidence): Problem | undefined {
  if (isIdleAnswer(answer, evidence)) return IDLE_ANSWER;
  const { source, calls } = evidence;
  const language = source.scratchpad.some(isReview) ? undefined : languageProblem(answer, source.request);
  if (language) return language;
  if (!hasResult(calls) || calls.some(isChange)) return undefined;
  const isOnlyDone = ONLY_DONE.test(answer) && ordersAction(source.request);
  if (!isOnlyDone && !ordersChange(source.request)) return undefined;
  const isHonest =
    answer.includes("?") || [ALREADY, DECLINES, NEGATION, OFFER, ANNOUNCES].some((one) => one.test(answer));
  return isHonest || findsNothing(calls) ? undefined : UNMADE_CHANGE;
}

/** An answer in another language than the request. What it quotes may be in any. */
function languageProblem(answer: string, request: string): Problem | undefined {
  const own = sentencesOf(answer)
    .filter(({ isQuoted, isListItem }) => !isQuoted && !isListItem)
    .map(({ text }) => text.replaceAll(QUOTE, blank).replaceAll(FILE, blank))
    .join(" ");
  const found = otherLanguage(request.replaceAll(QUOTE, blank).replaceAll(FILE, blank), own);
  return found === undefined
    ? undefined
    : refuted(
        `The request is in ${found.asked}, and the answer in ${found.answered}: answer every part of the request in ${found.asked}.`,
      );
}

/** True when every call returned an empty list, so that there was nothing to change. */
const findsNothing = (calls: readonly ObservedCall[]): boolean =>
  calls.every(({ text }) => /^total 0$/mu.test(text));

const CONSIDER_DONE = /^\W*consider (?:it|this|that) (?:done|settled|handled)/iu;

const NOTHING_DONE = "This is said of what was ordered, and no call did it.";
const NOTHING_KNOWN = "This is said of the person's own things, and nothing known says it.";

const CONDITION =
  /(?<!\p{L})(?:if|unless|would|could|might|may|once|before|wenn|falls|könnte|würde|si|pourrait|podría)(?!\p{L})/iu;

/** True when every clause of the sentence is negated: "The heating is not off." */
const isNegatedWhole = (text: string): boolean =>
  text.split(/[,;:]\s/u).every((clause) => NEGATION.test(clause));

/** True for a sentence about the person's things, and for a short answer such as "On 3 March." */
function mentionsPerson(text: string, request: string): boolean {
  if (
    SECOND_PERSON_POSSESSIVE.test(text) ||
    /^\W*(?:you|yes|no|du|sie|ja|nein|tu|vous|oui|non|tú|sí)(?!\p{L})/iu.test(text)
  )
    return true;
  const words = text.split(/\s+/u).length;
  if (words <= SHORT_ANSWER) return true;
  const asked = new Set(contentWords(request).map(stem));
  return contentWords(text).some((word) => asked.has(stem(word)));
}

const SHORT_ANSWER = 6;

/** The evidence without what the person asked before: that an order was given does not show that it was carried out. */
export function withoutRequests(evidence: PreparedEvidence): Pick<PreparedEvidence, "source" | "facts"> {
  const { source, facts } = evidence;
  const { request } = source;
  const memories = source.memories.map((memory) => memory.replace(ASKED, "").replaceAll(request, ""));
  return {
    facts,
    source: {
      ...source,
      memories,
      known: (source.known ?? []).map((text) => text.replaceAll(ASKED_IN_PROMPT, "").replaceAll(request, "")),
      conversation: source.conversation.filter(({ role }) => role === "operator"),
    },
  };
}

/** The evidence with what the calls of earlier requests returned as something known. */
function withEarlierResults({ source, facts }: PreparedEvidence): Pick<PreparedEvidence, "source" | "facts"> {
  const { earlierResults, known = [] } = source;
  return {
    facts,
    source: earlierResults === undefined ? source : { ...source, known: [...known, earlierResults] },
  };
}

/** The request of an exchange, as memories store it and as a prompt shows it. */
const ASKED = /^Asked: [\s\S]*?\n(?=(?:Answered|Not answered)\b)/u;
const ASKED_IN_PROMPT = /Asked: .*?(?= Answered: |<\/data>|$)/gmu;

/** True when what a sentence adds to the request is in the conversation, a memory or the prompt. */
function isKnown(text: string, { source, facts }: Pick<PreparedEvidence, "source" | "facts">): boolean {
  const known = new Set(
    contentWords(
      [...source.memories, ...(source.known ?? []), ...source.conversation.map((turn) => turn.text)].join(
        "\n",
      ),
    ).map(stem),
  );
  const asked = new Set(contentWords(source.request).map(stem));
  const added = contentOf(text)
    .filter((word) => !ACTION_FORMS.has(word))
    .map(stem)
    .filter((word) => !asked.has(word));
  const { numbers, days, times } = quantitiesIn(text);
  const isAboutKnown = [...asked].some((word) => known.has(word));
  // The rules for numbers know what follows from a known figure.
  if (isAboutKnown && numbers.length > 0) return true;
  const hasUnknownFigure =
    numbers.some(({ values }) => !values.some((value) => facts.numbers.has(value))) ||
    days.some((day) => !isKnownDay(day, facts)) ||
    times.some(({ minutes }) => !facts.times.has(minutes));
  if (hasUnknownFigure) return false;
  return added.length > 0 ? added.some((word) => known.has(word)) : isAboutKnown;
}

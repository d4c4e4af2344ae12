import { oneOf } from "@metahuman/core/text/patterns";
import { rewriteCalculationQuestion } from "./calculation/calculation-wordings.ts";
import { MAX_ORDER } from "./conversation/limits.ts";
import { stripPraise } from "./conversation/short-orders.ts";
import { rewriteFileOrder } from "./files/file-wordings.ts";
import { STARTS_WITH_ORDER, STATEMENT } from "./order-with-reasons.ts";
import { outsideQuotes } from "./request-spelling.ts";
import { rewriteTaskSentence } from "./tasks/task-sentences.ts";
import { rewriteAsTask, rewriteReminder } from "./tasks/task-wordings.ts";
import { ASKS_FOR } from "./word-lists.ts";

// The words of a request that ask for nothing: greetings, polite openings, asides, purposes.

/** Words that ask for nothing in any position. */
const ASIDE = oneOf(
  "pray|abeg",
  String.raw`for (?:god|heaven|goodness|pete)['’]?s sake`,
  String.raw`if (?:you|u) (?:do not|don['’]?t) mind|if (?:you|u) (?:can|could|may|would|like|please)`,
  "when (?:you|u) (?:can|have (?:a )?(?:time|moment|minute))",
  "you know|i mean|i (?:think|guess|suppose|believe|hope)",
  "by the way|btw|as usual|of course|at the moment|right now|oh (?:dear|no|well|yes|my)",
  "thank you|thanks|thx|cheers|full stop|comma|please|pls|plz|kindly",
  "bloody|damn(?:ed)?|freaking|flipping|blasted",
  "just|really|actually|basically|literally|honestly|obviously|quickly",
  "lol|haha+|hehe|hooray|hurray|hurrah|yay|yippee|alas|sadly|luckily|unfortunately",
  "mate|buddy|bro|dude|darling|sweetie|honey|sir|madam|ma['’]am",
  "u+m+|u+h+|e+r+m*|h+m+",
  "again|also|already|exactly|though|anyway|so far",
);
const ASIDES = new RegExp(String.raw`(?<![\p{L}\p{N}/._-])${ASIDE}(?![\p{L}\p{N}/_-])(?:\s*[,!;]+)?`, "giu");
/** A request without the words that ask for nothing in any position, outside quotation marks. */
export const withoutAsides = (request: string): string =>
  outsideQuotes(request, (part) => part.replaceAll(ASIDES, ""))
    .replaceAll(/\s+/gu, " ")
    .replace(/^[\s,;.!]+/u, "")
    .replace(/\s*[,;]*\s*(?<mark>[.?!]*)$/u, "$<mark>")
    .trim();

/** "…, I am afraid I have already forgotten?" */
const FORGETS = new RegExp(
  [
    String.raw`\s*[,;.–-]\s*(?:i\s+am\s+afraid\s+|i['’]m\s+afraid\s+|sorry\s+)?i(?:['’]ve|\s+have)?\s+(?:already\s+|just\s+|completely\s+)*`,
    String.raw`(?:forgot(?:ten)?|can['’]?t\s+remember|cannot\s+remember|don['’]?t\s+(?:remember|recall)|do\s+not\s+(?:remember|recall))`,
    String.raw`[^?,;.]{0,30}(?<mark>[\s.?!]*)$`,
  ].join(""),
  "iu",
);

/** A request without praise and thanks in front of it, and without the reason why it is asked once more. */
export function withoutChat(request: string): string {
  const asked = rewriteReminder(rewriteAsTask(stripPraise(request)));
  const plain = rewriteCalculationQuestion(rewriteTaskSentence(rewriteFileOrder(asked))).replace(
    /^(what|which|who)\s+all\s+(?!of\b|the\b|my\b)/iu,
    "$1 ",
  );
  return plain.length > MAX_ORDER ? plain : plain.replace(FORGETS, "$<mark>");
}

/** A polite beginning: "I wonder whether you could …", "might I trouble you to …" */
const POLITE_OPENING = oneOf(
  String.raw`(?:please\s+|perhaps\s+)?(?:i\s+(?:just\s+)?(?:wonder(?:ed)?|(?:am|was)\s+wondering|was\s+hoping|hope)|i['’]m\s+wondering)\s+(?:(?:if|whether|that)\s+)?(?:you|we)\s+(?:could|can|might|would|will|may)`,
  String.raw`(?:(?:may|might|could|can)\s+i|i\s+(?:must|should\s+like\s+to))\s+(?:ask|trouble|bother|request)\s+you\s+to`,
  String.raw`(?:would|could|will)\s+you\s+be\s+(?:so\s+)?(?:good|kind)(?:\s+enough|\s+as)?\s+(?:to|and)`,
  String.raw`(?:please|kindly)?\s*be\s+so\s+(?:good|kind)\s+(?:as\s+to|and)`,
);
const POLITE = new RegExp(
  String.raw`^${POLITE_OPENING}\s+(?:please\s+|possibly\s+|perhaps\s+|kindly\s+)*`,
  "iu",
);
const TELLS_WORDS = oneOf(
  "number|name|address|birthday|date|time|price|code|password|total|sum|age|size|weight|colou?r",
);
/** "Tell number of Asif again" asks for something of a thing. */
const TELLS = new RegExp(
  String.raw`^(?:tell|say|give)\s+(?:me\s+|us\s+)?(?<asked>(?:the\s+)?(?:phone\s+|telephone\s+|house\s+|bank\s+)?${TELLS_WORDS}\s+(?:of|for)\s+\S.*)$`,
  "iu",
);

/** The first words of a message that ask for nothing. */
const OPENING = oneOf(
  "a+h+|a+w+|a+y+|argh|u+gh+|o+h+|ha(?:ha)*|heh|hey|hi|hello|yo|lol|phew|wow|man",
  String.raw`ok|okay|alright|all\s+right|right|well|so|now|then|yes|yeah|yep|no(?:pe)?|nah|sorry|listen|look|hang\s+on|hold\s+on|wait`,
  String.raw`good\s+(?:morning|day|evening|afternoon|grief|lord|god)|dear\s+me|oh\s+dear|my\s+dear|thanks|thank\s+you|cheers`,
  "perfect|great|good|lovely|fine|brilliant|useless|wrong|damn|bother|blast",
  String.raw`one\s+more\s+thing|another\s+thing|next|aye|och|hiya|right(?:y|io|ho)|reyt|reet`,
  String.raw`blimey|crikey|gosh|jeez|goodness(?:\s+me)?|never\s*mind|i\s+am\s+afraid|i['’]m\s+afraid`,
);
const OPENER = new RegExp(String.raw`^${OPENING}(?:\s+(?:then|again|now))?(?:[\s,.!–-]+|$)`, "iu");
/** Whom a message speaks to, after such a word: "alright boss, …", "okay mija let's …". */
const ADDRESSED =
  /^(?:\p{L}+(?:\s\p{L}+)?\s*[,.!]\s+|\p{L}+\s+(?=(?:let['’]?s|can\s+you|could\s+you|will\s+you|would\s+you|please)\s))/iu;
/** An exclamation of its own: "Useless.", "What a day!" */
const EXCLAMATION = /^\p{L}+(?:\s\p{L}+){0,2}\s*[.!]+\s+(?=\S)/u;

/** An order or a question without the words that open the message; the message itself if something else is left. */
export function withoutOpening(request: string): string {
  let rest = request;
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(OPENER, "").replace(TELLS, "what is $<asked>");
    // The question mark belongs to the polite words.
    if (POLITE.test(rest)) rest = rest.replace(POLITE, "").replace(/\s*\?+$/u, "");
  }
  const isOpened = rest !== request;
  if (isOpened) rest = rest.replace(ADDRESSED, "");
  else if (!STARTS_WITH_ORDER.test(rest) && !STATEMENT.test(rest)) rest = rest.replace(EXCLAMATION, "");
  const order = rest.replace(/^(?:let['’]?s|let\s+us)\s+/iu, "");
  const isRead = STARTS_WITH_ORDER.test(order) || IS_ASKED.test(order) || STATEMENT.test(order);
  return rest !== request && isRead ? order : request;
}

const IS_ASKED = new RegExp(String.raw`^(?:${ASKS_FOR})(?:['’]?s)?\b`, "iu");

/** "-6 celsius in fahrenheit, for my client": a figure does not depend on what it is for. */
const ASKS_FIGURE =
  /^(?:(?:what(?:['’]?s|\s+is)|how\s+much(?:\s+(?:is|are))?|(?:i|we)\s+(?:need|want))\s+)?(?:the\s+(?:total|sum|average|number)\b|[€$£-]?\d)/iu;
const PURPOSE = /(?:\s*,\s*|\s+)for\s+(?:my|our|his|her|their|an?)\s+[\p{L}\s'’-]{2,40}(?<mark>[.?!]*)$/iu;
/** A request for a figure without the words for what it is needed. */
export const withoutPurpose = (request: string): string =>
  ASKS_FIGURE.test(request) ? request.replace(PURPOSE, "$<mark>") : request;

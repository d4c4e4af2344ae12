import { oneOf } from "../../text/patterns.ts";

// Replies that say yes or no to whatever was asked or offered. Replies that fit only one question ("make it a function", "the second")
// are read in the file of that question.

/** Words that are a yes wherever they begin a reply. */
const PLAIN_YES = [
  "y|yes|yep|yup|yeah|ye|aye|ok|okay",
  String.raw`ja|jawohl|jo|joo|klar|gern|gerne|natürlich|oui|ouais|d['’]accord|bien sûr|s[ií]|claro|vale|certo|va bene|sim|kyllä`,
];
/** Words that are a yes alone, and may begin another sentence: "correct the name", "right wing". */
const YES_ALONE =
  "all right|alright|sure|right|correct|exactly|absolutely|definitely|certainly|of course|fine|agreed|confirm(?:ed)?";
const GO_AHEAD = "please do|do (?:it|so|that)|go (?:ahead|on|for it)|mach das|vas-y";
const NO_WORDS = [
  "no|nope|nah|naw|no way|no need|not needed|not now|never|none|neither|nothing|cancel|stop|leave it|never ?mind|nvm|forget it",
  "do not|don['’]?t|none of (?:them|these|those)|(?:don['’]?t|do not) do (?:it|so|that)",
  "nein|nee|nej|non|não|lieber nicht|lass es",
];
const FILLERS =
  "please|pls|plz|thanks|thank you|thx|ty|ta|cheers|mate|dear|love|then|for now|oh|ah|um|well|danke|bitte|merci|gracias|por favor|s['’]il (?:te|vous) pla[iî]t|obrigad[oa]|tak";

/** Matches a message that consists of these words and fillers. */
const only = (words: readonly string[]): RegExp =>
  new RegExp(
    String.raw`^[^\p{L}\p{N}?]*(?:${oneOf(FILLERS)}[\s,.!]+)*${oneOf(...words)}(?:[\s,.!]+(?:and\s+)?${oneOf(...words, FILLERS)})*[^\p{L}\p{N}?]*$`,
    "iu",
  );

const ONLY_YES = only([...PLAIN_YES, YES_ALONE, GO_AHEAD, "please|pls|plz|bitte|por favor"]);
const ONLY_NO = only(NO_WORDS);
/** "Don't stop" asks to go on. */
const DENIES_NO = /\b(?:don['’]?t|do not|never)\s+(?:stop|cancel|leave|forget)\b/iu;
const YES_FIRST = new RegExp(
  String.raw`^[^\p{L}\p{N}]*(?:${oneOf(...PLAIN_YES)}(?![\p{L}\p{N}'’])|${oneOf(YES_ALONE)}(?=\s*(?:[,.!:;–-]|$)))`,
  "iu",
);

/** No message that only agrees or declines is longer, in UTF-16 code units. */
const MAX_LENGTH = 80;

/** True for a message that says yes and nothing else: "yes please", "ok, do it", "natürlich". */
export const onlyAgrees = (message: string): boolean =>
  message.length <= MAX_LENGTH && ONLY_YES.test(message);

/** True for a message that says no and nothing else: "no thanks", "nope, leave it", "lieber nicht". */
export const onlyDeclines = (message: string): boolean =>
  message.length <= MAX_LENGTH && ONLY_NO.test(message) && !DENIES_NO.test(message);

/**
 * The words after a yes at the beginning of a message: "the second" in "yes, the second". Undefined without a yes. It is no
 * consent: the words may take it back.
 */
export function restAfterYes(message: string): string | undefined {
  const yes = YES_FIRST.exec(message)?.[0];
  return yes === undefined ? undefined : message.slice(yes.length).replace(/^[\s,.!:;–-]+/u, "");
}

const FILLERS_AROUND = new RegExp(
  String.raw`^(?:${oneOf(FILLERS)}[\s,.!]+)+(?=\S)|(?:[\s,.!]+${oneOf(FILLERS)})+[\s,.!]*$`,
  "giu",
);

/** A reply without fillers at its ends: "the second one" of "the second one, please". */
export const withoutFillers = (reply: string): string => reply.replace(FILLERS_AROUND, "");

/** What limits a yes, takes it back or asks back: "yes, but keep the last", "ok, stop". */
export const LIMITS_YES =
  /\?|(?<!\p{L})(?:but|except|only|not|no|nope|nah|don['’]?t|never|none|neither|nothing|stop|cancel|wait|hold on|instead|leave|keep|later|first|one of|nicht|kein\p{L}*|aber|nur|außer|pas|mais|sauf|pero|salvo)(?!\p{L})/iu;

/** Words that repeat what is asked and name no part of it: "delete them all". */
const REPEATS = oneOf(
  "all|both|every|of|them|it|these|those|the|everything|files|folders|tasks|notes|rows|lines|things",
  String.raw`(?<=\ball\s)\d+|do|go|ahead|delete|remove|erase|clear|throw|get|rid|bin|wipe|away|out|off|up|and|now`,
  "alle|alles|beide|tous|toutes|todos|todas",
  FILLERS,
);
const ONLY_REPEATS = new RegExp(String.raw`^(?:${REPEATS}(?![\p{L}\p{N}'’])[\s,.!]*)*$`, "iu");
const ALL_OF_THEM = /(?<!\p{L})(?:all|both|them|everything|alle|beide)(?![\p{L}\p{N}'’])/iu;
const YES_BEFORE_ORDER = new RegExp(String.raw`^[^\p{L}\p{N}]*${oneOf(YES_ALONE)}\s+`, "iu");

/** True for a yes to all that is asked, also in more words that name no part of it: "yes, delete them", "all of them". */
export function agreesToAll(reply: string): boolean {
  if (onlyAgrees(reply)) return true;
  const yes = restAfterYes(reply);
  const rest = yes ?? reply.trim().replace(YES_BEFORE_ORDER, "");
  return ONLY_REPEATS.test(rest) && (yes !== undefined || ALL_OF_THEM.test(rest));
}

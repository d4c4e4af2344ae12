import { oneOf } from "../../text/patterns.ts";

// Replies that say yes or no, and nothing else, to whatever was asked or offered. Every question and offer reads them here; what agrees
// to one of them alone ("make it a function", "the second") is beside that one.

const YES_WORDS = [
  "y|yes|yep|yup|yeah|ye|aye|sure|ok|okay|right|correct|exactly|absolutely|definitely|certainly|of course|fine|agreed|confirm(?:ed)?",
  String.raw`ja|jawohl|jo|joo|klar|gern|gerne|natürlich|oui|ouais|d['’]accord|bien sûr|s[ií]|claro|vale|certo|va bene|sim|kyllä|da|tak`,
];
const GO_AHEAD =
  "please do|do (?:it|so|that)|go (?:ahead|on|for it)|(?:that|this) one|that is it|that['’]s it|it is|mach das|vas-y";
const NO_WORDS = [
  "no|nope|nah|naw|no way|no need|not needed|not now|never|none|neither|nothing|cancel|stop|leave it|never ?mind|nvm|forget it",
  "do not|don['’]?t|none of (?:them|these|those)|(?:don['’]?t|do not) do (?:it|so|that)",
  "nein|nee|nej|non|não|lieber nicht|lass es",
];
const FILLERS =
  "please|pls|plz|thanks|thank you|thx|ty|ta|cheers|mate|dear|love|then|for now|oh|ah|um|well|danke|bitte|merci|gracias|por favor|s['’]il (?:te|vous) pla[iî]t|obrigad[oa]";

/** Matches a message that consists of these words and fillers. */
const only = (words: readonly string[]): RegExp => {
  const word = oneOf(...words);
  return new RegExp(
    String.raw`^[^\p{L}?]*(?:${oneOf(FILLERS)}[\s,.!]+)*${word}(?:[\s,.!]+(?:and\s+)?${oneOf(...words, FILLERS)})*[^\p{L}?]*$`,
    "iu",
  );
};

const ONLY_YES = only([...YES_WORDS, GO_AHEAD, "please|pls|plz|bitte|por favor"]);
const ONLY_NO = only(NO_WORDS);
const YES_FIRST = new RegExp(String.raw`^\W*${oneOf(...YES_WORDS, GO_AHEAD)}(?![\p{L}\p{N}'’])`, "iu");

/** No message that only agrees or declines is longer, in UTF-16 code units. */
const MAX_LENGTH = 80;

/** True for a message that says yes and nothing else: "yes please", "ok, do it", "natürlich". */
export const onlyAgrees = (message: string): boolean =>
  message.length <= MAX_LENGTH && ONLY_YES.test(message);

/** True for a message that says no and nothing else: "no thanks", "nope, leave it", "lieber nicht". */
export const onlyDeclines = (message: string): boolean =>
  message.length <= MAX_LENGTH && ONLY_NO.test(message);

/** The words after a yes at the beginning of a message: "the second" in "yes, the second". Undefined without a yes. */
export function restAfterYes(message: string): string | undefined {
  const yes = YES_FIRST.exec(message)?.[0];
  return yes?.length === undefined ? undefined : message.slice(yes.length).replace(/^[\s,.!:;–-]+/u, "");
}

const FILLERS_AROUND = new RegExp(
  String.raw`^(?:${oneOf(FILLERS)}[\s,.!]+)+(?=\S)|(?:[\s,.!]+${oneOf(FILLERS)})+[\s,.!]*$`,
  "giu",
);

/** A reply without fillers at its ends: "the second one" of "the second one, please". */
export const withoutFillers = (reply: string): string => reply.replace(FILLERS_AROUND, "");

const ALL_OF_THEM = /^\W*all(?: of (?:them|it))?(?![\p{L}'’])/iu;
/** What limits a yes, takes it back or asks back: "yes, but keep the last", "ok, stop". */
const LIMITS =
  /\?|(?<!\p{L})(?:but|except|only|not|no|nope|nah|don['’]?t|never|none|nothing|stop|cancel|wait|hold on|instead|leave|keep|later)(?!\p{L})/iu;

/** True for a yes to all that is asked, also with more words: "yes, delete them", "all of them". */
export const agreesToAll = (reply: string): boolean =>
  (restAfterYes(reply) !== undefined || ALL_OF_THEM.test(reply)) && !LIMITS.test(reply);

import { oneOf } from "../../text/patterns.ts";
import { outsideQuotations } from "./rewritable-text.ts";

/** Endings of file names that people dictate. */
const EXTENSION =
  "md|txt|json|csv|log|html?|ya?ml|xml|pdf|tsx?|jsx?|py|sh|css|toml|ini|conf|rtf|docx?|png|jpe?g|zip";
const SEPARATOR: Readonly<Record<string, string>> = {
  slash: "/",
  dash: "-",
  hyphen: "-",
  minus: "-",
  underscore: "_",
  dot: ".",
};
const JOINT = Object.keys(SEPARATOR).join("|");
const DICTATED_PATH = new RegExp(
  String.raw`(?<![\p{L}\p{N}_/.-])[\p{L}\p{N}_/.-]+(?:\s+(?:forward\s+)?(?:${JOINT})\s+[\p{L}\p{N}_.-]+)*?\s+dot\s+(?:${EXTENSION})(?![\p{L}\p{N}])`,
  "giu",
);
const DICTATED_QUOTES =
  /(?<![\p{L}\p{N}])(?:open quotes?|quote|begin quote)\s+(.+?)\s+(?:unquote|end quote|close quotes?)(?![\p{L}\p{N}])/giu;
const DICTATED_SEPARATOR = new RegExp(String.raw`\s+(?:forward\s+)?(${JOINT})\s+`, "giu");

/** Sounds of hesitation; they are not words of any text. */
const HESITATION = /(?<![\p{L}\p{N}'’-])(?:uh+|uhm+|um+|erm+|hmm+)(?![\p{L}\p{N}'’-])[,…]?\s*/giu;

/** Leaves out sounds of hesitation that are not quoted: "remind me to uh water the plants". */
export function withoutHesitation(request: string): string {
  return request.search(HESITATION) < 0
    ? request
    : outsideQuotations(request, (masked) => masked.replace(HESITATION, "").trim());
}

/** The beginning of a letter: "My dear machine, …". */
const SALUTATION = /^\s*(?:my )?dear (?:old )?(?:\p{L}[\p{L}-]*)(?: \p{L}[\p{L}-]*)?[,!]\s+(?=\S)/iu;

const SIGN_OFF_WORDS = oneOf(
  "(?:with )?(?:kind|best|warm|many) (?:regards|wishes|greetings)|regards|yours(?: sincerely| truly)?",
  "sincerely|cheers|greetings|love|thanks",
);
/** The end of a letter after a quotation, which is then the whole text: `… "Thank you." Kind regards, Margaret`. */
const SIGN_OFF = new RegExp(
  String.raw`(?<=["”»][.!]?)\s+${SIGN_OFF_WORDS}(?:,?\s+\p{Lu}[\p{L}.'’-]*){0,2}[\s.!]*$`,
  "iu",
);

const THANKS_WORDS = oneOf(
  "(?:many )?thanks(?: a lot| so much| in advance| again)?",
  "thank you(?: very much| so much| in advance)?|thx|ty|cheers|much obliged|much appreciated|bless you",
);
/** A sentence of thanks after a file name or a question, where no text can go on. */
const THANKS = new RegExp(
  String.raw`(?<=\.\p{L}[\p{L}\p{N}]{0,9}[.!]|\?)\s+(?:(?:ok|okay|great|and),?\s+)?${THANKS_WORDS}(?:,?\s+(?:dear|mate|friend|buddy|\p{Lu}\p{L}+))?[\s.!]*$`,
  "iu",
);

/**
 * Leaves out how a letter to the operator begins and ends. Without quotation marks, the words may belong to the text, unless they are a
 * sentence after the name of a file or a question.
 */
export function withoutSignOff(request: string): string {
  return request.replace(SALUTATION, "").replace(SIGN_OFF, "").replace(THANKS, "");
}

/** "VK3ZZ comma Australia comma 20m": one such word alone may be a word of a text, and so may those of a quotation. */
const DICTATED_COMMAS = /^(?=[^,]*\scomma\s[^,]*\scomma\s)[^,"“”«»\n]{1,300}$/iu;

/** Converts dictated commas between values to signs. */
export const withDictatedCommas = (request: string): string =>
  DICTATED_COMMAS.test(request) ? request.replaceAll(/\s+comma\s+/giu, ", ") : request;

/**
 * Converts dictated names and quotation marks to signs: "todo dot txt", "inbox slash junk dot txt", "quote hello
 * unquote". A spoken sign counts only inside a name with a known extension, so that "a dash of salt" stays unchanged.
 */
export function withDictatedMarks(request: string): string {
  if (!/\b(?:dot|quote|quotes)\b/iu.test(request)) return request;
  return request
    .replace(DICTATED_QUOTES, (_, inner: string) => `"${inner}"`)
    .replace(DICTATED_PATH, (name) =>
      name.replace(DICTATED_SEPARATOR, (_, sign: string) => SEPARATOR[sign.toLowerCase()] ?? ""),
    );
}

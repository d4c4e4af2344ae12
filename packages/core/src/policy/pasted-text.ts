import { plainWords } from "../text/words.ts";

/** The number of words from which a quotation or a paragraph is a text, and no name or order. */
const TEXT_WORDS = 12;

const LOOKS = [
  "summari[sz]e|summary|gist|sum up|shorten|condense|translate|explain|rephrase|reword|paraphrase",
  "proofread|check|review|read|analy[sz]e|interpret|classify|judge|answer|reply|respond|tell me|what",
  "who|is|are|does|do|give me|list|extract|find|fasse?|übersetze?|erkläre?|prüfe?|lies|was|beantworte",
  "résume[rz]?|tradui[st]|explique[rz]?|vérifie|que|resume|traduce|explica|qué|riassumi|traduci|spiega",
  "cosa|vat|vertaal",
].join("|");
const TEXTS = [
  "this|that|these|below|above|following|e-?mails?|mails?|messages?|letters?|texts?|articles?|posts?",
  "paragraphs?|passages?|chats?|sms|transcripts?|minutes|reviews?|reports?|pages?|newsletters?|adverts?",
  String.raw`ads?|quotes?|he|she|they|das|dies\p{L}*|folgende\p{L}*|nachricht|brief|artikel|beitrag|abschnitt`,
  "ceci|suivante?|courriel|lettre|texte|esto|este|correo|carta|texto|questo|questa|lettera|testo",
  "messaggio",
].join("|");

/** A line that asks to look at a text: "summarise this mail for me", "what does she want here?" */
const LOOKS_AT_TEXT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${LOOKS})(?![\p{L}\p{N}])(?:.*[^\p{L}\p{N}])?(?:${TEXTS})(?![\p{L}\p{N}])`,
  "iu",
);
const CARRIES_OUT =
  /(?<!\p{L})(?:do|doing|carry|run|execute|follow|mach|fais|haz|fai) (?:\p{L}+ )?(?:this|that|these|the|it|das|ceci|esto)(?!\p{L})/iu;
const QUOTATION = /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|```[\s\S]*?```/gu;

/**
 * The person's own words of a message, without a text that they pasted to have it looked at: after "summarise this mail:", before "what
 * does he want?", or in quotation marks. Text by others gives no orders, even in a message of the person.
 */
export function withoutPastedText(message: string): string {
  const text = message.replaceAll(QUOTATION, (quotation) => (isText(quotation) ? " “…” " : quotation)).trim();
  const [, before = "", after = ""] = /^([^\n:]{0,200}[:\n])([\s\S]+)$/u.exec(text) ?? [];
  if (looksAtText(before) && (before.endsWith(":") || isText(after))) return before;
  const [, start = "", end = ""] = /^([\s\S]+)\n([^\n]{1,200})$/u.exec(text) ?? [];
  return looksAtText(end) && isText(start) ? end : text;
}

const isText = (text: string): boolean => plainWords(text).length >= TEXT_WORDS;

const looksAtText = (line: string): boolean => LOOKS_AT_TEXT.test(line) && !CARRIES_OUT.test(line);

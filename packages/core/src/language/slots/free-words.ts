import { withoutTrailing } from "../../text/words.ts";
import type { Token } from "../tokens/tokens.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";
import type { SlotInput } from "./slot-reader.ts";

/** Quantifiers. The words after them name more than a single item. */
export const QUANTIFIERS: ReadonlySet<string> = new Set([
  "all",
  "every",
  "everything",
  "any",
  "anything",
  "both",
  "each",
  "no",
  "nothing",
]);
/** Maximum length of a title or a search, in UTF-16 code units. */
export const MAX_TITLE = 500;
/** Polite words at the end of a title or a search. In other text they are content. */
const POLITE_ENDING = /^(?:please|pls|plz|thanks|thx)$/;

function isContent(token: Token | undefined): boolean {
  if (token === undefined || token.kind === "mark") return false;
  return token.kind !== "word" || !FUNCTION_WORDS.has(token.text);
}

/**
 * Skips punctuation that separates a slot from the words before it: "todo: water plants". A dash on a new line, or
 * at the beginning of text to write, is a bullet.
 */
export function afterMarks({ tokens, from, to, slot }: SlotInput): number {
  const isWritten = slot.type === "wording" || slot.type === "text";
  const separates = (token: Token | undefined): boolean =>
    token?.kind === "mark" &&
    /^[,:;.–—-]$/.test(token.text) &&
    !token.onNewLine &&
    !(isWritten && /^[-.]$/u.test(token.text) && token.spaced);
  let index = from;
  while (index < to && separates(tokens[index])) index++;
  return index;
}

/** True for punctuation that belongs to the word before it: "Hurry!", "(one)". A full stop may end the command. */
function belongsToWord(token: Token | undefined): boolean {
  if (token?.kind === "symbol" || (token?.kind === "mark" && token.text === "%")) return true;
  return token?.kind === "mark" && !token.spaced && /^[!?…)\]}%>*'"]$/.test(token.text);
}

/** "May" is a month after a preposition: "from may". */
const isMay = (tokens: readonly Token[], index: number): boolean =>
  tokens[index]?.text === "may" && /^(?:from|in|of|during|since|for)$/.test(tokens[index - 1]?.text ?? "");

const JOINING = /^(?:,|;|and|&|then|or)$/;
const ANOTHER = /^(?:another|second|third)$/;

/** True if the words contain more than one text: `"a" and y.md with "b"`, "call Tom and another one to call Ann". */
function hasSeveralTexts(tokens: readonly Token[], start: number, end: number): boolean {
  if (tokens[start]?.kind === "quoted" && end > start + 1 && JOINING.test(tokens[start + 1]?.text ?? ""))
    return true;
  return tokens
    .slice(start, end)
    .some((token, index, words) => JOINING.test(token.text) && ANOTHER.test(words[index + 1]?.text ?? ""));
}

/** Returns the possible ends of a span of free words, longest first. A span needs a content word. */
export function* freeEnds({ tokens, to }: SlotInput, start: number): Iterable<number> {
  if (hasSeveralTexts(tokens, start, to)) return;
  const content = tokens.findIndex(
    (token, index) => index >= start && (isContent(token) || isMay(tokens, index)),
  );
  if (content < 0) return;
  for (let end = to; end > content; end--) {
    if (tokens[end - 1]?.kind === "mark" && end !== to && !belongsToWord(tokens[end - 1])) continue;
    if (end < to && belongsToWord(tokens[end])) continue;
    yield end;
  }
}

/** Words that something follows. */
const INNER = /^(?:is|are|was|were|be|the|an?|of|my|our|and|or|which)$/;

/** Returns the possible ends of a span of free words up to the length of a title, without polite words at the end. */
export function* titleEnds(input: SlotInput, start: number): Iterable<number> {
  const { tokens } = input;
  const begin = tokens[start]?.start ?? 0;
  for (const end of freeEnds(input, start)) {
    if ((tokens[end - 1]?.end ?? 0) - begin > MAX_TITLE) continue;
    const last = tokens[end - 1]?.text ?? "";
    // "Check which bills are due": a title does not end within its words.
    if (end < input.to && end - start > 1 && INNER.test(last)) continue;
    const isForMe = /^(?:me|us)$/.test(last) && tokens[end - 2]?.text === "for";
    if (
      end - start === 1 ||
      !(POLITE_ENDING.test(last) || isForMe || (last === "you" && tokens[end - 2]?.text === "thank"))
    )
      yield end;
  }
}

/** In a long gap, a separator would be looked for from every blank on. */
const LONG_GAP = /[^\S\n]{12,}/gu;

/** Splits a list: "milk, eggs and bread", or one item per line. */
export function itemsIn(words: string): string[] {
  // "1. pick up the suit 2. polish shoes" is one item per number.
  const list = words.replaceAll(LONG_GAP, " ");
  const numbered = /^\s*1[.)]\s/u.test(list) ? list.split(/[\s,;]*(?<![^\s,;])\d{1,2}[.)]\s+/u) : [list];
  return (numbered.length > 2 ? numbered : [list])
    .flatMap((part) => part.split(/\s*[,;\n]\s*(?:(?:and|&)\s+)?|\s+(?:and|&)\s+/iu))
    .map((item) => withoutTrailing(item.replace(/^[-*•\s]+/u, ""), /[\s.,;:!?]/u))
    .filter((item) => item !== "");
}

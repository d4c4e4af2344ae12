import { LEADING_FILLER, TRAILING_FILLER } from "./filler-lists.ts";
import { isTypo } from "./spelling.ts";
import type { Token } from "./tokens.ts";

/** Every word of these phrases. They are known words, never typos. */
export const FILLER_WORDS: ReadonlySet<string> = new Set([...LEADING_FILLER, ...TRAILING_FILLER].flat());

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === "word" && (token.text === word || (word.length >= 5 && isTypo(token.text, word)));
}

function longestPhraseAt(
  tokens: readonly Token[],
  from: number,
  to: number,
  phrases: readonly (readonly string[])[],
): number {
  let longest = 0;
  for (const phrase of phrases) {
    if (phrase.length <= longest || from + phrase.length > to) continue;
    if (phrase.every((word, index) => isWord(tokens[from + index], word))) longest = phrase.length;
  }
  return longest;
}

const isSpacer = (token: Token | undefined): boolean =>
  token?.kind === "symbol" || (token?.kind === "mark" && /^[,.!?:;…\-–—*)'"]$/.test(token.text));

/** Returns where a command begins after filler phrases, and whether it is phrased as a question about ability. */
export function afterFiller(
  tokens: readonly Token[],
  from: number,
  to: number,
): { at: number; asksAbility: boolean } {
  let at = from;
  let asksAbility = false;
  for (;;) {
    if (at < to && isSpacer(tokens[at])) {
      at++;
      continue;
    }
    const length = longestPhraseAt(tokens, at, to, LEADING_FILLER);
    if (length === 0) return { at, asksAbility };
    asksAbility ||= /^(?:can|could|would|will)$/.test(tokens[at]?.text ?? "");
    at += length;
  }
}

/** Returns the number of filler words that make up the rest of a clause; undefined if it contains anything else. */
export function trailingFiller(tokens: readonly Token[], from: number, to: number): number | undefined {
  let words = 0;
  for (let at = from; at < to;) {
    if (isSpacer(tokens[at])) {
      at++;
      continue;
    }
    const length = longestPhraseAt(tokens, at, to, TRAILING_FILLER);
    if (length === 0) return undefined;
    words += length;
    at += length;
  }
  return words;
}

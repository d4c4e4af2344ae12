import { LEADING_FILLER, TRAILING_FILLER } from "./filler-lists.ts";
import { isTypo } from "./spelling.ts";
import type { Token } from "./tokens.ts";

/** Every word of these phrases. They are never corrected as typos. */
export const FILLER_WORDS: ReadonlySet<string> = new Set([...LEADING_FILLER, ...TRAILING_FILLER].flat());

function isWord(token: Pick<Token, "kind" | "text"> | undefined, word: string): boolean {
  return token?.kind === "word" && (token.text === word || (word.length >= 5 && isTypo(token.text, word)));
}

type FillerPhrases = (first: string) => readonly (readonly string[])[];

/** Limit of the cache of first words, so that it does not grow for as long as the server runs. */
const MAX_FIRST_WORDS = 2_000;

/** The phrases that a word can begin. Every phrase is compared once per word; a request asks for each word many times. */
function byFirstWord(phrases: readonly (readonly string[])[]): FillerPhrases {
  const known = new Map<string, readonly (readonly string[])[]>();
  return (first) => {
    let begun = known.get(first);
    if (begun === undefined) {
      begun = phrases.filter(([word = ""]) => isWord({ kind: "word", text: first }, word));
      if (known.size >= MAX_FIRST_WORDS) known.clear();
      known.set(first, begun);
    }
    return begun;
  };
}

const leadingFiller = byFirstWord(LEADING_FILLER);
const trailingFillers = byFirstWord(TRAILING_FILLER);

function longestPhraseAt(tokens: readonly Token[], from: number, to: number, phrases: FillerPhrases): number {
  const first = tokens[from];
  if (first?.kind !== "word") return 0;
  let longest = 0;
  for (const phrase of phrases(first.text)) {
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
  let index = from;
  let asksAbility = false;
  for (;;) {
    if (index < to && isSpacer(tokens[index])) {
      index++;
      continue;
    }
    const length = longestPhraseAt(tokens, index, to, leadingFiller);
    if (length === 0) return { at: index, asksAbility };
    asksAbility ||= /^(?:can|could|would|will)$/.test(tokens[index]?.text ?? "");
    index += length;
  }
}

/** Returns the number of filler words that make up the rest of a clause; undefined if it contains anything else. */
export function trailingFiller(tokens: readonly Token[], from: number, to: number): number | undefined {
  let words = 0;
  for (let index = from; index < to;) {
    if (isSpacer(tokens[index])) {
      index++;
      continue;
    }
    const length = longestPhraseAt(tokens, index, to, trailingFillers);
    if (length === 0) return undefined;
    words += length;
    index += length;
  }
  return words;
}

import { isTypo } from "./spelling.ts";
import type { Token } from "./tokens.ts";

/** Phrases before a command that are not part of it. */
const LEADING = [
  "please",
  "pls",
  "plz",
  "kindly",
  "hey",
  "hi",
  "hello",
  "hallo",
  "dear",
  "yo",
  "ok",
  "okay",
  "alright",
  "all right",
  "right",
  "so",
  "well",
  "now",
  "then",
  "just",
  "also",
  "next",
  "first",
  "first of all",
  "firstly",
  "second",
  "secondly",
  "third",
  "thirdly",
  "maybe",
  "perhaps",
  "possibly",
  "finally",
  "lastly",
  "quickly",
  "quick",
  "yes",
  "yeah",
  "yep",
  "sure",
  "great",
  "oh",
  "um",
  "uh",
  "actually",
  "instead",
  "and",
  "hey there",
  "hi there",
  "hello there",
  "good morning",
  "good evening",
  "good afternoon",
  "metahuman",
  "assistant",
  "computer",
  "bot",
  "thanks",
  "thank you",
  "can you",
  "could you",
  "would you",
  "would you mind",
  "will you",
  "can u",
  "could u",
  "can you go",
  "can i ask you to",
  "could i ask you to",
  "may i ask you to",
  "can you help me",
  "could you help me",
  "help me",
  "help me to",
  "can we",
  "could we",
  "shall we",
  "should we",
  "i would like you to",
  "i would like to",
  "i want you to",
  "i want to",
  "i wanna",
  "i need you to",
  "i need to",
  "i wish to",
  "i would love you to",
  "i would love to",
  "i would appreciate it if you could",
  "i will need you to",
  "i am going to need you to",
  "it would be great if you could",
  "it would be nice if you could",
  "would it be possible to",
  "is it possible for you to",
  "let us",
  "go ahead and",
  "go and",
  "try to",
  "try and",
  "do me a favor and",
  "do me a favour and",
  "be so kind and",
  "be so kind as to",
  "would you be so kind as to",
  "you can",
  "you could",
  "you may",
  "you should",
  "make sure to",
  "be sure to",
  "remember also",
  "do not forget to",
  "tell me",
  "let me know",
  "let me",
  "do you know",
  "do you happen to know",
  "i would like to know",
  "i want to know",
  "i need to know",
  "i am wondering",
  "i was wondering if you could",
  "i wonder",
  "remind me again",
  "after that",
  "afterwards",
  "once done",
  "when done",
  "when you are done",
  "i think you should",
  "in addition",
  "additionally",
].map((phrase) => phrase.split(" "));

/** Phrases after a command that are not part of it. */
const TRAILING = [
  "please",
  "pls",
  "plz",
  "now",
  "right now",
  "right away",
  "immediately",
  "at once",
  "quickly",
  "again",
  "too",
  "as well",
  "instead",
  "first",
  "though",
  "ok",
  "okay",
  "then",
  "for me",
  "for us",
  "to me",
  "thanks",
  "thank you",
  "thank you very much",
  "thanks a lot",
  "thx",
  "ty",
  "cheers",
  "if you can",
  "if possible",
  "if you could",
  "if you do not mind",
  "when you can",
  "will you",
  "would you",
  "could you",
  "can you",
  "real quick",
  "asap",
  "metahuman",
  "kindly",
  "dear",
  "mate",
  "in advance",
].map((phrase) => phrase.split(" "));

/** Every word of these phrases. They are known words, never typos. */
export const FILLER_WORDS: ReadonlySet<string> = new Set([...LEADING, ...TRAILING].flat());

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
    const length = longestPhraseAt(tokens, at, to, LEADING);
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
    const length = longestPhraseAt(tokens, at, to, TRAILING);
    if (length === 0) return undefined;
    words += length;
    at += length;
  }
  return words;
}

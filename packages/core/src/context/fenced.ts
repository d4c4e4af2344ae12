const MARK = { open: "<data>", close: "</data>" };

/** What no reader sees, or takes for nothing: spaces, controls, joiners, accents that stand on another character. */
const UNSEEN = String.raw`[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]*`;
const AMPERSAND = String.raw`[&＆﹠](?:amp;|#0*38;|#x0*26;)*`;
const LESS_THAN = String.raw`(?:[<＜﹤]|${AMPERSAND}${spaced("lt")};?|${AMPERSAND}#(?:0*60|x0*3c);?|\\(?:u003c|u\{0*3c\}|x3c)|%3c)`;
const SLASH = String.raw`(?:[/／⁄∕\\]|${AMPERSAND}(?:sol|frasl|#0*47|#x0*2f);?|%2f)`;
const NAME = [...["d", "a", "t", "a"]].map((letter) => `[${looksLike(letter)}]`).join(UNSEEN);

/** An opening or closing mark, or the beginning of one, in whatever spelling. */
const ANY_MARK = new RegExp(
  String.raw`${LESS_THAN}(?=(?:${UNSEEN}${SLASH})*${UNSEEN}${NAME}(?![\p{L}\p{N}_]))`,
  "giu",
);

/**
 * Marks text as data: the one mark of foreign text in prompts. What looks like a mark inside the text is broken up, so
 * that nothing can end its own fence.
 */
export function fenced(text: string): string {
  return `${MARK.open}${withoutMarks(text)}${MARK.close}`;
}

/** The text with every mark in it broken up, for words of the operator's own that repeat what somebody else wrote. */
export function withoutMarks(text: string): string {
  return text.replaceAll(ANY_MARK, "‹");
}

/** A prompt text that was cut to a length, with the fence that the cut left open closed. */
export function withFenceClosed(text: string): string {
  const whole = text.replace(/<(?:\/?d?|\/?da|\/?dat|\/?data)$/u, "");
  return whole.lastIndexOf(MARK.open) > whole.lastIndexOf(MARK.close) ? `${whole}${MARK.close}` : whole;
}

function spaced(word: string): string {
  return [...word].join(UNSEEN);
}

/** The letter and what is drawn like it: its compatibility forms, and letters of other alphabets. */
function looksLike(letter: string): string {
  const alike: Record<string, string> = { d: "ԁᏧ", a: "аαɑ", t: "тτ" };
  let found = `${letter}${alike[letter] ?? ""}`;
  for (const [first, last] of [
    [0x1d2c, 0x1d6a],
    [0x2070, 0x24ff],
    [0xff21, 0xff5a],
    [0x1d400, 0x1d7ff],
    [0x1f110, 0x1f189],
  ] as const) {
    for (let code = first; code <= last; code += 1) {
      const character = String.fromCodePoint(code);
      const plain = character.normalize("NFKC").toLowerCase();
      if (plain === letter || (alike[letter] ?? "").includes(plain)) found += character;
    }
  }
  return found;
}

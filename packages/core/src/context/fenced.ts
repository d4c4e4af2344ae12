const MARK = { open: "<data>", close: "</data>" };

/** Characters that are invisible or ignored: spaces, controls, joiners, combining accents. */
const UNSEEN = String.raw`[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]*`;
const AMPERSAND = String.raw`[&＆﹠](?:amp;|#0*38;|#x0*26;)*`;
const LESS_THAN = String.raw`(?:[<＜﹤]|${AMPERSAND}${breakUp("lt")};?|${AMPERSAND}#(?:0*60|x0*3c);?|\\(?:u003c|u\{0*3c\}|x3c)|%3c)`;
const SLASH = String.raw`(?:[/／⁄∕\\]|${AMPERSAND}(?:sol|frasl|#0*47|#x0*2f);?|%2f)`;
const NAME = [...["d", "a", "t", "a"]].map((letter) => `[${looksLike(letter)}]`).join(UNSEEN);

/** An opening or closing mark or the beginning of one, in any spelling. */
const ANY_MARK = new RegExp(
  String.raw`${LESS_THAN}(?=(?:${UNSEEN}${SLASH})*${UNSEEN}${NAME}(?![\p{L}\p{N}_]))`,
  "giu",
);

/**
 * Encloses untrusted text in data marks for a prompt. Marks inside the text are broken up so that it cannot close the
 * fence.
 */
export function fenceData(text: string): string {
  return `${MARK.open}${escapeDataTags(text)}${MARK.close}`;
}

/** Breaks up every data mark in a text, for the operator's own sentences that quote untrusted text. */
export function escapeDataTags(text: string): string {
  return text.replaceAll(ANY_MARK, "‹");
}

/** Closes the fence of a prompt text that was cut to a length. */
export function withFenceClosed(text: string): string {
  const whole = text.replace(/<(?:\/?d?|\/?da|\/?dat|\/?data)$/u, "");
  return whole.lastIndexOf(MARK.open) > whole.lastIndexOf(MARK.close) ? `${whole}${MARK.close}` : whole;
}

function breakUp(word: string): string {
  return [...word].join(UNSEEN);
}

/** Returns a pattern for a letter and its look-alikes: compatibility forms and letters of other alphabets. */
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

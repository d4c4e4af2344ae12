// Regular expressions from lists of words. Each argument may contain several alternatives: "a|b".

/** One of these alternatives: `(?:a|b|c)`. */
export const oneOf = (...alternatives: readonly string[]): string => `(?:${alternatives.join("|")})`;

/** One of these alternatives as whole words, in any language: without a letter before or after them. */
export const wholeWords = (...alternatives: readonly string[]): string =>
  String.raw`(?<!\p{L})${oneOf(...alternatives)}(?!\p{L})`;

/** A pattern for one of these words, in any position: without a letter or a digit before or after it. */
export const anyWord = (...words: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])${oneOf(...words)}(?![\p{L}\p{N}])`, "iu");

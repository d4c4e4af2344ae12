import type { Recipe } from "../../contract/function.ts";
import { partsOfPath, piecesOf } from "../../contract/placeholders.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { leavesOf } from "./leaves.ts";

/** True if the text contains the words as whole words. */
export function containsWords(text: string, words: string): boolean {
  return indexOfWords(text, words, 0) >= 0;
}

/** The offset of whole words in a text, from an offset on; -1 if there are none. */
export function indexOfWords(text: string, words: string, from: number): number {
  if (words === "") return -1;
  for (let at = text.indexOf(words, from); at >= 0; at = text.indexOf(words, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + words.length);
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return at;
  }
  return -1;
}

/** Replaces whole words in the pieces by a mark. */
export function replaceInPieces<Mark extends object>(
  pieces: readonly (string | Mark)[],
  words: string,
  mark: Mark,
): (string | Mark)[] {
  return pieces.flatMap((piece): (string | Mark)[] => {
    if (typeof piece !== "string") return [piece];
    const parts: (string | Mark)[] = [];
    let from = 0;
    for (let at = indexOfWords(piece, words, 0); at >= 0; at = indexOfWords(piece, words, from)) {
      if (at > from) parts.push(piece.slice(from, at));
      parts.push(mark);
      from = at + words.length;
    }
    if (from < piece.length || parts.length === 0) parts.push(piece.slice(from));
    return parts;
  });
}

/** True if a constant part of an action contains a word of a value, because it would be wrong with another value. */
export function repeatsValueWords(
  values: Readonly<Record<string, unknown>>,
  actions: Recipe["actions"],
): boolean {
  const words = Object.values(values).flatMap((value) =>
    typeof value === "string" ? contentWordsIn(value) : [],
  );
  const constants = actions
    .flatMap(({ args }) => leavesOf(args))
    .flatMap(({ value }) => (typeof value === "string" ? piecesOf(value) : []))
    .flatMap((piece) => (typeof piece === "string" ? contentWordsIn(piece) : []));
  return words.some((word) => constants.includes(word));
}

/** The content words of a text; for a path, those of its last part. */
function contentWordsIn(text: string): string[] {
  const name = /^\S*[/.]\S*$/.test(text) ? partsOfPath(text).stem : text;
  const words = name.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return words.filter((word) => !FUNCTION_WORDS.has(word));
}

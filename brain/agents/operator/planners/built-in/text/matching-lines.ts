import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { contentStems, contentWords, stem } from "@metahuman/core/language/tokens/words";
import { withoutListMark } from "@metahuman/core/text/list-marks";

// Finds the lines of a text that words name. A line is named by its content words, also with typing errors: "corn flour" names "500 g
// corn flour".

/** How many content words of a line a sentence has, typing errors included. */
export function countSharedWords(sentence: string, line: string): number {
  const words = contentWords(sentence);
  return stemsOfLine(line).filter((lineStem) =>
    words.some((word) => stem(word) === lineStem || isTypo(word, lineStem)),
  ).length;
}

const stemsOfLine = (line: string): string[] => contentStems(withoutListMark(line));

/** True if a sentence has all content words of a line. */
export const isNamedWhole = (sentence: string, line: string): boolean =>
  countSharedWords(sentence, line) === stemsOfLine(line).length;

/** True if words name the item of a line, and not only the person or time in it. Also true without words. */
export function isAbout(words: string, line: string): boolean {
  const [head = ""] = withoutListMark(line).split(
    /\s+(?:for|with|from|to|at|in|on|by)\s+|\s*[,;:(–—]|\s-\s/u,
  );
  return words === "" || countSharedWords(words, head) > 0;
}

/** True if there are content words, and each is in one of the lines. */
export function areWordsOfLines(words: string, lines: readonly string[]): boolean {
  const lineStems = new Set(lines.flatMap(stemsOfLine));
  const askedWords = contentWords(words);
  return (
    askedWords.length > 0 &&
    askedWords.every(
      (word) => lineStems.has(stem(word)) || [...lineStems].some((lineStem) => isTypo(word, lineStem)),
    )
  );
}

/** The lines whose words a sentence has, without those that only share a word with a line that fits better. */
export function findNamedLines(sentence: string, lines: readonly string[]): string[] {
  // The conversation knows an item with and without its tick.
  const items = new Map(lines.toReversed().map((line) => [withoutListMark(line).toLowerCase(), line]));
  const scored = [...items.values()]
    .map((line) => ({ line, score: countSharedWords(sentence, line) }))
    .filter(({ score }) => score > 0);
  const wholly = scored.filter(({ line, score }) => score === stemsOfLine(line).length);
  if (wholly.length > 0) return wholly.map(({ line }) => line);
  const [best, second] = scored.toSorted((one, other) => other.score - one.score);
  // "Corn flour" means "500 g corn flour" and not "300 g wheat flour".
  return best !== undefined && best.score > (second?.score ?? 0) ? [best.line] : [];
}

export const MAX_ITEM_WORDS = 4;

/** The lines, with a line of several items split into these: "gloves, knives, ice boxes". */
export const splitLinesIntoItems = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => {
    const items = withoutListMark(line).split(/,\s+(?:and\s+)?/u);
    return items.length > 1 && items.every((item) => item.trim().split(/\s+/u).length <= MAX_ITEM_WORDS)
      ? items.map((item) => item.trim().replace(/[.;]$/u, ""))
      : [line];
  });

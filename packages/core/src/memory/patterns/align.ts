import { ANY_WORDS, type RequestWord, weightOf } from "./request-words.ts";

/** The index pairs of equal words, in order: the longest common subsequence by weight. */
export function align(one: readonly RequestWord[], other: readonly RequestWord[]): [number, number][] {
  const width = other.length + 1;
  const best = new Float64Array((one.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const unmatched = Math.max(at(row + 1, column), at(row, column + 1));
      const word = one[row];
      const same = word && word.key === other[column]?.key ? word.weight + at(row + 1, column + 1) : 0;
      best[row * width + column] = Math.max(unmatched, same);
    }
  }
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < one.length && column < other.length;) {
    const word = one[row];
    if (
      word &&
      word.key === other[column]?.key &&
      at(row, column) === word.weight + at(row + 1, column + 1)
    ) {
      pairs.push([row, column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** The weight of the common words as a share of the larger request, 0–1. */
export function similarity(one: readonly RequestWord[], other: readonly RequestWord[]): number {
  const largest = Math.max(weightOf(one), weightOf(other));
  if (largest === 0) return 0;
  return weightOf(align(one, other).flatMap(([row]) => one[row] ?? [])) / largest;
}

/** An upper bound of `similarity` without an alignment: the shared words in any order. */
export function maxSimilarity(one: readonly RequestWord[], other: readonly RequestWord[]): number {
  const largest = Math.max(weightOf(one), weightOf(other));
  if (largest === 0) return 0;
  const counts = new Map<string, number>();
  for (const { key } of one) counts.set(key, (counts.get(key) ?? 0) + 1);
  const shared = other.filter(({ key }) => {
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left > 0;
  });
  return weightOf(shared) / largest;
}

/** The words that both requests contain, with a free slot wherever they differ. */
export function commonWords(one: readonly RequestWord[], other: readonly RequestWord[]): RequestWord[] {
  const words: RequestWord[] = [];
  let row = 0;
  let column = 0;
  const gapTo = (nextRow: number, nextColumn: number): void => {
    if ((nextRow > row || nextColumn > column) && words.at(-1) !== ANY_WORDS) words.push(ANY_WORDS);
  };
  for (const [nextRow, nextColumn] of align(one, other)) {
    gapTo(nextRow, nextColumn);
    const word = one[nextRow];
    if (word && !(word === ANY_WORDS && words.at(-1) === ANY_WORDS)) words.push(word);
    row = nextRow + 1;
    column = nextColumn + 1;
  }
  gapTo(one.length, other.length);
  return words;
}

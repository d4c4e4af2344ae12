import { FREE, type RequestWord, weightOf } from "./request-words.ts";

/** Pairs of places that hold the same word, in order: the longest common subsequence, by weight. */
export function align(one: readonly RequestWord[], other: readonly RequestWord[]): [number, number][] {
  const width = other.length + 1;
  const best = new Float64Array((one.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const apart = Math.max(at(row + 1, column), at(row, column + 1));
      const word = one[row];
      const same = word && word.key === other[column]?.key ? word.weight + at(row + 1, column + 1) : 0;
      best[row * width + column] = Math.max(apart, same);
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

/** How much two requests have in common, 0–1. */
export function likeness(one: readonly RequestWord[], other: readonly RequestWord[]): number {
  const most = Math.max(weightOf(one), weightOf(other));
  if (most === 0) return 0;
  return weightOf(align(one, other).flatMap(([row]) => one[row] ?? [])) / most;
}

/** What both have in common, with a free slot wherever one of them says more. */
export function common(one: readonly RequestWord[], other: readonly RequestWord[]): RequestWord[] {
  const words: RequestWord[] = [];
  let row = 0;
  let column = 0;
  const gapTo = (nextRow: number, nextColumn: number): void => {
    if ((nextRow > row || nextColumn > column) && words.at(-1) !== FREE) words.push(FREE);
  };
  for (const [nextRow, nextColumn] of align(one, other)) {
    gapTo(nextRow, nextColumn);
    const word = one[nextRow];
    if (word && !(word === FREE && words.at(-1) === FREE)) words.push(word);
    row = nextRow + 1;
    column = nextColumn + 1;
  }
  gapTo(one.length, other.length);
  return words;
}

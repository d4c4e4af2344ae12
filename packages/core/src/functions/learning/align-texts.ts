import { FUNCTION_WORDS } from "../../language/tokens/words.ts";

/** The differing parts of two texts at the same position. */
type TextDifference = readonly [string, string];

/** A part that two texts have in common, or what each of them has in its place. */
export type Segment = string | { differs: TextDifference };

/** The maximum number of tokens of a text; the time of a comparison grows with its square. */
const MAX_TOKENS = 400;

/**
 * The parts that two texts have in common and the parts in which they differ, in order, by words, days (2026-11-27), white
 * space and marks. Undefined if a text is too long.
 */
export function alignTexts(one: string, other: string): Segment[] | undefined {
  const [first, second] = [tokensOf(one), tokensOf(other)];
  if (first.length > MAX_TOKENS || second.length > MAX_TOKENS) return undefined;
  const lengths = commonLengths(first, second);
  const width = second.length + 1;
  const segments: Segment[] = [];
  let common = "";
  let gap: [string, string] = ["", ""];
  const endGap = (): void => {
    if (gap[0] !== "" || gap[1] !== "") segments.push({ differs: gap });
    gap = ["", ""];
  };
  const endCommon = (): void => {
    if (common !== "") segments.push(common);
    common = "";
  };
  for (let [firstIndex, secondIndex] = [0, 0]; firstIndex < first.length || secondIndex < second.length;) {
    const [firstToken = "", secondToken = ""] = [first[firstIndex], second[secondIndex]];
    if (firstToken !== "" && firstToken === secondToken) {
      endGap();
      common += firstToken;
      firstIndex++;
      secondIndex++;
      continue;
    }
    endCommon();
    const without = lengths[(firstIndex + 1) * width + secondIndex] ?? -1;
    if (
      secondIndex >= second.length ||
      (firstIndex < first.length && without >= (lengths[firstIndex * width + secondIndex + 1] ?? 0))
    ) {
      gap[0] += firstToken;
      firstIndex++;
    } else {
      gap[1] += secondToken;
      secondIndex++;
    }
  }
  endGap();
  endCommon();
  return segments;
}

/** The tokens of a text. A day is one token, because its parts alone are not a value. */
function tokensOf(text: string): string[] {
  return text.match(/\d{4}-\d{2}-\d{2}|[\p{L}\p{M}\p{N}]+|\s+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [];
}

/** The lengths of the longest common subsequences of all pairs of remainders, row by row. */
function commonLengths(first: readonly string[], second: readonly string[]): Uint16Array {
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let index = first.length - 1; index >= 0; index--)
    for (let secondIndex = second.length - 1; secondIndex >= 0; secondIndex--) {
      const here = index * width + secondIndex;
      lengths[here] =
        first[index] === second[secondIndex]
          ? (lengths[here + width + 1] ?? 0) + 1
          : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0);
    }
  return lengths;
}

/** The maximum number of tokens on one side by which differing words are extended. */
const MAX_EXTENSION = 8;
/** Words that belong to the name that follows: "the broken window", "Mrs Li". */
const LEADING = /^(?:the|a|an|my|our|his|her|their|mr|mrs|ms|dr)$/iu;

/**
 * The segments with differing parts joined and extended to whole names: texts that both contain "Lena" differ in "Lena
 * Brandt" and "Lena Voss". A part is extended only if `isFound` accepts both texts.
 */
export function withWholeNames(
  segments: readonly Segment[],
  isFound: (differs: TextDifference) => boolean,
): Segment[] {
  const tokens = segments.flatMap((segment): Segment[] =>
    typeof segment === "string" ? tokensOf(segment) : [segment],
  );
  const done: Segment[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    if (typeof token === "string") {
      done.push(token);
      continue;
    }
    let longest = { differs: token.differs, from: done.length, to: index, isFound: isFound(token.differs) };
    for (let from = done.length; from >= 0 && isPartOfName(done.slice(from)); from--) {
      for (let to = index; to < tokens.length && isPartOfName(tokens.slice(index + 1, to + 1)); to++) {
        const differs = joinSegments([...done.slice(from), ...tokens.slice(index, to + 1)]);
        if (!mayBeginOrEndName(done[from]) || !mayBeginOrEndName(tokens[to])) continue;
        const isLonger = to - from > longest.to - longest.from;
        if ((isLonger || !longest.isFound) && isFound(differs))
          longest = { differs, from, to, isFound: true };
      }
    }
    done.length = longest.from;
    done.push({ differs: longest.differs });
    index = longest.to;
  }
  return done;
}

/** True for text next to differing words that may belong to the same value: names, numbers, articles, and the words between them. */
function isPartOfName(segments: readonly Segment[]): boolean {
  return (
    segments.length <= MAX_EXTENSION &&
    segments.every(
      (segment) =>
        typeof segment !== "string" ||
        (!segment.includes("\n") &&
          (/^[\p{Lu}\p{N}\s'’.&-]/u.test(segment) || LEADING.test(segment) || FUNCTION_WORDS.has(segment))),
    )
  );
}

/** True for the first and last part of a value. "for" and spaces are only inside of one. */
const mayBeginOrEndName = (segment: Segment | undefined): boolean =>
  typeof segment !== "string" || /^[\p{Lu}\p{N}]/u.test(segment) || LEADING.test(segment);

const joinSegments = (segments: readonly Segment[]): TextDifference => {
  const text = (side: 0 | 1): string =>
    segments.map((segment) => (typeof segment === "string" ? segment : segment.differs[side])).join("");
  return [text(0), text(1)];
};

/** A part in which texts differ, with the part of each text. */
export interface Gap {
  column: readonly string[];
}

/** What texts have in common, and the gaps between, in order. */
export type Segments = readonly (string | Gap)[];

/** The maximum number of tokens of a text; the time of a comparison grows with its square. */
const MAX_TOKENS = 200;
/** The maximum number of gaps that may be one: the number of divisions doubles with each. */
const MAX_JOINS = 4;
/** Marks and words that may be inside a value: "sanna-virta", "12.50", "War and Peace". */
const JOINING = /^\s*(?:[-.,:'’&]|and|of|the|in|on|de|la|von|und|et)?\s*$/u;

/**
 * The ways to divide texts into what all have in common and what differs, by words, days and marks. They differ in which gaps are joined: "12;38"
 * and "13;41" have two, and "12.50" and "13.75" may have one or two. Empty if a text is too long or nothing is common to all.
 */
export function alignColumns(texts: readonly string[]): Segments[] {
  const tokens = texts.map(tokensOf);
  if (tokens.some(({ length }) => length === 0 || length > MAX_TOKENS)) return [];
  const [first = [], ...others] = tokens.map((some) => some.map(({ text }) => text));
  const common = others.reduce((left, right) => commonTokens(left, right), first);
  const finest = withSpacesOutside(segmentsOf(texts, tokens, common));
  if (finest === undefined) return [];
  const between = (pattern: RegExp): number[] =>
    finest.flatMap((segment, at) =>
      typeof segment === "string" && at > 0 && at < finest.length - 1 && pattern.test(segment) ? [at] : [],
    );
  const always = between(/^\s*$/u);
  const optional = between(JOINING)
    .filter((at) => !always.includes(at))
    .slice(0, MAX_JOINS);
  return Array.from({ length: 2 ** optional.length }, (_, choice) =>
    joined(finest, [...always, ...optional.filter((_at, bit) => (choice >> bit) % 2 === 1)]),
  );
}

interface TextToken {
  text: string;
  start: number;
  end: number;
}

const tokensOf = (text: string): TextToken[] =>
  [...text.matchAll(/\d{4}-\d{2}-\d{2}|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu)].map(
    ({ 0: found, index }) => ({ text: found, start: index, end: index + found.length }),
  );

/** A longest common subsequence. */
function commonTokens(mine: readonly string[], theirs: readonly string[]): string[] {
  const width = theirs.length + 1;
  const lengths = new Uint16Array((mine.length + 1) * width);
  for (let at = mine.length - 1; at >= 0; at--)
    for (let there = theirs.length - 1; there >= 0; there--) {
      const here = at * width + there;
      lengths[here] =
        mine[at] === theirs[there]
          ? (lengths[here + width + 1] ?? 0) + 1
          : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0);
    }
  const found: string[] = [];
  for (let [at, there] = [0, 0]; at < mine.length && there < theirs.length;) {
    const token = mine[at];
    if (token !== undefined && token === theirs[there]) {
      found.push(token);
      at++;
      there++;
    } else if ((lengths[(at + 1) * width + there] ?? 0) >= (lengths[at * width + there + 1] ?? 0)) at++;
    else there++;
  }
  return found;
}

/** The texts between the common tokens: constant if they are the same in all texts. */
function segmentsOf(
  texts: readonly string[],
  tokens: readonly (readonly TextToken[])[],
  common: readonly string[],
): Segments {
  const positions = tokens.map((some) => {
    let at = 0;
    return common.map((wanted) => {
      while (some[at]?.text !== wanted) at++;
      return some[at++] ?? { text: wanted, start: 0, end: 0 };
    });
  });
  const segments: (string | Gap)[] = [];
  const addConstant = (text: string): void => {
    const last = segments.at(-1);
    if (typeof last === "string") segments[segments.length - 1] = last + text;
    else if (text !== "") segments.push(text);
  };
  for (let index = 0; index <= common.length; index++) {
    const column = texts.map((text, side) =>
      text.slice(positions[side]?.[index - 1]?.end ?? 0, positions[side]?.[index]?.start ?? text.length),
    );
    if (column.every((part) => part === column[0])) addConstant(column[0] ?? "");
    else segments.push({ column });
    addConstant(common[index] ?? "");
  }
  return segments;
}

/** The segments with white space that all texts have around a gap outside of it; undefined if a gap is empty in one of them. */
function withSpacesOutside(segments: Segments): Segments | undefined {
  const result: (string | Gap)[] = [];
  const add = (segment: string | Gap): void => {
    const last = result.at(-1);
    if (typeof segment === "string" && typeof last === "string") result[result.length - 1] = last + segment;
    else if (segment !== "") result.push(segment);
  };
  for (const segment of segments) {
    if (typeof segment === "string") {
      add(segment);
      continue;
    }
    const before = segment.column.map((text) => /^\s*/u.exec(text)?.[0] ?? "");
    const after = segment.column.map((text) => /\s*$/u.exec(text)?.[0] ?? "");
    const column = segment.column.map((text) => text.trim());
    const isEven = [before, after].every((spaces) => spaces.every((one) => one === spaces[0]));
    if (!isEven || column.includes("")) return undefined;
    add(before[0] ?? "");
    add({ column });
    add(after[0] ?? "");
  }
  return result;
}

/** The segments with one gap in place of two and what is between, at each of these constants. */
function joined(segments: Segments, at: readonly number[]): Segments {
  const result: (string | Gap)[] = [];
  for (let index = 0; index < segments.length; index++) {
    const segment = segments[index];
    const [last, next] = [result.at(-1), segments[index + 1]];
    if (
      typeof segment === "string" &&
      at.includes(index) &&
      typeof last === "object" &&
      typeof next === "object"
    ) {
      const column = last.column.map((text, side) => `${text}${segment}${next.column[side] ?? ""}`);
      result[result.length - 1] = { column };
      index++;
    } else if (segment !== undefined) result.push(segment);
  }
  return result;
}

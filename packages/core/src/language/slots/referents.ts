import { smallNumber } from "../../text/number-words.ts";
import { synonymsOf } from "../tokens/synonyms.ts";
import type { Token } from "../tokens/tokens.ts";

const SINGULAR: ReadonlySet<string> = new Set(["it", "its", "that", "this"]);
const PLURAL: ReadonlySet<string> = new Set(["them", "these", "those"]);
const DETERMINERS: ReadonlySet<string> = new Set(["the", "that", "this", "these", "those", "its"]);
const ORDINALS: readonly string[] = "first second third fourth fifth sixth seventh eighth ninth tenth".split(
  " ",
);
const FIGURES = /^(\d{1,2})(?:st|nd|rd|th)$/;

/** Nouns for the text result of an earlier step. */
export const TEXT_NOUNS: readonly string[] =
  "result results list contents content text output answer files tasks names titles summary".split(" ");

/** Words that refer to the result of an earlier step. */
export interface Referent {
  /** Length in tokens. */
  length: number;
  /** The 0-based index in a list, or -1 for the last item: "the second one". */
  pick?: number;
  /** The number of items: "the first two"; negative for the last ones. */
  count?: number;
  /** True for "them": all results. */
  isPlural: boolean;
}

/** Reads "the first two", "the last 3 tasks". */
function severalAt(
  word: (index: number) => string,
  from: number,
  isNoun: (index: number) => boolean,
): Referent | undefined {
  const at = DETERMINERS.has(word(from)) ? from + 1 : from;
  const side = word(at) === "first" ? 1 : word(at) === "last" ? -1 : 0;
  const number = word(at + 1);
  const amount = /^\d{1,2}$/.test(number) ? Number(number) : (smallNumber(number) ?? 0);
  if (side === 0 || amount < 2) return undefined;
  return { length: at + (isNoun(at + 2) ? 3 : 2) - from, count: side * amount, isPlural: true };
}

/** Synonyms for the noun of a kind. */
const OTHER_NOUNS: Readonly<Record<string, readonly string[]>> = {
  file: ["list", "note", "log", "page", "copy"],
  task: ["reminder"],
  schedule: ["reminder", "automation"],
};

/** Returns the nouns for a kind of thing from an earlier step: "the file", "that one". */
export function nounsOf(kind: string): readonly string[] {
  return [...synonymsOf(kind), ...(OTHER_NOUNS[kind] ?? []), "one"];
}

/** Returns the index that an ordinal names. */
function ordinalOf(word: string): number | undefined {
  if (word === "last") return -1;
  const figure = Number(FIGURES.exec(word)?.[1] ?? 0);
  const place = figure > 0 ? figure - 1 : ORDINALS.indexOf(word);
  return place < 0 ? undefined : place;
}

/** Returns the length in words of "all of them", "both" or "them all" at `from`. */
function allOf(word: (index: number) => string, from: number): number {
  const isAll = (index: number): boolean => word(index) === "all" || word(index) === "both";
  if (isAll(from)) {
    const at = word(from + 1) === "of" ? from + 2 : from + 1;
    return PLURAL.has(word(at)) ? at + 1 - from : 0;
  }
  return PLURAL.has(word(from)) && isAll(from + 1) ? 2 : 0;
}

/**
 * Returns the reference to an earlier step at `from`, such as "it", "that one", "the result" or "the second file";
 * undefined if there is none.
 */
export function referentAt(
  tokens: readonly Token[],
  from: number,
  to: number,
  nouns: readonly string[],
): Referent | undefined {
  const word = (index: number): string => {
    const token = index < to ? tokens[index] : undefined;
    return token?.kind === "word" ? token.text : "";
  };
  const all = allOf(word, from);
  if (all > 0) return { length: all, isPlural: true };
  const first = word(from);
  const isNoun = (index: number): boolean =>
    nouns.includes(word(index)) || (PLURAL.has(first) && nouns.includes(word(index).replace(/s$/, "")));
  const several = severalAt(word, from, (at) =>
    [word(at), word(at).replace(/s$/, "")].some((noun) => nouns.includes(noun)),
  );
  if (several !== undefined) return several;
  const hasArticle = DETERMINERS.has(first);
  const at = hasArticle ? from + 1 : from;
  const pick = ordinalOf(word(at));
  if (pick !== undefined && (hasArticle || isNoun(at + 1)))
    return { length: at + (isNoun(at + 1) ? 2 : 1) - from, pick, isPlural: false };
  if (hasArticle && isNoun(at)) return { length: 2, isPlural: PLURAL.has(first) };
  if (PLURAL.has(first)) return { length: 1, isPlural: true };
  return SINGULAR.has(first) ? { length: 1, isPlural: false } : undefined;
}

import { synonymsOf } from "../synonyms.ts";
import type { Token } from "../tokens.ts";

const PRONOUNS: ReadonlySet<string> = new Set(["it", "that", "this", "them", "these", "those"]);
const DETERMINERS: ReadonlySet<string> = new Set(["the", "that", "this", "these", "those", "its"]);

/** Nouns for the text that an earlier step left. */
export const TEXT_NOUNS: readonly string[] =
  "result results list contents content text output answer files tasks names titles summary".split(" ");

/** Nouns for a thing of some kind that an earlier step left: "the file", "that one". */
export function nounsOf(kind: string): readonly string[] {
  return [...synonymsOf(kind), "one"];
}

/** "it", "that one", "the result": how many tokens at `from` refer to an earlier step; 0 when they do not. */
export function referentLength(
  tokens: readonly Token[],
  from: number,
  to: number,
  nouns: readonly string[],
): number {
  const first = from < to ? tokens[from] : undefined;
  if (first?.kind !== "word") return 0;
  const second = from + 1 < to ? tokens[from + 1] : undefined;
  if (DETERMINERS.has(first.text) && second?.kind === "word" && nouns.includes(second.text)) return 2;
  return PRONOUNS.has(first.text) ? 1 : 0;
}

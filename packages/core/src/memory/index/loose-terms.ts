import { isSlip } from "../../language/tokens/spelling.ts";

const PREFIX_WEIGHT = 0.8;
const SLIP_WEIGHT = 0.75;
const MOST_VARIANTS = 24;

/**
 * Which of the indexed terms may stand for a query word that none of them equals: those it begins, and those a slip of
 * the pen away. `terms` are the ones with the same first character.
 */
export function looseVariants(stem: string, terms: Iterable<string>): { term: string; weight: number }[] {
  const variants: { term: string; weight: number }[] = [];
  for (const term of terms) {
    if (stem.length >= 2 && term.startsWith(stem)) variants.push({ term, weight: PREFIX_WEIGHT });
    else if (isSlip(stem, term)) variants.push({ term, weight: SLIP_WEIGHT });
  }
  return variants
    .sort((a, b) => b.weight - a.weight || a.term.length - b.term.length)
    .slice(0, MOST_VARIANTS);
}

/** A slip in the first character is rare: only terms that share it are looked at. */
export function firstCharacter(stem: string): string {
  return String.fromCodePoint(stem.codePointAt(0) ?? 0);
}

import { isCounted } from "./facts.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { contentOf } from "./grounding.ts";
import { blank, CITATION, stem, wordsOf } from "./mentions.ts";
import { quantitiesIn } from "./quantities.ts";
import { ALL, DIFFERENCE, FIRST_PERSON, NEGATION } from "./vocabulary.ts";

/** Words that compare, rank, restrict or give a reason, which a single line of the evidence cannot show. */
const RELATES =
  /(?<!\p{L})(?:most|least|first|last|next|only|best|worst|\p{L}{3,}est|than|half|double|twice|already|because|since|so|therefore|erste[nrs]?|letzte[nrs]?|\p{L}{3,}ste[nrs]?|nur|schon|bereits|weil|doppelt|hälfte|plus|premi(?:er|ère)|dernière?|seul\p{L}*|déjà|car|moitié|más|primer[oa]?|últim[oa]|sólo|solo|ya|porque|doble|mitad)(?!\p{L})/iu;

/**
 * True when one line or record of the evidence contains all content words and figures of a sentence that neither counts,
 * denies nor compares. Words of the request need not be in that line, unless the operator reports its own action.
 */
export function isConfirmed(text: string, { lines, source }: PreparedEvidence): boolean {
  if ([RELATES, ALL, NEGATION, DIFFERENCE].some((pattern) => pattern.test(text))) return false;
  if (quantitiesIn(text).numbers.some((mention) => mention.isWord || isCounted(mention))) return false;
  const isOwnAction = FIRST_PERSON.test(text);
  const requested = new Set(isOwnAction ? [] : wordsOf(source.request).map(stem));
  const parts = [
    ...contentOf(text)
      .map(stem)
      .filter((word) => !requested.has(word)),
    ...(text.replaceAll(CITATION, blank).match(/\d+/gu) ?? []),
  ];
  return parts.length === 0 || lines.some((line) => parts.every((part) => line.includes(part)));
}

// What of a request may be rewritten: its words outside quotations, unless they are a long text.

const MAY_QUOTE = /["“'«`]/u;
const QUOTATION = /"[^"]*"|“[^“”]*”|'(?=\S)[^']*'(?!\p{L})|«[^«»]*»|`[^`]*`/gu;

/** Longer words are a text and no order, and their patterns would take long: some try each pair of places. */
const MAX_REWRITTEN = 1_000;
const LONG_GAP = /\s{12}/u;

/**
 * A request with one space in place of each long run of spaces, and an empty line in place of many, except in quotations.
 * Patterns would match a long gap in every possible way.
 */
export function withoutLongGaps(request: string): string {
  if (!LONG_GAP.test(request)) return request;
  const parts = request.split(new RegExp(`(${QUOTATION.source})`, QUOTATION.flags));
  return parts
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll(/\s{12,}/gu, (gap) => (gap.includes("\n") ? "\n\n" : " ")),
    )
    .join("");
}

/** True for words that no pattern should read in several ways: longer than a sentence or two, or with a long gap. */
export const isLongText = (text: string): boolean => text.length > MAX_REWRITTEN || LONG_GAP.test(text);

/**
 * Replaces quotations with placeholders, rewrites, and restores them. Returns the request unchanged if it is longer
 * than `MAX_REWRITTEN` characters without its quotations, or has a gap of twelve blanks.
 */
export function outsideQuotations(
  request: string,
  rewrite: (masked: string, unmask: (part: string) => string) => string,
): string {
  const quotations: string[] = [];
  if (!MAY_QUOTE.test(request) && isLongText(request)) return request;
  const masked = request.replace(QUOTATION, (quotation) => `\uE000${quotations.push(quotation) - 1}\uE001`);
  if (isLongText(masked)) return request;
  const unmask = (part: string): string =>
    part.replace(/\uE000(\d+)\uE001/gu, (_, index: string) => quotations[Number(index)] ?? "");
  return unmask(rewrite(masked, unmask));
}

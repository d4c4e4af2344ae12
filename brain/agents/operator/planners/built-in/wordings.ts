import { outsideQuotations } from "@metahuman/core/language/tokens/rewritable-text";
import { MAX_ORDER } from "./conversation/limits.ts";
import { BEFORE_OR_AFTER, CONDITIONS, deniesOr, DOUBTS, REPORTS } from "./word-lists.ts";

// What the lists of wordings share: an order in other than the usual words, and the same order as the phrases of the skills say it.
// Quotations are kept: a pattern sees a placeholder for each.

export const QUOTED = String.raw`\uE000\d+\uE001`;
/** A quotation, or a few words without a mark. */
export const VALUE = String.raw`(?:${QUOTED}|[^\uE000\uE001,;:.?!\n]{1,80}?)`;
export const POLITE = String.raw`(?:(?:please|pls|kindly|so|and|then|just|now)\s+|(?:can|could|would|will)\s+you\s+)*`;
export const END = String.raw`[\s,.!]*(?:(?:please|pls|thanks?(?:\s+you)?|thx|cheers)[\s,.!]*)*$`;
/** What must be, unlike what may be or was. */
export const MUST = String.raw`(?:has\s+to|must|needs\s+to|should|ought\s+to|is\s+to|is\s+supposed\s+to)`;

type Groups = Readonly<Record<string, string | undefined>>;
export interface Wording {
  form: RegExp;
  /** The order in the usual words; undefined if the words are no such order. */
  order: (groups: Groups) => string | undefined;
}

/** A wording by the parts of its pattern. */
export const wording = (order: Wording["order"], ...parts: readonly string[]): Wording => ({
  form: new RegExp(parts.join(""), "iu"),
  order,
});

const BINDS = deniesOr(`no|without|${CONDITIONS}|till|${BEFORE_OR_AFTER}|${DOUBTS}|${REPORTS}|but|only`);
/** True for words, such as the reason for an order, that neither deny the order nor make it depend on something. */
export const isUnconditional = (words = ""): boolean => !BINDS.test(words);

/** A short request as the first wording that fits says it; the request itself if none does. */
export function rewriteBy(request: string, wordings: readonly Wording[]): string {
  if (request.length > MAX_ORDER || request.includes("\n")) return request;
  return outsideQuotations(request.trim(), (masked) => {
    for (const { form, order } of wordings) {
      const groups = form.exec(masked)?.groups;
      const rewritten = groups && order(groups);
      if (rewritten !== undefined) return rewritten.trim();
    }
    return masked;
  });
}

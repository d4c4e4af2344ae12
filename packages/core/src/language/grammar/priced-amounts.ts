/** "€3.75", "85 euros": the number is the second group. */
const MONEY = String.raw`[€$£]?\s?\d+(?:[.,]\d+)?(?:\s?(?:€|\$|£|euros?|dollars?|pounds?|eur|usd|gbp|kr|cents))?`;
const NOUN = String.raw`(?:(?!(?:at|for|plus|and|minus|less|times|is|are|was|in|on|by|from|to|until|am|pm|o)\b)[\p{L}'’-]+)`;
const EACH = String.raw`(?:\s*,?\s*(?:each|apiece|a piece|per ${NOUN}|an? ${NOUN}))?`;
/** "12 boxes at 3.75 each", "20 delivery", "delivery of 20", "35". */
const TERM = String.raw`(?:\d+(?:[.,]\d+)?(?:\s+${NOUN}){0,3}\s+(?:at|@|à|times|x)\s+${MONEY}${EACH}|(?:${NOUN}\s+){0,2}(?:of\s+)?${MONEY}(?:\s+(?:for\s+)?(?:the\s+)?${NOUN}){0,3})`;
const SIGN = String.raw`\s*,?\s+(?:and\s+)?(?:plus|minus|less|and)\s+(?:an?\s+|the\s+)?`;
const ASKS = String.raw`(?<asks>(?:how much|what)(?: (?:is|are|do|does|would|will))?(?: the)?(?: (?:total|price|cost|sum))?(?: of| for)?\s+|(?:calculate|compute|work out|add up|total(?: of| for)?)\s+)?`;
const SUM = new RegExp(
  String.raw`^${ASKS}(?<terms>${TERM}(?:${SIGN}${TERM})*)(?:\s+(?:cost|come to|make|together|in total|altogether|in all|all together|be))*[\s?.!=]*$`,
  "iu",
);
const MULTIPLIED = /^(?<count>\d+(?:[.,]\d+)?)\D*?\s(?:at|@|à|times|x)\s\D*?(?<price>\d+(?:[.,]\d+)?)/iu;
const SIGNS = /\s*,?\s+(?:and\s+)?(?<sign>plus|minus|less|and)\s+/giu;
const MAX_LENGTH = 200;
/** What makes the number after "at" a price and no time of day: "3 visits at 5". */
const PRICE =
  /[€$£]|\d[.,]\d|\b(?:each|apiece|a piece|per|an?|euros?|dollars?|pounds?|eur|usd|gbp|kr|cents|x|times)\b|@|×/iu;

/**
 * The calculation that amounts with nouns stand for: "12 boxes at 3.75 each plus 20 delivery" is `12 * 3.75 + 20`. At least one
 * amount has a price; undefined for any other text.
 */
export function pricedAmounts(text: string): string | undefined {
  const { asks, terms } = (text.length > MAX_LENGTH ? undefined : SUM.exec(text.trim())?.groups) ?? {};
  if (terms === undefined) return undefined;
  const signs = [...terms.matchAll(SIGNS)].map(({ groups }) =>
    /minus|less/iu.test(groups?.["sign"] ?? "") ? " - " : " + ",
  );
  const parts = terms.split(/\s*,?\s+(?:and\s+)?(?:plus|minus|less|and)\s+/iu);
  const priced = parts.map((part) => MULTIPLIED.exec(part.trim())?.groups);
  const amounts = parts.map((part, index) => {
    const { count, price } = priced[index] ?? {};
    return count === undefined || price === undefined
      ? (/\d+(?:[.,]\d+)?/u.exec(part)?.[0] ?? "")
      : `${count} * ${price}`;
  });
  const hasPrice = priced.some((groups) => groups !== undefined);
  const isClear = asks !== undefined || amounts.length > 1 || PRICE.test(terms);
  if (!hasPrice || !isClear || amounts.includes("")) return undefined;
  return amounts.map((amount, index) => `${index === 0 ? "" : (signs[index - 1] ?? "")}${amount}`).join("");
}

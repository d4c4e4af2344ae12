import { oneOf } from "../../text/patterns.ts";

/** "€3.75", "85 euros" */
const MONEY = String.raw`[€$£]?\d+(?:[.,]\d+)?(?: ?(?:€|\$|£|euros?|dollars?|pounds?|eur|usd|gbp|kr|cents))?`;
const NOUN = String.raw`(?!(?:at|plus|minus|times|is|are|was|on|by|from|to|until|am|pm)\b)[\p{L}'’-]+`;
/** "12 boxes at 3.75 each", "4 x 35" */
const PRICED = new RegExp(
  String.raw`^(?<count>\d+(?:[.,]\d+)?) (?:${NOUN} ){0,3}(?:at|@|à|times|x) (?<price>${MONEY})(?:,? (?:each|apiece|a piece|per ${NOUN}|an? ${NOUN}))?$`,
  "iu",
);
/** "20 delivery", "a discount of 15", "35" */
const AMOUNT = new RegExp(String.raw`^(?:${NOUN} ){0,4}(?<amount>${MONEY})(?: ${NOUN}){0,4}$`, "iu");
const ASKS_WORDS = oneOf(
  "(?:how much|what)(?: (?:is|are|do|does|would|will))?(?: the)?(?: (?:total|price|cost|sum))?(?: of| for)?",
  "calculate|compute|work out|add up|total(?: of| for)?",
);
const ASKS = new RegExp(String.raw`^${ASKS_WORDS} `, "iu");
const END = /(?: (?:cost|come to|make|together|in total|altogether|in all|be))?[ ?.!=]*$/iu;
const SIGN = /,? (?:and )?(plus|minus|less|and) /iu;
const MAX_LENGTH = 200;
/** What makes the number after "at" a price and no time of day: "3 visits at 5". */
const PRICE =
  /[€$£]|\d[.,]\d|\b(?:each|apiece|a piece|per|an?|euros?|dollars?|pounds?|eur|usd|gbp|kr|cents|x|times)\b|@|×/iu;

const numberIn = (money: string): string => /\d+(?:[.,]\d+)?/u.exec(money)?.[0] ?? "";

/**
 * The calculation that amounts with nouns express: "12 boxes at 3.75 each plus 20 delivery" is `12 * 3.75 + 20`. At least one
 * amount has a price; undefined for any other text.
 */
export function pricedAmounts(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const asked = text.trim().replaceAll(/\s+/gu, " ").replace(END, "");
  const terms = asked.replace(ASKS, "");
  const pieces = terms.split(SIGN);
  let [expression, hasPrice] = ["", false];
  // Parts have even indexes, the signs between them odd ones.
  for (let index = 0; index < pieces.length; index += 2) {
    const part = (pieces[index] ?? "").replace(/^(?:an?|the) /iu, "");
    const priced = PRICED.exec(part)?.groups;
    const amount = AMOUNT.exec(part)?.groups?.["amount"];
    if (priced === undefined && amount === undefined) return undefined;
    const sign = index === 0 ? "" : /minus|less/iu.test(pieces[index - 1] ?? "") ? " - " : " + ";
    const value =
      priced === undefined
        ? numberIn(amount ?? "")
        : `${priced["count"] ?? ""} * ${numberIn(priced["price"] ?? "")}`;
    expression += `${sign}${value}`;
    if (priced !== undefined) hasPrice = true;
  }
  const isClear = terms !== asked || pieces.length > 1 || PRICE.test(terms);
  return hasPrice && isClear ? expression : undefined;
}

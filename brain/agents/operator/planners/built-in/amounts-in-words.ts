// Calculations with a percentage or a price for each, in any order of words: "840 with 15 % off", "a 15% tip on 64, in total".

const NUMBER = /[€$£]?\s?\d[\d.,]*(?<![.,])(?:\s?(?:%|percent\b|per\s?cent\b))?/giu;
const PERCENT = /%|percent|per\s?cent/iu;
const MAX_LENGTH = 120;
const MAX_NOUNS = 3;

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const LESS = set(
  "off less discount discounted reduced reduction minus cheaper rebate lower down without deducted",
);
const MORE = set(
  "more plus top extra increase increased increases added higher incl including included surcharge raised up",
);
/** Parts of an amount; with "with" or a total they come on top of it. */
const LEVY = set("tip vat tax service fee gst iva moms gratuity surcharge commission interest");
const WHOLE = set("total with sum altogether overall");
const EACH = set("each apiece piece item unit head person per");
const IDLE = set(
  "how much many is are it that this what whats about of on from for at the a an and if i we you do does will would be cost costs price s calculate tell me please pls " +
    "euro euros dollar dollars pound pounds quid eur usd gbp bucks then now to by in come comes so would pay one was bill original normal regular get buy all together",
);

interface Amounts {
  percent: string | undefined;
  plain: readonly string[];
  words: readonly string[];
}

function amountsIn(text: string): Amounts {
  const found = text.match(NUMBER) ?? [];
  const isShare = (number: string): boolean => PERCENT.test(number);
  const plain = found
    .filter((number) => !isShare(number))
    .map((number) => number.replaceAll(/[€$£\s]/gu, ""));
  const shares = found.filter(isShare).map((number) => `${Number.parseFloat(number.replace(",", "."))}%`);
  return {
    percent: shares.length === 1 ? shares[0] : undefined,
    plain: shares.length > 1 ? [] : plain,
    words:
      text
        .replaceAll(NUMBER, " ")
        .toLowerCase()
        .match(/\p{L}+/gu) ?? [],
  };
}

/** The calculation that a message with all its figures means; undefined if its words say something else. */
export function calculationInWords(request: string): string | undefined {
  if (request.length > MAX_LENGTH || request.includes("\n")) return undefined;
  const { percent, plain, words } = amountsIn(request);
  const [first, second, ...others] = plain;
  const has = (known: ReadonlySet<string>): boolean => words.some((word) => known.has(word));
  const nouns = words.filter(
    (word) => ![LESS, MORE, LEVY, WHOLE, EACH, IDLE].some((known) => known.has(word)),
  );
  if (first === undefined || others.length > 0) return undefined;
  if (percent !== undefined) {
    if (second !== undefined || nouns.length > 0 || has(EACH)) return undefined;
    if (has(LESS)) return has(MORE) ? undefined : `calculate ${first} - ${percent}`;
    if (has(MORE) || (has(LEVY) && has(WHOLE))) return `calculate ${first} + ${percent}`;
    return has(LEVY) ? `calculate ${percent} of ${first}` : undefined;
  }
  const isPriced = second !== undefined && words.some((word) => /^(?:each|apiece|piece)$/u.test(word));
  if (
    !isPriced ||
    nouns.length > MAX_NOUNS ||
    has(LESS) ||
    has(MORE) ||
    !/\b(?:at|for|cost|costs|a)\b/iu.test(request)
  )
    return undefined;
  return `calculate ${first} * ${second}`;
}

/** "15 % of 80", as the last calculation was. */
const SHARE_OF = /^\s*(?<share>\d[\d.,]*\s?%)\s+of\s+(?<whole>\d[\d.,]*)\s*$/iu;

/**
 * The calculation that continues the last one, of an expression and its result: "plus 15 for delivery", "and the total with the tip".
 */
export function furtherAmount(
  request: string,
  { expression, result }: { expression: string; result: string },
): string | undefined {
  if (request.length > MAX_LENGTH || request.includes("\n")) return undefined;
  const { percent, plain, words } = amountsIn(request);
  const has = (known: ReadonlySet<string>): boolean => words.some((word) => known.has(word));
  const nouns = words.filter(
    (word) => ![LESS, MORE, LEVY, WHOLE, IDLE].some((known) => known.has(word) || word === "w"),
  );
  const [amount = percent, ...others] = plain;
  const { share, whole } = SHARE_OF.exec(expression)?.groups ?? {};
  if (amount === undefined && share !== undefined && whole !== undefined) {
    if (nouns.length > 0) return undefined;
    if (has(LESS)) return `calculate ${whole} - ${share}`;
    return has(WHOLE) || has(MORE) || has(LEVY) ? `calculate ${whole} + ${share}` : undefined;
  }
  if (
    amount === undefined ||
    others.length > 0 ||
    nouns.length > 1 ||
    (plain.length > 0 && percent !== undefined)
  )
    return undefined;
  const isSum = has(MORE) !== has(LESS);
  return isSum ? `calculate ${result.replaceAll(",", "")} ${has(MORE) ? "+" : "-"} ${amount}` : undefined;
}

import { oneOf } from "@metahuman/core/text/patterns";
import { stem } from "@metahuman/core/language/tokens/words";
import { convert, unitNamed } from "@metahuman/skills/calculate/units";
import { MAX_CALCULATION } from "../conversation/limits.ts";

// Rewrites a calculation in words: "12 oysters at 9.80 each, how much" becomes "calculate 12 * 9.80", "80 plus 15 % tip" becomes
// "calculate 80 + 15%". Each word is an amount, an operation, a reference to the last result, or asks for nothing; a message with more
// than a few other words is about something else. Calculations that continue the last one are in further-calculations.ts, those whose
// words are partly unknown in expression.ts.

type Operation = "+" | "-" | "*" | "/";

export interface Amount {
  /** The number as it is calculated with: "12.5", "23%". */
  value: string;
  isShare: boolean;
  /** A sum of money with its currency: "€12.50", "12.50 euros". */
  money?: string;
  /** The unit as written: "mg". */
  unit?: string;
  /** Its position in the message, in UTF-16 code units. */
  start: number;
  end: number;
}

export interface AmountsInWords {
  amounts: readonly Amount[];
  /** The kind of each word, in order: "amount", an operation, "result" for the last result, "noun …" for any other word. */
  pieces: readonly string[];
  has: (...kinds: readonly string[]) => boolean;
  /** The number of different nouns. */
  nouns: number;
  /** It says that an amount was paid or used, and asks what is left. */
  isSpent: boolean;
}

const MAX_NOUNS = 3;

/** The kinds of words around amounts. An infix stands between two amounts: "1000 minus that". */
const WORDS: Readonly<Record<string, string>> = {
  "+": "plus + add added adding more extra top incl including included increase increased raise raised higher up surcharge another further",
  "-": "minus less subtract subtracted deduct deducted remove take takes took taken off away discount discounted reduce reduced reduction cheaper rebate lower down without knock drop",
  "*": "times multiply multiplied x * ×",
  "/": "divide divided split share shared between among amongst over / ÷",
  result: "that it this result those",
  half: "half halve halved",
  third: "third",
  quarter: "quarter",
  double: "double twice doubled",
  triple: "triple",
  levy: "tip vat tax service fee gst iva moms gratuity commission interest",
  whole: "total with sum altogether overall",
  each: "each apiece piece item unit head person per everyone everybody",
  at: "at @",
  from: "from",
  to: "to",
  in: "in into as",
  of: "of on",
  the: "the",
  for: "for",
  idle:
    "how much many is are s what whats about a an and if i we you do does did will would be cost costs price calculate tell me pls please " +
    "euro euros dollar dollars pound pounds quid eur usd gbp bucks then now by come comes so pay one was bill original normal regular get buy all " +
    "ok okay left make makes made us our my again altogether leave leaves there when can could just also w ll he she they already paid pays used spent gave sold ate drank lost covers covered remains remaining remain owe owes still due",
};
export const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([kind, words]) => words.split(" ").map((word) => [word, kind] as const)),
);
const INFIX: ReadonlyMap<string, Operation> = new Map([
  ["plus", "+"],
  ["+", "+"],
  ["minus", "-"],
  ["less", "-"],
  ["times", "*"],
  ["x", "*"],
  ["*", "*"],
  ["over", "/"],
  ["/", "/"],
]);
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, value) => [word, String(value)] as const)
    .slice(2),
);

const TOKEN = new RegExp(
  [
    String.raw`(?<currency>[€$£]\s?)?(?<number>\d[\d.,]*(?<![.,]))(?<share>\s?(?:%|percent\b|per\s?cent\b))?`,
    String.raw`(?<word>[ckm]?m[23²³](?![\p{L}\d])|\p{L}+)|(?<sign>[+*×÷/@-])`,
  ].join("|"),
  "giu",
);

/** A word for a currency that amounts are calculated in. Pounds may be a weight. */
const CURRENCY_WORD = /^(?:euros?|dollars?|eur|usd|gbp)$/u;

/** The amounts and the kinds of words of a message; undefined for a longer text, a time or a date. */
export function parseAmounts(text: string): AmountsInWords | undefined {
  if (text.length > MAX_CALCULATION || /\n|\d[:/]\d/u.test(text)) return undefined;
  const amounts: Amount[] = [];
  const pieces: string[] = [];
  let afterNumber = false;
  for (const { groups = {}, index: start, 0: found } of text.matchAll(TOKEN)) {
    const word = (groups["word"] ?? groups["sign"] ?? "").toLowerCase();
    const end = start + found.length;
    const number = groups["number"] ?? NUMBER_WORDS.get(word);
    const previous = amounts.at(-1);
    // "Less ten percent"
    if (word === "percent" && afterNumber && previous !== undefined) {
      amounts[amounts.length - 1] = { ...previous, value: `${previous.value}%`, isShare: true, end };
      afterNumber = false;
      continue;
    }
    if (number !== undefined) {
      const isShare = groups["share"] !== undefined;
      const value = isShare ? `${String(Number.parseFloat(number.replace(",", ".")))}%` : number;
      const currency = groups["currency"]?.trim();
      amounts.push({ value, isShare, start, end, ...(currency && { money: `${currency}${value}` }) });
      pieces.push("amount");
      afterNumber = !isShare;
      continue;
    }
    if (afterNumber && previous !== undefined && CURRENCY_WORD.test(word))
      amounts[amounts.length - 1] = { ...previous, money: `${previous.value} ${word}`, end };
    const isUnit =
      afterNumber && previous !== undefined && KINDS.get(word) === undefined && unitNamed(word) !== undefined;
    if (isUnit) amounts[amounts.length - 1] = { ...previous, unit: groups["word"] ?? word, end };
    else
      pieces.push(INFIX.has(word) ? `infix ${INFIX.get(word) ?? ""}` : (KINDS.get(word) ?? `noun ${word}`));
    afterNumber = false;
  }
  return {
    amounts,
    pieces,
    has: (...kinds) =>
      pieces.some(
        (piece) => kinds.includes(piece) || (piece.startsWith("infix") && kinds.includes(piece.slice(6))),
      ),
    nouns: new Set(pieces.filter((piece) => piece.startsWith("noun"))).size,
    isSpent: SPENT.test(text) && LEFT.test(text),
  };
}

/** "She paid 40 already, what's left": what was paid, used or given away is taken off. */
const SPENT = /\b(?:paid|pays?|used?|spent|spend|gave|sold|ate|drank|lost|covers|covered)\b/iu;
const LEFT = /\b(?:left|remain(?:s|ing)?|still\s+(?:owes?|to\s+pay|due|missing)|owes?)\b/iu;

/** The one operation of a message; undefined for none or several. */
export function findOperation({ has, amounts }: AmountsInWords): Operation | undefined {
  const isShare = amounts.length === 1 && amounts[0]?.isShare === true;
  // "With 15 % tip, in total" adds it; "20 % off" with a tip takes away.
  const isAdded = has("+") || (isShare && has("levy") && has("whole") && !has("-"));
  const found: Operation[] = [
    ...(isAdded ? (["+"] as const) : []),
    ...(has("-") ? (["-"] as const) : []),
    ...(has("*") ? (["*"] as const) : []),
    ...(has("/") ? (["/"] as const) : []),
  ];
  return found.length === 1 ? found[0] : undefined;
}

/** The calculation that a message describes with all its figures; undefined if its words mean something else. */
export function rewriteAsCalculation(request: string): string | undefined {
  const reading = parseAmounts(request);
  if (reading === undefined) return undefined;
  const { amounts, has, nouns, pieces } = reading;
  const [first, second, ...others] = amounts;
  const weighed = rewriteAsConversion(request, reading);
  if (weighed !== undefined) return weighed;
  const priced = PRICED_AT.exec(request)?.groups;
  if (priced !== undefined)
    return `calculate ${priced["count"] ?? ""} * ${priced["price"] ?? ""}${priced["extra"] === undefined ? "" : ` + ${priced["extra"]}`}`;
  const several = rewriteSeveralAmounts(request, reading);
  if (several !== undefined) return several;
  if (first === undefined || others.length > 0) return undefined;
  const operation = findOperation(reading);
  const share = amounts.find(({ isShare }) => isShare);
  if (share !== undefined) {
    if (has("result")) return undefined;
    const whole = amounts.find(({ isShare }) => !isShare);
    if (whole === undefined || whole.unit !== undefined || nouns > 0 || has("each", "*", "/"))
      return undefined;
    if (operation !== undefined) return `calculate ${whole.value} ${operation} ${share.value}`;
    return has("levy") && !has("+", "-") ? `calculate ${share.value} of ${whole.value}` : undefined;
  }
  if (second === undefined) return undefined;
  const shared = rewriteShareWithOthers(request, reading);
  if (shared !== undefined) return shared;
  if (hasRate(request, reading)) return `calculate ${first.value} * ${second.value}`;
  if (nouns > MAX_NOUNS) return undefined;
  if (second.unit !== undefined) return undefined;
  const isAsked =
    /^\W*(?:so\s+|and\s+)?(?:what|how\s+much|calculate)|[,;.\s]\s*(?:so\s+)?(?:how\s+much|what(?:['’]?s|\s+is))(?:\s+(?:is\s+)?(?:that|it|this))?[\s?.!]*$/iu.test(
      request,
    );
  const isPriced = (has("each") && /\b(?:at|for|cost|costs|a)\b|@/iu.test(request)) || (isAsked && has("at"));
  if (isPriced && operation === undefined && !ASKS_EACH.test(request))
    return `calculate ${first.value} * ${second.value}`;
  const counted = rewriteCountOfEach(request, reading);
  if (counted !== undefined) return counted;
  const between = pieces.slice(pieces.indexOf("amount") + 1, pieces.lastIndexOf("amount"));
  // "Bathroom 2.4 x 3.1, how many m2"
  if (between.length === 1 && between[0]?.startsWith("infix") === true && ASKS_AMOUNT.test(request))
    return `calculate ${first.value} ${between[0].slice("infix ".length)} ${second.value}`;
  const isDivided = operation === "/" && /^\W*(?:split|divide|share)\b/iu.test(request);
  return isDivided ? `calculate ${first.money ?? first.value} / ${second.value}` : undefined;
}

const ASKS_AMOUNT = /\bhow\s+(?:many|much)\b/iu;
/** "How many is that each" */
const ASKS_EACH =
  /\bhow\s+(?:many|much)\b[^,;.\d]*\b(?:each|apiece|per\s+\p{L}+|(?:does|do|can|will)\s+(?:each|everyone|everybody)\b[^\d]*)[\s?.!]*$/iu;

/** "250 guests, 3 pieces each, how many pieces" is a product, "48 eggs and 6 boxes, how many each" a share. */
function rewriteCountOfEach(request: string, { amounts, has }: AmountsInWords): string | undefined {
  const [first, second] = amounts;
  if (first === undefined || second === undefined || !ASKS_AMOUNT.test(request) || !has("each"))
    return undefined;
  if (has("+", "-", "*", "/")) return undefined;
  if (!ASKS_EACH.test(request)) return `calculate ${first.value} * ${second.value}`;
  // Nobody shares fewer things than there are sharers.
  return Number(first.value) >= Number(second.value)
    ? `calculate ${first.money ?? first.value} / ${second.value}`
    : `calculate ${second.value} / ${first.value}`;
}

/** "14 an hour", "3 coats a wall", "272 rupees for one litre": an amount for each of something. */
const RATE =
  /\d\s*(?<noun>\p{L}+\s+)?(?:(?:for\s+)?(?:an?|one|per|each|every)\s+|(?:per|\/)\s*)(?<unit>\p{L}{1,12})\b/iu;
const COUNT = /\d\s*(?<unit>\p{L}{1,12})\b/giu;
/** Words of a story around the two amounts of a rate. */
const MAX_STORY = 6;

/** "Diesel is 1.72 a litre and the tank holds 55 litres, how much to fill it": a rate, and how many of its unit. */
function hasRate(request: string, { nouns }: AmountsInWords): boolean {
  const rate = RATE.exec(request);
  const { unit, noun = "" } = rate?.groups ?? {};
  if (rate === null || unit === undefined || nouns > MAX_STORY) return false;
  const [before, after] = [request.slice(0, rate.index), request.slice(rate.index + rate[0].length)];
  const counts = (text: string): boolean =>
    [...text.matchAll(COUNT)].some(({ groups }) => isSameUnit(groups?.["unit"] ?? "", unit));
  const isAsked = /\bhow\s+(?:many|much)\b|\bwhat\b/iu.test(request);
  const isPaid =
    unitNamed(unit.toLowerCase())?.kind === "time" &&
    /^(?:(?:euros?|pounds?|dollars?|quid|bucks)\s+)?$/iu.test(noun);
  const isEnough = isAsked || isPaid || (/^\W*\d/u.test(request) && nouns <= MAX_NOUNS);
  return counts(after) ? isEnough : isAsked && counts(before);
}

function isSameUnit(unit: string, other: string): boolean {
  const [first, second] = [unitNamed(unit.toLowerCase()), unitNamed(other.toLowerCase())];
  return stem(unit.toLowerCase()) === stem(other.toLowerCase()) || (first !== undefined && first === second);
}

const WITH_OTHERS_WORDS = oneOf(
  "other|friend|flatmate|housemate|roommate|colleague|neighbour|neighbor|mate|brother|sister",
);
/** "I split 640 with 3 others, how much each": among them and the person. */
const WITH_OTHERS = new RegExp(
  String.raw`\b(?:split|share|divide)\b[^.;?]*\bwith\s+(?:my\s+)?(?<count>\d{1,2}|\p{L}+)\s+${WITH_OTHERS_WORDS}`,
  "iu",
);

function rewriteShareWithOthers(request: string, { amounts, has }: AmountsInWords): string | undefined {
  const written = WITH_OTHERS.exec(request)?.groups?.["count"] ?? "";
  const count = Number(NUMBER_WORDS.get(written.toLowerCase()) ?? written);
  const [whole, ...others] = amounts.filter(({ value }) => value !== String(count));
  const isAsked = ASKS_AMOUNT.test(request) || /\bwhat\b/iu.test(request);
  return !(count > 0) || whole === undefined || others.length > 0 || !isAsked || has("+", "-", "*")
    ? undefined
    : `calculate ${whole.money ?? whole.value} / ${String(count + 1)}`;
}

/** "12 dozen oysters at 9.80 the dozen", "6 rolls at 4.20 a roll plus 10 for delivery" */
const PRICED_AT = new RegExp(
  [
    String.raw`^\W*(?:(?:so|and|what\s+(?:is|are|do|does)|what['’]s|how\s+much\s+(?:is|are))\s+)*`,
    String.raw`(?<count>\d[\d.,]*)\s+(?<unit>\p{L}{2,12}?)(?:e?s)?\b[^\d,;]*\s`,
    String.raw`(?:at|@)\s*[€$£]?(?<price>\d[\d.,]*\d|\d)\s*(?:euros?|quid|pounds?|dollars?|kr|crowns?)?\s*`,
    String.raw`(?:the|an?|per|each|for\s+(?:an?|one))\s+\k<unit>(?:e?s)?\b`,
    String.raw`(?:,?\s+(?:and|plus)\s+[€$£]?(?<extra>\d[\d.,]*\d|\d)(?:\s+(?:for\s+)?(?:the\s+)?\p{L}+){0,3})?`,
    String.raw`(?:[,;]?\s+(?:how\s+much|what)\b[^\d]*)?[\s?.!]*$`,
  ].join(""),
  "iu",
);
const AVERAGES = /\b(?:avg|average|mean)\b/iu;
const SUMS = /\b(?:add\s+up|add|sum|total|altogether|together|plus)\b/iu;
const CALCULATION = String.raw`\d[\d.,]*\s*(?:times|x|\*|plus|minus|divided\s+by|\/)\s*\d[\d.,]*`;
/** Two calculations in one question. */
const TWO_CALCULATIONS = new RegExp(
  [
    String.raw`^\W*(?:(?:and|so)\s+)?(?:what(?:['’]?s|\s+is)|how\s+much\s+is|calculate)\s+`,
    String.raw`(?<first>${CALCULATION})\s+and\s+(?<second>${CALCULATION})[\s?.!]*$`,
  ].join(""),
  "iu",
);

/** The average or the sum of several amounts, what is left of one after others were spent, or two calculations. */
function rewriteSeveralAmounts(
  request: string,
  { amounts, nouns, isSpent, has }: AmountsInWords,
): string | undefined {
  const { first, second } = TWO_CALCULATIONS.exec(request)?.groups ?? {};
  if (first !== undefined && second !== undefined) return `calculate ${first} and then calculate ${second}`;
  if (amounts.length < 2 || nouns > MAX_NOUNS || amounts.some(({ isShare, unit }) => isShare || unit))
    return undefined;
  const values = amounts.map(({ value }) => value);
  if (AVERAGES.test(request) && !has("-", "*", "/"))
    return `calculate (${values.join(" + ")}) / ${String(values.length)}`;
  if (values.length < 3 || has("*", "/", "each", "at")) return undefined;
  if (isSpent) return `calculate ${values.join(" - ")}`;
  // "Add 2 eggs, 3 apples and 4 plums" is not a sum.
  return SUMS.test(request) && nouns === 0 && !has("-") ? `calculate ${values.join(" + ")}` : undefined;
}

/** "If the baby weighs 3.9 kilos, what is that in pounds": the one amount in another unit. */
function rewriteAsConversion(request: string, { amounts, nouns }: AmountsInWords): string | undefined {
  const unit = /\b(?:in|to|into)\s+(?<unit>\p{L}+)[\s?.!]*$/iu.exec(request)?.groups?.["unit"];
  const [amount, ...others] = amounts;
  const [from, to] = [amount?.unit && unitNamed(amount.unit), unit && unitNamed(unit)];
  if (!from || !to || amount?.unit === undefined || unit === undefined || others.length > 0) return undefined;
  const isAsked = /\b(?:what|how\s+much|how\s+many)\b/iu.test(request);
  return isAsked && nouns <= MAX_NOUNS && convert(1, from, to) !== undefined
    ? `convert ${amount.value} ${amount.unit} to ${unit}`
    : undefined;
}

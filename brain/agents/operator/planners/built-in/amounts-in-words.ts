import { convert, unitNamed } from "@metahuman/skills/calculate/units";

// Calculations in any order of words: every word of the message is an amount, an operation, a reference to the last result, or asks
// for nothing. More other words than a few mean that the message is about something else.

type Operation = "+" | "-" | "*" | "/";

interface Amount {
  /** The number as it is calculated with: "12.5", "23%". */
  value: string;
  isShare: boolean;
  /** The unit as written: "mg". */
  unit?: string;
  /** Where it stands in the message, in UTF-16 code units. */
  start: number;
  end: number;
}

interface Reading {
  amounts: readonly Amount[];
  /** The message as a sequence of what its words are; "result" refers to the last result, "noun" to anything else. */
  pieces: readonly string[];
  has: (...kinds: readonly string[]) => boolean;
  /** How many different other things it names. */
  nouns: number;
  /** It says that an amount was paid or used, and asks what is left. */
  isSpent: boolean;
}

const MAX_LENGTH = 120;
const MAX_NOUNS = 3;

/** Words by what they say about an amount. An infix stands between two amounts: "1000 minus that". */
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
    "how much many is are s what whats about a an and if i we you do does will would be cost costs price calculate tell me pls please " +
    "euro euros dollar dollars pound pounds quid eur usd gbp bucks then now by come comes so pay one was bill original normal regular get buy all " +
    "ok okay left make makes made us our my again altogether leave leaves there when can could just also w ll he she they already paid pays used spent gave sold ate drank lost covers covered remains remaining remain owe owes still due",
};
const KINDS: ReadonlyMap<string, string> = new Map(
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
const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, value) => [word, String(value)] as const)
    .slice(2),
);
const FRACTIONS: Readonly<Record<string, string>> = {
  half: "/ 2",
  third: "/ 3",
  quarter: "/ 4",
  double: "* 2",
  triple: "* 3",
};

const TOKEN =
  /(?<currency>[€$£]\s?)?(?<number>\d[\d.,]*(?<![.,]))(?<share>\s?(?:%|percent\b|per\s?cent\b))?|(?<word>[ckm]?m[23²³](?![\p{L}\d])|\p{L}+)|(?<sign>[+*×÷/@-])/giu;

/** What the words of a message are; undefined for a longer text, a time or a date. */
function readingOf(text: string): Reading | undefined {
  if (text.length > MAX_LENGTH || /\n|\d[:/]\d/u.test(text)) return undefined;
  const amounts: Amount[] = [];
  const pieces: string[] = [];
  let afterNumber = false;
  for (const { groups = {}, index: start, 0: found } of text.matchAll(TOKEN)) {
    const word = (groups["word"] ?? groups["sign"] ?? "").toLowerCase();
    const end = start + found.length;
    const number = groups["number"] ?? NUMBER_WORDS.get(word);
    const previous = amounts.at(-1);
    if (number !== undefined) {
      const isShare = groups["share"] !== undefined;
      const value = isShare ? `${String(Number.parseFloat(number.replace(",", ".")))}%` : number;
      amounts.push({ value, isShare, start, end });
      pieces.push("amount");
      afterNumber = !isShare;
      continue;
    }
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
function operationOf({ has, amounts }: Reading): Operation | undefined {
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

/** The calculation that a message with all its figures means; undefined if its words say something else. */
export function calculationInWords(request: string): string | undefined {
  const reading = readingOf(request);
  if (reading === undefined) return undefined;
  const { amounts, has, nouns, pieces } = reading;
  const [first, second, ...others] = amounts;
  const weighed = conversionInWords(request, reading);
  if (weighed !== undefined) return weighed;
  const several = ofSeveralAmounts(request, reading);
  if (several !== undefined) return several;
  if (first === undefined || others.length > 0) return undefined;
  const operation = operationOf(reading);
  const share = amounts.find(({ isShare }) => isShare);
  if (share !== undefined) {
    const contained = LEVY_WITHIN.exec(request)?.groups?.["whole"];
    if (contained !== undefined) return `calculate ${contained} - ${contained} / (1 + ${share.value})`;
    if (has("result")) return undefined;
    const whole = amounts.find(({ isShare }) => !isShare);
    if (whole === undefined || whole.unit !== undefined || nouns > 0 || has("each", "*", "/"))
      return undefined;
    if (operation !== undefined) return `calculate ${whole.value} ${operation} ${share.value}`;
    return has("levy") && !has("+", "-") ? `calculate ${share.value} of ${whole.value}` : undefined;
  }
  if (second === undefined || nouns > MAX_NOUNS) return undefined;
  if (PAID_BY_TIME.test(request)) return `calculate ${first.value} * ${second.value}`;
  if (second.unit !== undefined) return undefined;
  const isAsked =
    /^\W*(?:so\s+|and\s+)?(?:what|how\s+much|calculate)|[,;.]\s*(?:so\s+)?(?:how\s+much|what(?:['’]?s|\s+is))(?:\s+(?:is\s+)?(?:that|it|this))?[\s?.!]*$/iu.test(
      request,
    );
  const isPriced = (has("each") && /\b(?:at|for|cost|costs|a)\b|@/iu.test(request)) || (isAsked && has("at"));
  if (isPriced && operation === undefined) return `calculate ${first.value} * ${second.value}`;
  const counted = countOfEach(request, reading);
  if (counted !== undefined) return counted;
  const between = pieces.slice(pieces.indexOf("amount") + 1, pieces.lastIndexOf("amount"));
  // "Bathroom 2.4 x 3.1, how many m2"
  if (between.length === 1 && between[0]?.startsWith("infix") === true && ASKS_AMOUNT.test(request))
    return `calculate ${first.value} ${between[0].slice("infix ".length)} ${second.value}`;
  const isDivided = operation === "/" && /^\W*(?:split|divide|share)\b/iu.test(request);
  return isDivided ? `calculate ${first.value} / ${second.value}` : undefined;
}

const ASKS_AMOUNT = /\bhow\s+(?:many|much)\b/iu;
/** "How many is that each" */
const ASKS_EACH =
  /\bhow\s+(?:many|much)\b[^,;.\d]*\b(?:each|apiece|per\s+\p{L}+|(?:does|do|can|will)\s+(?:each|everyone|everybody)\b[^\d]*)[\s?.!]*$/iu;

/** "250 guests, 3 pieces each, how many pieces" is a product, "48 eggs and 6 boxes, how many each" a share. */
function countOfEach(request: string, { amounts, has }: Reading): string | undefined {
  const [first, second] = amounts;
  if (first === undefined || second === undefined || !ASKS_AMOUNT.test(request) || !has("each"))
    return undefined;
  if (has("+", "-", "*", "/")) return undefined;
  if (!ASKS_EACH.test(request)) return `calculate ${first.value} * ${second.value}`;
  // Nobody shares fewer things than there are sharers.
  return Number(first.value) >= Number(second.value)
    ? `calculate ${first.value} / ${second.value}`
    : `calculate ${second.value} / ${first.value}`;
}

/** "How much of 174 is VAT if it's 20 %": the amount has the tax in it. */
const LEVY_WITHIN =
  /\bof\s+[€$£]?(?<whole>\d[\d.,]*)\s+(?:is|are)\s+(?:the\s+)?(?:vat|tax|gst|iva|moms|sales\s+tax)\b/iu;
/** "14 an hour and 6.5 hours" */
const PAID_BY_TIME =
  /\d\s*(?:euros?|pounds?|dollars?|quid|bucks)?\s*(?:an?|per|each|every|\/)\s*(?<unit>hour|day|week|month|night|km|mile)\b.*\d\s*\k<unit>s\b/iu;
const AVERAGES = /\b(?:avg|average|mean)\b/iu;
const SUMS = /\b(?:add\s+up|add|sum|total|altogether|together|plus)\b/iu;
/** Two calculations in one question. */
const TWO_CALCULATIONS =
  /^\W*(?:(?:and|so)\s+)?(?:what(?:['’]?s|\s+is)|how\s+much\s+is|calculate)\s+(?<one>\d[\d.,]*\s*(?:times|x|\*|plus|minus|divided\s+by|\/)\s*\d[\d.,]*)\s+and\s+(?<two>\d[\d.,]*\s*(?:times|x|\*|plus|minus|divided\s+by|\/)\s*\d[\d.,]*)[\s?.!]*$/iu;

/** The average or the sum of several amounts, what is left of one after others were spent, or two calculations. */
function ofSeveralAmounts(request: string, { amounts, nouns, isSpent, has }: Reading): string | undefined {
  const { one, two } = TWO_CALCULATIONS.exec(request)?.groups ?? {};
  if (one !== undefined && two !== undefined) return `calculate ${one} and then calculate ${two}`;
  if (amounts.length < 2 || nouns > MAX_NOUNS || amounts.some(({ isShare, unit }) => isShare || unit))
    return undefined;
  const values = amounts.map(({ value }) => value);
  if (AVERAGES.test(request) && !has("-", "*", "/"))
    return `calculate (${values.join(" + ")}) / ${String(values.length)}`;
  if (values.length < 3 || has("*", "/", "each", "at")) return undefined;
  if (isSpent) return `calculate ${values.join(" - ")}`;
  // "Add 2 eggs, 3 apples and 4 plums" is no sum.
  return SUMS.test(request) && nouns === 0 && !has("-") ? `calculate ${values.join(" + ")}` : undefined;
}

/** "If the baby weighs 3.9 kilos, what is that in pounds": the one amount in another unit. */
function conversionInWords(request: string, { amounts, nouns }: Reading): string | undefined {
  const unit = /\b(?:in|to|into)\s+(?<unit>\p{L}+)[\s?.!]*$/iu.exec(request)?.groups?.["unit"];
  const [amount, ...others] = amounts;
  const [from, to] = [amount?.unit && unitNamed(amount.unit), unit && unitNamed(unit)];
  if (!from || !to || amount?.unit === undefined || unit === undefined || others.length > 0) return undefined;
  const isAsked = /\b(?:what|how\s+much|how\s+many)\b/iu.test(request);
  return isAsked && nouns <= MAX_NOUNS && convert(1, from, to) !== undefined
    ? `convert ${amount.value} ${amount.unit} to ${unit}`
    : undefined;
}

/** The last calculation: the request for it, its expression, and the result, with its unit if it has one. */
export interface LastCalculation {
  request: string;
  expression: string;
  result: string;
}

/** A number, or an amount of one unit. */
const RESULT = /^(?<number>-?\d[\d,]*(?:\.\d+)?)(?:\s?(?<unit>[\p{L}°]+))?$/u;
/** Numbers and operators of a division, which its result rounds. */
const DIVISION = /^(?=.*\/)[\d\s.+*/()-]{1,80}$/u;
/** "15 % of 80", as the last calculation was. */
const SHARE_OF = /^\s*(?<share>\d[\d.,]*\s?%)\s+of\s+(?<whole>\d[\d.,]*)\s*$/iu;
const ROUNDS =
  /\bround(?:ed)?\b(?:\s+(?:it|that|this|the result))?(?:\s+off)?(?:\s+to\s+(?:(?<digits>\d|one|two|three)\s+(?:decimals?|decimal\s+places?|places|digits)|(?<cents>(?:the\s+(?:nearest\s+)?)?(?:pence|penny|pennies|cents?))|(?:the\s+nearest\s+)?(?:an?\s+)?(?:integer|whole(?:\s+\p{L}+)?)))?[\s?.!]*$/iu;
/** How a message begins that puts another amount in the place of the last one. */
const OTHER_AMOUNT = /^\W*(?:and|what about|how about|or|same for|the same for|for)\b/iu;

/**
 * The calculation that continues the last one: "plus 15 for delivery", "add 23 % vat to that", "how much is that in pounds", "and 1.5
 * mg?". Undefined for a message about anything else.
 */
export function furtherCalculation(request: string, last: LastCalculation): string | undefined {
  const reading = readingOf(request);
  const found = RESULT.exec(last.result)?.groups;
  if (reading === undefined || found?.["number"] === undefined) return undefined;
  const number = found["number"].replaceAll(",", "");
  const rounded = ROUNDS.exec(request);
  if (rounded !== null) return found["unit"] === undefined ? roundedResult(number, rounded) : undefined;
  // A third is calculated with as it is, not as its rounded result.
  const result = DIVISION.test(last.expression)
    ? `(${last.expression.trim()})`
    : `${number}${found["unit"] === undefined ? "" : ` ${found["unit"]}`}`;
  return (
    inUnit(reading, request, { result: `${number} ${found["unit"] ?? ""}`, unit: found["unit"] }) ??
    withAmount(reading, result) ??
    withFraction(reading, result) ??
    withShare(reading, last.expression) ??
    otherAmount(reading, request, last)
  );
}

function roundedResult(number: string, { groups }: RegExpExecArray): string {
  const digits = groups?.["cents"] === undefined ? groups?.["digits"]?.toLowerCase() : "2";
  return digits === undefined
    ? `round ${number}`
    : `round ${number} to ${NUMBER_WORDS.get(digits) ?? (digits === "one" ? "1" : digits)} decimals`;
}

/** "How much is that in pounds", "and in stone?" */
function inUnit(
  { amounts, nouns, has }: Reading,
  request: string,
  { result, unit }: { result: string; unit: string | undefined },
): string | undefined {
  const name = /\b(?:in|to|into|as)\s+(?<name>\p{L}+(?:\/\p{L}+)?)[\s?.!]*$/iu.exec(request)?.groups?.[
    "name"
  ];
  const [from, to] = [unit && unitNamed(unit), name && unitNamed(name)];
  if (!from || !to || name === undefined || amounts.length > 0 || has("+", "-", "*", "/")) return undefined;
  const others = nouns - (KINDS.has(name.toLowerCase()) ? 0 : 1);
  return others === 0 && convert(1, from, to) !== undefined ? `convert ${result} to ${name}` : undefined;
}

/** The last result and one amount. */
function withAmount(reading: Reading, result: string): string | undefined {
  const { amounts, pieces, has, nouns } = reading;
  const [amount, ...others] = amounts;
  const isSpent = reading.isSpent && !has("+", "*", "/");
  const operation = isSpent ? "-" : operationOf(reading);
  if (amount === undefined || others.length > 0) return undefined;
  const refers = has("result") || isSpent;
  const value = amount.unit === undefined ? amount.value : `${amount.value} ${amount.unit}`;
  if (amount.isShare) {
    if (nouns > 1 || has("*", "/")) return undefined;
    if (operation !== undefined) return `calculate ${result} ${operation} ${value}`;
    const isShare = !has("+", "-") && (refers ? has("of", "levy") : has("levy"));
    return isShare ? `calculate ${value} of ${result}` : undefined;
  }
  if (operation === undefined) return undefined;
  const isCounted = operation === "/";
  const afterAmount = pieces[pieces.indexOf("amount") + 1] ?? "";
  // "Add 3 eggs" is no calculation; "plus 15 for labour", "less the 50 deposit" and "split it between 4 people" are.
  const isOfThings = afterAmount.startsWith("noun") && pieces[pieces.indexOf("amount") - 1] !== "the";
  const mayHave = refers ? 2 : isCounted ? 2 : 1;
  if (nouns > mayHave || (isOfThings && !isCounted && !(refers && operation !== "+"))) return undefined;
  if (!refers && !(isLeading(pieces) && areNounsIntroduced(pieces))) return undefined;
  const isFirst = isBeforeResult(pieces);
  return `calculate ${isFirst ? value : result} ${operation} ${isFirst ? result : value}`;
}

/** True if a message begins with its operation or its amount, apart from words that ask for nothing. */
function isLeading(pieces: readonly string[]): boolean {
  const first = pieces.find((piece) => piece !== "idle" && piece !== "the") ?? "";
  return !first.startsWith("noun") && first !== "at";
}

/** False for "add phone 25": what an amount is for follows "for", "of" or "the". */
const areNounsIntroduced = (pieces: readonly string[]): boolean =>
  pieces.every(
    (piece, index) =>
      !piece.startsWith("noun") || ["for", "of", "the", "/", "amount"].includes(pieces[index - 1] ?? ""),
  );

/** True for "1000 minus that", "take that from 1000", "add it to 20": the amount comes first in the calculation. */
function isBeforeResult(pieces: readonly string[]): boolean {
  const [amount, result] = [pieces.indexOf("amount"), pieces.indexOf("result")];
  if (result < 0) return false;
  if (amount < result) return pieces.slice(amount, result).some((piece) => piece.startsWith("infix"));
  const between = pieces.slice(result, amount);
  return (
    between.includes("from") ||
    (between.includes("to") && !between.some((piece) => piece.startsWith("infix")))
  );
}

/** "Half of that", "double it" */
function withFraction({ pieces, amounts, has, nouns }: Reading, result: string): string | undefined {
  const fractions = pieces.filter((piece) => Object.hasOwn(FRACTIONS, piece));
  const [fraction, ...others] = fractions;
  if (fraction === undefined || others.length > 0 || amounts.length > 0 || nouns > 0 || !has("result"))
    return undefined;
  return has("+", "-", "*", "/") ? undefined : `calculate ${result} ${FRACTIONS[fraction] ?? ""}`;
}

/** "And the total with the tip" after "15 % of 80". */
function withShare({ amounts, nouns, has }: Reading, expression: string): string | undefined {
  const { share, whole } = SHARE_OF.exec(expression)?.groups ?? {};
  if (share === undefined || whole === undefined || amounts.length > 0 || nouns > 0) return undefined;
  if (has("-")) return `calculate ${whole} - ${share}`;
  return has("whole", "+", "levy") ? `calculate ${whole} + ${share}` : undefined;
}

/** "And 15 %?", "and 1.5 mg": the last request with another amount of the same kind. */
function otherAmount(
  { amounts, pieces, nouns, has }: Reading,
  request: string,
  last: LastCalculation,
): string | undefined {
  const [other, ...others] = amounts;
  if (other === undefined || others.length > 0 || nouns > 0 || has("result", "+", "-", "*", "/", "levy"))
    return undefined;
  if (!OTHER_AMOUNT.test(request) || pieces.at(-1) !== "amount") return undefined;
  const kindOf = ({ isShare, unit }: Amount): string =>
    isShare ? "share" : unit === undefined ? "plain" : (unitNamed(unit)?.kind ?? "plain");
  const earlier = readingOf(last.request)?.amounts ?? [];
  const same = earlier.filter((amount) => kindOf(amount) === kindOf(other));
  // "And for 2?" after "0.25 mg in micrograms" keeps the unit.
  const [replaced, ...more] =
    same.length > 0 || other.isShare || other.unit !== undefined
      ? same
      : earlier.filter(({ isShare }) => !isShare);
  if (replaced === undefined || more.length > 0) return undefined;
  const written = request.slice(other.start, other.end);
  const unit = other.unit === undefined && replaced.unit !== undefined ? ` ${replaced.unit}` : "";
  return `${last.request.slice(0, replaced.start)}${written}${unit}${last.request.slice(replaced.end)}`;
}

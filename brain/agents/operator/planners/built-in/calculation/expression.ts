import { parseAmounts } from "./calculation-in-words.ts";

// Reads the amounts and operations of a message as an expression and leaves other words out: "3 tubes at 450 n 2 chains at 1200,
// total?" becomes "3 * 450 + 2 * 1200". Used for likely orders only, since the words that are left out may say something else.

/** "3 tubes at 450": what multiplies the amount before it. */
const PRODUCT = new Set(["at", "each", "*", "infix *"]);
const SUM = new Set(["+", "infix +"]);
const DIFFERENCE = new Set(["-", "infix -"]);
const QUOTIENT = new Set(["/", "infix /"]);
/** Words that ask for a figure. */
const ASKS =
  /\b(?:total|sum|altogether|how\s+(?:much|many)|what|makes?|equals|comes?\s+to|left|calculate)\b|[?=]/iu;
/** "37 jars and one costs 8.50" */
const HAS_UNIT_PRICE =
  /\b(?:one|each|every|per|an?)\b[^\d]*\b(?:costs?|is|sells?|goes)\b[^\d]*\d|\d[^\d]*\b(?:each|apiece|per\s+\p{L}+|(?:the|a|an)\s+(?:piece|metre|meter|kilo|litre|liter|hour|day|box|bag|bottle))\b/iu;
const SUMS = /\b(?:total|sum|altogether|add|together|all\s+in\s+all)\b/iu;
const MAX_AMOUNTS = 8;

/**
 * The expression of the amounts and operations of a message in their order; other words between them are left out: "3 tubes at 450 n 2
 * chains at 1200, total?" is `3 * 450 + 2 * 1200`. A message that begins with an operation continues the last result. Undefined if an
 * operation is missing, and for a message that asks for no figure.
 */
export function readExpression(message: string, last: string | undefined): string | undefined {
  const reading = parseAmounts(message);
  if (reading === undefined || reading.amounts.length === 0 || reading.amounts.length > MAX_AMOUNTS)
    return undefined;
  const { amounts, pieces } = reading;
  const [first] = amounts;
  const begin = pieces.indexOf("amount");
  const opening = readOperation(pieces.slice(0, begin), first?.isShare === true);
  const continues = opening !== undefined && last !== undefined && /^-?[\d.,]+$/u.test(last);
  if (!continues && (amounts.length < 2 || !ASKS.test(message))) return undefined;
  let expression = continues ? `${last.replaceAll(",", "")} ${opening} ` : "";
  const isPriced = !continues && amounts.length === 2 && HAS_UNIT_PRICE.test(message);
  // Amounts that only stand side by side are added where products are, or where the sum is asked for.
  const isSum = SUMS.test(message) || pieces.some((piece) => PRODUCT.has(piece));
  let at = 0;
  let between: string[] = [];
  for (const piece of pieces.slice(begin)) {
    if (piece !== "amount") {
      between.push(piece);
      continue;
    }
    const { value = "", isShare = false } = amounts[at] ?? {};
    if (at > 0) {
      const operation =
        readOperation(between, isShare) ?? (isPriced ? "*" : !continues && isSum ? "+" : undefined);
      if (operation === undefined) return undefined;
      expression += ` ${operation} `;
    }
    expression += value;
    at += 1;
    between = [];
  }
  return /[-+*/]/u.test(expression.slice(1)) ? expression : undefined;
}

/** The operation that the words before an amount say; undefined if they say none, or several. */
function readOperation(words: readonly string[], isShare: boolean): string | undefined {
  const found = new Set(
    words.flatMap((word) => {
      if (PRODUCT.has(word)) return ["*"];
      if (SUM.has(word)) return ["+"];
      if (DIFFERENCE.has(word)) return ["-"];
      return QUOTIENT.has(word) && !isShare ? ["/"] : [];
    }),
  );
  const [only, ...others] = found;
  return others.length > 0 ? undefined : only;
}

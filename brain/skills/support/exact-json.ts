/** The number of decimal digits that every JavaScript number represents exactly. */
const EXACT_DIGITS = 15;

/** True if parsing a number in JSON text loses nothing, unlike for 12345678901234567890 or 1e400. */
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return source.replace(/[eE].*$/u, "").replace(/^-?0*\.?0*|\./gu, "").length <= EXACT_DIGITS;
}

/**
 * Parses JSON. A number that JavaScript would round stays the text of its digits. Undefined if the text is not JSON or is
 * nested too deeply to be read.
 */
export function parseExactJson(text: string): unknown {
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" && context?.source !== undefined && !isExact(value, context.source)
      ? context.source
      : value;
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * JSON that untrusted code wrote, as a value. Throws `SyntaxError` for anything else, and for a key that would reach for
 * an object's prototype where somebody later copies it without thinking.
 */
export function parseUntrusted(text: string): unknown {
  const value: unknown = JSON.parse(text, (key, inner: unknown) => {
    if (key === "__proto__") throw new SyntaxError("a key may not be called __proto__");
    return inner;
  });
  return value;
}

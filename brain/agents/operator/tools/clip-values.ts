/** A JSON value whose texts are clipped to `maxText` characters and lists to `maxItems`; each cut states the full length. */
function clipValue(value: unknown, maxText: number, maxItems = 50): unknown {
  if (typeof value === "string")
    return value.length <= maxText ? value : `${value.slice(0, maxText)}… [${value.length} characters]`;
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxItems).map((item) => clipValue(item, maxText, maxItems));
    return value.length > maxItems ? [...kept, `… [${value.length} items]`] : kept;
  }
  if (typeof value === "object" && value !== null)
    return clipped(Object.fromEntries(Object.entries(value)), maxText, maxItems);
  return value;
}

export function clipped(
  record: Record<string, unknown>,
  maxText: number,
  maxItems = 50,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, clipValue(value, maxText, maxItems)]),
  );
}

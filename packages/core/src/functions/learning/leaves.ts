/** Yields every primitive value inside a value, with its dotted path. */
export function leavesOf(value: unknown, place = ""): { place: string; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ place, value }];
  return Object.entries(value).flatMap(([key, part]) =>
    leavesOf(part, place === "" ? key : `${place}.${key}`),
  );
}

/**
 * The name of a parameter that fills a field of a record: "Hours (h)" gives "hours_h". Undefined for an element of a list and a field
 * without Latin letters.
 */
export function nameOfField(key: string): string | undefined {
  const name = key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "_")
    .replaceAll(/^[^a-z]+|_+$/gu, "");
  return name === "" ? undefined : name;
}

/** Yields every primitive value inside a value, with its dotted path. */
export function leavesOf(value: unknown, place = ""): { place: string; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ place, value }];
  return Object.entries(value).flatMap(([key, part]) =>
    leavesOf(part, place === "" ? key : `${place}.${key}`),
  );
}

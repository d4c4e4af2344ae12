/** The Jaccard index of two sets: the size of their intersection divided by that of their union; 0 for two empty sets. */
export function jaccardIndex(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = sharedCount(one, other);
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Dice's coefficient of two sets: twice the size of their intersection divided by the sum of their sizes; 0 for two empty sets. */
export function diceCoefficient(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = one.size + other.size;
  return all === 0 ? 0 : (2 * sharedCount(one, other)) / all;
}

function sharedCount(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const item of one) if (other.has(item)) shared += 1;
  return shared;
}

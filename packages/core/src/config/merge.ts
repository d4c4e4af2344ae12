type Tree = Record<string, unknown>;

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `over` laid on `base`, key by key; arrays and plain values replace. Where both say another `kind`, they describe
 * different things and nothing of the base stays. Changes neither.
 */
export function merge(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over;
  if ("kind" in base && "kind" in over && base["kind"] !== over["kind"]) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    merged.set(key, merged.has(key) ? merge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

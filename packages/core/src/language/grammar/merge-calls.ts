import type { PlannedCall, PlannedValue } from "./plan.ts";

/** Argument names of each call that have default values because the request does not mention them. */
export type Defaults = ReadonlyMap<PlannedCall, ReadonlySet<string>>;

const refersTo = (value: PlannedValue, index: number): boolean =>
  value.from === "call" && value.call === index;

export function withNewIndexes(call: PlannedCall, newIndex: (index: number) => number): PlannedCall {
  const args = Object.entries(call.args).map(([name, value]): [string, PlannedValue] => [
    name,
    value.from === "call" ? { ...value, call: newIndex(value.call) } : value,
  ]);
  return { ...call, args: Object.fromEntries(args) };
}

/** Finds a later call that sets arguments which an earlier call left to defaults; `added` contains those arguments. */
function findMergeable(
  calls: readonly PlannedCall[],
  defaults: Defaults,
): { first: number; second: number; added: [string, PlannedValue][] } | undefined {
  for (const [second, call] of calls.entries()) {
    const it = Object.values(call.args).find((value) => value.from === "call" && value.take === "path");
    const first = it?.from === "call" ? it.call : -1;
    const earlier = calls[first];
    if (it === undefined || earlier?.skill !== call.skill) continue;
    const open = defaults.get(earlier);
    const added = Object.entries(call.args).filter(([, value]) => value !== it);
    const isNeeded = calls
      .slice(first + 1, second)
      .some((between) => Object.values(between.args).some((value) => refersTo(value, first)));
    if (added.length > 0 && !isNeeded && added.every(([name]) => open?.has(name)))
      return { first, second, added };
  }
  return undefined;
}

/**
 * Merges calls of one skill: "Create x.md and write hello to it" becomes one call. Arguments that a later call sets
 * on the earlier call's result replace the earlier call's defaults.
 */
export function mergeCalls(calls: readonly PlannedCall[], defaults: Defaults): PlannedCall[] {
  const found = findMergeable(calls, defaults);
  if (found === undefined) return [...calls];
  const { first, second, added } = found;
  const merged = calls.map((call, index) => {
    const earlier = calls[first];
    if (index !== second || earlier === undefined) return call;
    return {
      ...earlier,
      args: { ...earlier.args, ...Object.fromEntries(added) },
      clause: `${earlier.clause}, ${call.clause}`,
    };
  });
  const newIndex = (index: number): number =>
    index === first ? second - 1 : index > first ? index - 1 : index;
  return merged.filter((_, index) => index !== first).map((call) => withNewIndexes(call, newIndex));
}

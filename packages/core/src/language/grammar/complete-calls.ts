import type { PlannedCall, PlannedValue } from "./plan.ts";

/** Argument names of each call that have default values because the request does not mention them. */
export type Defaults = ReadonlyMap<PlannedCall, ReadonlySet<string>>;

const comesFrom = (value: PlannedValue, index: number): boolean =>
  value.from === "call" && value.call === index;

function movedArgs(call: PlannedCall, place: (index: number) => number): PlannedCall {
  const args = Object.entries(call.args).map(([name, value]): [string, PlannedValue] => [
    name,
    value.from === "call" ? { ...value, call: place(value.call) } : value,
  ]);
  return { ...call, args: Object.fromEntries(args) };
}

/** Finds a later call that sets arguments which an earlier call left to defaults; `said` holds those arguments. */
function opening(
  calls: readonly PlannedCall[],
  defaults: Defaults,
): { first: number; second: number; said: [string, PlannedValue][] } | undefined {
  for (const [second, call] of calls.entries()) {
    const it = Object.values(call.args).find((value) => value.from === "call" && value.take === "path");
    const first = it?.from === "call" ? it.call : -1;
    const earlier = calls[first];
    if (it === undefined || earlier?.skill !== call.skill) continue;
    const open = defaults.get(earlier);
    const said = Object.entries(call.args).filter(([, value]) => value !== it);
    const isNeeded = calls
      .slice(first + 1, second)
      .some((between) => Object.values(between.args).some((value) => comesFrom(value, first)));
    if (said.length > 0 && !isNeeded && said.every(([name]) => open?.has(name)))
      return { first, second, said };
  }
  return undefined;
}

/**
 * Merges calls of one skill: "Create x.md and write hello to it" becomes one call. Arguments that a later call sets
 * on the earlier call's result replace the earlier call's defaults.
 */
export function completed(calls: readonly PlannedCall[], defaults: Defaults): PlannedCall[] {
  const found = opening(calls, defaults);
  if (found === undefined) return [...calls];
  const { first, second, said } = found;
  const whole = calls.map((call, index) => {
    const earlier = calls[first];
    if (index !== second || earlier === undefined) return call;
    return {
      ...earlier,
      args: { ...earlier.args, ...Object.fromEntries(said) },
      clause: `${earlier.clause}, ${call.clause}`,
    };
  });
  const place = (index: number): number => (index === first ? second - 1 : index > first ? index - 1 : index);
  return whole.filter((_, index) => index !== first).map((call) => movedArgs(call, place));
}

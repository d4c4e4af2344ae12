import { FUNCTION_WORDS } from "../tokens/words.ts";
import type { PlannedCall, PlannedValue } from "./plan.ts";

/** Argument names of each call that have default values because the request does not mention them. */
export type Defaults = ReadonlyMap<PlannedCall, ReadonlySet<string>>;

const refersTo = (value: PlannedValue, index: number): boolean =>
  value.from === "call" && value.call === index;

export function withNewIndexes(call: PlannedCall, newIndex: (index: number) => number): PlannedCall {
  const renumbered = (value: PlannedValue): PlannedValue => {
    if (value.from !== "call") return value;
    const into =
      value.into?.from === "call" ? { ...value.into, call: newIndex(value.into.call) } : value.into;
    return { ...value, call: newIndex(value.call), ...(into !== undefined && { into }) };
  };
  const args = Object.entries(call.args).map(([name, value]): [string, PlannedValue] => [
    name,
    renumbered(value),
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

const contentOf = (words: string): string =>
  words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !FUNCTION_WORDS.has(word))
    .join(" ");

/**
 * Leaves out a call that says again what an earlier one did to the thing that both look up: "I've begun to paint the door, put
 * the task paint the door in progress".
 */
export function withoutRepeats(calls: readonly PlannedCall[]): PlannedCall[] {
  const lookUpOf = (value: PlannedValue | undefined): string | undefined => {
    const call = value?.from === "call" ? calls[value.call] : undefined;
    // "Cross it out" after "the task is done" refers to the call that marked it.
    return call?.lookup ?? Object.values(call?.args ?? {}).flatMap((inner) => lookUpOf(inner) ?? [])[0];
  };
  const isAgain = (call: PlannedCall, earlier: PlannedCall): boolean =>
    earlier.skill === call.skill &&
    call.lookup === undefined &&
    Object.values(call.args).some((value) => lookUpOf(value) !== undefined) &&
    Object.keys(call.args).toSorted().join() === Object.keys(earlier.args).toSorted().join() &&
    Object.entries(call.args).every(([name, value]) => {
      const [own, other] = [lookUpOf(value), lookUpOf(earlier.args[name])];
      return own === undefined || other === undefined
        ? JSON.stringify(value) === JSON.stringify(earlier.args[name])
        : contentOf(own) === contentOf(other);
    });
  const again = calls.findIndex((call, at) => calls.slice(0, at).some((earlier) => isAgain(call, earlier)));
  const repeated = calls[again];
  const isUsed = (index: number): boolean =>
    calls.some(
      (call) => call !== repeated && Object.values(call.args).some((value) => refersTo(value, index)),
    );
  if (repeated === undefined || isUsed(again)) return [...calls];
  const dropped = calls.flatMap((_, index) => {
    const isItsLookUp =
      calls[index]?.lookup !== undefined &&
      Object.values(repeated.args).some((value) => refersTo(value, index));
    return index === again || (isItsLookUp && !isUsed(index)) ? [index] : [];
  });
  const newIndex = (index: number): number => index - dropped.filter((one) => one < index).length;
  return withoutRepeats(
    calls.filter((_, index) => !dropped.includes(index)).map((call) => withNewIndexes(call, newIndex)),
  );
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

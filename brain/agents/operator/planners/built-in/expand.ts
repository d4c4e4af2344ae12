import { isDeepStrictEqual } from "node:util";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { withNewIndexes } from "@metahuman/core/language/grammar/merge-calls";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import { listedBy } from "@metahuman/core/language/references/earlier-calls";
import { itemsIn } from "@metahuman/core/language/slots/free-words";
import type { Skill } from "@metahuman/skills/define-skill";

/** The most things that one request changes at once. */
const MOST = 50;

/**
 * Completes a plan whose length depends on what a look-up found: "all my tasks" becomes one call for each task that was
 * listed, and words that name no single thing ("call mum and pay rent") become a look-up for each part. A plan without
 * such look-ups is returned as it is.
 */
export function expandPlan(
  calls: readonly PlannedCall[],
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
): readonly PlannedCall[] {
  for (const [index, call] of calls.entries()) {
    const skill = skills.find(({ id }) => id === call.skill);
    const result = call.lookup === undefined ? undefined : resultOf(call, scratchpad);
    if (skill === undefined || result?.observation === undefined) continue;
    const outputs = result.observation.success ? (result.observation.outputs ?? {}) : undefined;
    const every = calls.flatMap(({ args }) => Object.values(args)).find((value) => isEvery(value, index));
    if (every?.from === "call") {
      const things = outputs === undefined ? [] : listedBy(skill, outputs, every.kind ?? "");
      if (things.length === 0 || things.length > MOST) continue;
      const values = things.map(({ id }): PlannedValue => ({ from: "request", value: id }));
      return expandPlan(
        repeated(calls, index, [call], () => values),
        scratchpad,
        skills,
      );
    }
    const parts = itemsIn(call.lookup ?? "");
    const isFound = outputs !== undefined && (skill.finds?.candidates(outputs).length ?? 0) > 0;
    if (isFound || parts.length < 2 || parts.length > MOST) continue;
    const lookUps = parts.map((part) => lookUpOf(call, skill, part));
    const separate = repeated(calls, index, lookUps, (value) =>
      parts.map((_, part): PlannedValue => ({ ...value, call: index + part })),
    );
    return expandPlan(separate, scratchpad, skills);
  }
  return calls;
}

const isEvery = (value: PlannedValue, index: number): boolean =>
  value.from === "call" && value.call === index && value.every === true;

/** The entry in which a look-up was made. */
function resultOf(call: PlannedCall, scratchpad: readonly ScratchpadEntry[]): ScratchpadEntry | undefined {
  const args = Object.fromEntries(
    Object.entries(call.args).flatMap(([name, value]) =>
      value.from === "request" ? [[name, value.value]] : [],
    ),
  );
  return scratchpad.find(({ action }) => isDeepStrictEqual(action, { tool: call.skill, args }));
}

/** The same look-up for other words. */
function lookUpOf(call: PlannedCall, { finds }: Skill, words: string): PlannedCall {
  if (finds === undefined) return call;
  return {
    ...call,
    lookup: words,
    args: { ...call.args, [finds.by]: { from: "request", value: finds.query?.(words) ?? words } },
  };
}

/** The calls with `lookUps` in place of the one at `index`, and each call that uses it once for every value. */
function repeated(
  calls: readonly PlannedCall[],
  index: number,
  lookUps: readonly PlannedCall[],
  valuesFor: (value: Extract<PlannedValue, { from: "call" }>) => readonly PlannedValue[],
): PlannedCall[] {
  const result: PlannedCall[] = [];
  const places: number[] = [];
  const newIndex = (old: number): number => places[old] ?? old;
  for (const [at, call] of calls.entries()) {
    if (at === index) {
      result.push(...lookUps);
      places.push(result.length - 1);
      continue;
    }
    const moved = withNewIndexes(call, newIndex);
    const used = Object.entries(call.args).find(([, value]) => value.from === "call" && value.call === index);
    if (used === undefined || used[1].from !== "call") result.push(moved);
    else
      for (const value of valuesFor(used[1]))
        result.push({ ...moved, args: { ...moved.args, [used[0]]: value } });
    places.push(result.length - 1);
  }
  return result;
}

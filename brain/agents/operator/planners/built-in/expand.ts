import { isDeepStrictEqual } from "node:util";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { inFolder } from "@metahuman/core/language/slots/path";
import { withNewIndexes } from "@metahuman/core/language/grammar/merge-calls";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import { listedBy } from "@metahuman/core/language/references/earlier-calls";
import { itemsIn } from "@metahuman/core/language/slots/slot-reader";
import { formatCount } from "@metahuman/core/text/format";
import { quote } from "./phrasing.ts";
import type { Skill } from "@metahuman/skills/define-skill";

/** The maximum number of items that a question names. */
const MAX_NAMED = 8;
/** The maximum number of items that one request changes. */
const MAX_PARTS = 50;
const NONE: ReadonlySet<string> = new Set();

/**
 * Expands a plan with the results of its look-ups: "all my tasks" becomes one call per listed task, and words that
 * match no single item ("call mum and pay rent") become one look-up per part. A call of a denied skill is planned for the
 * first item alone, without a question: it will be refused. Returns other plans unchanged.
 */
export function expandPlan(
  calls: readonly PlannedCall[],
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
  denied: ReadonlySet<string> = NONE,
): readonly PlannedCall[] {
  for (const [index, call] of calls.entries()) {
    const skill = skills.find(({ id }) => id === call.skill);
    const result = call.lookup === undefined ? undefined : resultOf(call, scratchpad);
    if (skill === undefined || result?.observation === undefined) continue;
    const outputs = result.observation.success ? (result.observation.outputs ?? {}) : undefined;
    const every = calls.flatMap(({ args }) => Object.values(args)).find((value) => isEvery(value, index));
    if (every?.from === "call") {
      const things = outputs === undefined ? [] : listedBy(skill, outputs, every.kind ?? "");
      if (things.length === 0 || things.length > MAX_PARTS) continue;
      const values = things.map(({ id }): PlannedValue => ({ from: "request", value: id }));
      const names = things.slice(0, MAX_NAMED).map(({ label }) => quote(label));
      const others = things.length - names.length;
      const named = others > 0 ? [...names, `and ${formatCount(others, "other")}`] : names;
      const confirm = every.confirm?.replace("{}", () => named.join(", "));
      return expandPlan(
        repeated(calls, index, [call], () => values, { confirm, denied }),
        scratchpad,
        skills,
        denied,
      );
    }
    const parts = itemsIn(call.lookup ?? "");
    const isFound = outputs !== undefined && (skill.finds?.candidates(outputs).length ?? 0) > 0;
    if (isFound || parts.length < 2 || parts.length > MAX_PARTS) continue;
    const lookUps = parts.map((part) => lookUpOf(call, skill, part));
    const separate = repeated(calls, index, lookUps, (value) =>
      parts.map((_, part): PlannedValue => ({ ...value, call: index + part })),
    );
    return expandPlan(separate, scratchpad, skills, denied);
  }
  return calls;
}

const isEvery = (value: PlannedValue, index: number): boolean =>
  value.from === "call" && value.call === index && value.every === true;

/** The scratchpad entry of a look-up. */
function resultOf(call: PlannedCall, scratchpad: readonly ScratchpadEntry[]): ScratchpadEntry | undefined {
  const args = Object.fromEntries(
    Object.entries(call.args).flatMap(([name, value]) =>
      value.from === "request"
        ? [[name, value.value]]
        : value.from === "earlier" && value.candidates.length === 1
          ? [[name, value.candidates[0]?.id]]
          : [],
    ),
  );
  return scratchpad.find(({ action }) => isDeepStrictEqual(action, { tool: call.skill, args }));
}

/** The look-up with other words. */
function lookUpOf(call: PlannedCall, { finds }: Skill, words: string): PlannedCall {
  if (finds === undefined) return call;
  return {
    ...call,
    lookup: words,
    args: { ...call.args, [finds.by]: { from: "request", value: finds.query?.(words) ?? words } },
  };
}

/** A listed file in the folder that the plan moves it to. */
function inItsFolder(value: PlannedValue, place: PlannedValue | undefined): PlannedValue {
  if (value.from !== "request" || typeof value.value !== "string" || place?.from !== "call") return value;
  const { folder, into } = place;
  if (into !== undefined) return { ...into, below: value.value.slice(value.value.lastIndexOf("/") + 1) };
  return folder === undefined ? value : { from: "request", value: inFolder(folder, value.value) };
}

/** True if a file would be moved to where it is. */
function isThereAlready(filled: readonly [string, PlannedValue][]): boolean {
  const paths = filled.map(([, value]) =>
    value.from === "request" ? String(value.value).replace(/^out\//u, "") : undefined,
  );
  return filled.length > 1 && paths.every((path) => path !== undefined && path === paths[0]);
}

/**
 * Replaces the call at `index` by `lookUps`, and repeats each call that uses it once per value; the person must agree to
 * `confirm` before the first of them. A call of a denied skill is made once, without that question.
 */
function repeated(
  calls: readonly PlannedCall[],
  index: number,
  lookUps: readonly PlannedCall[],
  valuesFor: (value: Extract<PlannedValue, { from: "call" }>) => readonly PlannedValue[],
  { confirm, denied = NONE }: { confirm?: string | undefined; denied?: ReadonlySet<string> } = {},
): PlannedCall[] {
  const result: PlannedCall[] = [];
  const places: number[] = [];
  const newIndex = (old: number): number => places[old] ?? old;
  for (const [position, call] of calls.entries()) {
    if (position === index) {
      result.push(...lookUps);
      places.push(result.length - 1);
      continue;
    }
    const moved = withNewIndexes(call, newIndex);
    const used = Object.entries(call.args).flatMap(([name, value]) =>
      value.from === "call" && value.call === index ? [{ name, value, values: valuesFor(value) }] : [],
    );
    if (used.length === 0) result.push(moved);
    const isDenied = denied.has(call.skill);
    for (const place of used[0]?.values.keys() ?? []) {
      if (isDenied && place > 0) break;
      const filled = used.map(({ name, value, values }): [string, PlannedValue] => [
        name,
        inItsFolder(values[place] ?? value, moved.args[name]),
      ]);
      if (isThereAlready(filled)) continue;
      result.push({
        ...moved,
        args: { ...moved.args, ...Object.fromEntries(filled) },
        ...(confirm !== undefined && !isDenied && { confirm }),
      });
    }
    places.push(result.length - 1);
  }
  return result;
}

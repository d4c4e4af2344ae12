import { isDeepStrictEqual } from "node:util";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";
import { leavesOf } from "./leaves.ts";

/** Words by which people ask to be shown something: then a read may be what was asked for. */
const ASKS_TO_SEE =
  /\b(?:read|show|list|find|search|look|see|view|open|display|check|tell|what|which|when|who|where|how|count|summari[sz]e|print|give)\b/i;

/**
 * The shortest sequence that produced the result: without what failed, without a read repeated while nothing changed,
 * without reads of a planner that was looking around. A read stays when a later call used what it found, when it shows
 * the result, or when it was asked for.
 */
export function trimmed(run: LearnableRun, factsOf: FactsOf): MadeCall[] {
  const made = run.calls.filter(({ skill, success }) => {
    const facts = factsOf(skill);
    return success && facts !== undefined && !facts.controlsRun;
  });
  const once = made.filter((call, index) => !isRepeated(call, made.slice(0, index), factsOf));
  if (!run.explores) return once;
  const reads = (call: MadeCall): boolean => factsOf(call.skill)?.reads === true;
  const lastWrite = once.findLastIndex((call) => !reads(call));
  const found = new Set(once.flatMap((call) => textsFoundBy(call)));
  const kept: MadeCall[] = [];
  for (let index = once.length - 1; index >= 0; index--) {
    const call = once[index];
    if (call === undefined) continue;
    const isNeeded =
      !reads(call) ||
      index > lastWrite ||
      wasAskedFor(call, run.request) ||
      isUsed(call, kept, { request: run.request, found, factsOf });
    if (isNeeded) kept.unshift(call);
  }
  return kept;
}

/** The same read with nothing changed in between, or the same write again. */
function isRepeated(call: MadeCall, earlier: readonly MadeCall[], factsOf: FactsOf): boolean {
  for (const before of earlier.toReversed()) {
    if (before.skill === call.skill && isDeepStrictEqual(before.args, call.args))
      return factsOf(call.skill)?.reads === true;
    if (factsOf(before.skill)?.reads !== true) return false;
  }
  return false;
}

function wasAskedFor({ args }: MadeCall, request: string): boolean {
  const values = leavesOf(args).filter(({ value }) => typeof value === "string" && value.length > 2);
  if (values.length === 0) return ASKS_TO_SEE.test(request);
  const said = request.toLowerCase();
  return values.some(({ value }) =>
    said.includes(
      String(value)
        .toLowerCase()
        .replace(/^out\//, ""),
    ),
  );
}

/** A later call uses something it found that the request does not say; composed text may rest on anything read. */
function isUsed(
  { outputs }: MadeCall,
  later: readonly MadeCall[],
  { request, found, factsOf }: { request: string; found: ReadonlySet<string>; factsOf: FactsOf },
): boolean {
  const own = textsFoundBy({ outputs });
  const said = request.toLowerCase();
  return later.some(({ skill, args }) => {
    const facts = factsOf(skill);
    return Object.entries(args).some(([name, given]) => {
      if (facts?.fixedArgs.includes(name)) return false;
      return leavesOf(given).some(({ value }) => {
        if (typeof value !== "string" || said.includes(value.toLowerCase())) return false;
        if (own.some((text) => text.length > 3 && value.includes(text))) return true;
        const isFound = found.has(value.trimEnd());
        return !isFound && !facts?.pathArgs.includes(name) && /[\p{L}\p{N}]/u.test(value);
      });
    });
  });
}

/** The texts that a call found, without white space at their ends. */
function textsFoundBy({ outputs }: Pick<MadeCall, "outputs">): string[] {
  return leavesOf(outputs).flatMap(({ value }) =>
    typeof value === "string" && value.trim() !== "" ? [value.trimEnd()] : [],
  );
}

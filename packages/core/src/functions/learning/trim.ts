import { oneOf } from "../../text/patterns.ts";
import { isDeepStrictEqual } from "node:util";
import type { Recipe } from "../../contract/function.ts";
import { sourcesIn } from "../../contract/placeholders.ts";
import type { FactsOf, LearnableRun, MadeCall } from "./learnable-run.ts";
import { leavesOf } from "./leaves.ts";

const ASKS_TO_SEE_WORDS = oneOf(
  "read|show|list|find|search|look|see|view|open|display|check|tell|what|which|when|who|where|how|count",
  "summari[sz]e|print|give",
);
/** Words that ask to see something, so that a read may be the request itself. */
const ASKS_TO_SEE = new RegExp(String.raw`\b${ASKS_TO_SEE_WORDS}\b`, "i");

/**
 * The shortest sequence of calls that produced the result: without failed calls, repeated reads without a change in
 * between, and exploratory reads. A read remains if a later call used its result, if it shows the result, or if it was
 * requested.
 */
export function trimCalls(run: LearnableRun, factsOf: FactsOf): MadeCall[] {
  const made = run.calls.filter(({ skill, success }) => {
    const facts = factsOf(skill);
    return success && facts !== undefined && !facts.controlsRun;
  });
  const once = made.filter((call, index) => !isRepeated(call, made.slice(0, index), factsOf));
  if (!run.explores) return once;
  const reads = (call: MadeCall): boolean => factsOf(call.skill)?.reads === true;
  const lastWrite = once.findLastIndex((call) => !reads(call));
  /** The texts that the calls before a call found. A call may return the texts it was given, which nobody found. */
  const foundBefore = (call: MadeCall): ReadonlySet<string> =>
    new Set(once.slice(0, once.indexOf(call)).flatMap((earlier) => textsFoundBy(earlier)));
  const kept: MadeCall[] = [];
  for (let index = once.length - 1; index >= 0; index--) {
    const call = once[index];
    if (call === undefined) continue;
    const isNeeded =
      !reads(call) ||
      index > lastWrite ||
      wasRequested(call, run.request) ||
      isUsed(call, kept, { request: run.request, foundBefore, factsOf });
    if (isNeeded) kept.unshift(call);
  }
  return kept;
}

/** True for a read that an earlier call made with the same arguments, without a change in between. */
function isRepeated(call: MadeCall, earlier: readonly MadeCall[], factsOf: FactsOf): boolean {
  for (const before of earlier.toReversed()) {
    if (before.skill === call.skill && isDeepStrictEqual(before.args, call.args))
      return factsOf(call.skill)?.reads === true;
    if (factsOf(before.skill)?.reads !== true) return false;
  }
  return false;
}

function wasRequested({ args }: MadeCall, request: string): boolean {
  const values = leavesOf(args).filter(({ value }) => typeof value === "string" && value.length > 2);
  if (values.length === 0) return ASKS_TO_SEE.test(request);
  const lowerRequest = request.toLowerCase();
  return values.some(({ value }) =>
    lowerRequest.includes(
      String(value)
        .toLowerCase()
        .replace(/^out\//, ""),
    ),
  );
}

/** True if a later call uses a result that the request does not contain. Composed text may use any result. */
function isUsed(
  { outputs }: MadeCall,
  later: readonly MadeCall[],
  {
    request,
    foundBefore,
    factsOf,
  }: { request: string; foundBefore: (call: MadeCall) => ReadonlySet<string>; factsOf: FactsOf },
): boolean {
  const own = textsFoundBy({ outputs });
  const lowerRequest = request.toLowerCase();
  return later.some((call) => {
    const { skill, args } = call;
    const facts = factsOf(skill);
    const found = foundBefore(call);
    return Object.entries(args).some(([name, given]) => {
      if (facts?.fixedArgs.includes(name)) return false;
      return leavesOf(given).some(({ value }) => {
        if (typeof value !== "string" || lowerRequest.includes(value.toLowerCase())) return false;
        if (own.some((text) => text.length > 3 && value.includes(text))) return true;
        const isFound = found.has(value.trimEnd());
        return !isFound && !facts?.pathArgs.includes(name) && /[\p{L}\p{N}]/u.test(value);
      });
    });
  });
}

/** The texts in a call's outputs, without white space at their ends. */
function textsFoundBy({ outputs }: Pick<MadeCall, "outputs">): string[] {
  return leavesOf(outputs).flatMap(({ value }) =>
    typeof value === "string" && value.trim() !== "" ? [value.trimEnd()] : [],
  );
}

const ORDERS_TO_SEE_WORDS = oneOf(
  "have a look|read|show|list|find|search|look|see|view|open|display|check|tell|count|summari[sz]e",
  "print|give",
);
/** An order or a question to see something: "show it", "and let me see it". A noun as in "on the list" is not one. */
const ORDERS_TO_SEE = new RegExp(
  String.raw`(?:^|[,.;:!?]\s*|\b(?:and|then|please|you|me|also|first|just|(?:want|like|need) to)\s+)${ORDERS_TO_SEE_WORDS}\b|\b(?:what|which|who|where|how)\b`,
  "iu",
);

/**
 * True for a read that the request does not order: it orders nothing to be shown, and names no path that only this call uses. A
 * planner may make such a call or leave it out, as long as no later call uses its result.
 */
export function isUnaskedRead(
  call: MadeCall,
  { request, calls }: { request: string; calls: readonly MadeCall[] },
  factsOf: FactsOf,
): boolean {
  if (factsOf(call.skill)?.reads !== true) return false;
  const unquoted = request.replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`/gu, '""');
  if (ORDERS_TO_SEE.test(unquoted)) return false;
  const ofChanges = calls
    .filter(({ skill }) => factsOf(skill)?.reads !== true)
    .flatMap(({ args }) => textsGiven(args));
  const others = ofChanges.reduce((rest, text) => rest.replaceAll(text, " "), request.toLowerCase());
  const paths = factsOf(call.skill)?.pathArgs ?? [];
  const given = Object.fromEntries(Object.entries(call.args).filter(([name]) => paths.includes(name)));
  return textsGiven(given).every((text) => ofChanges.includes(text) || !others.includes(text));
}

/** The calls without the unasked reads whose results no action uses; `actions` are the templates of the calls. */
export function withoutUnusedReads(
  calls: readonly MadeCall[],
  actions: Recipe["actions"],
  { request, factsOf }: { request: string; factsOf: FactsOf },
): MadeCall[] {
  const used = new Set(
    actions.flatMap(({ args }) => sourcesIn(args).flatMap((one) => (one.kind === "step" ? [one.step] : []))),
  );
  return calls.filter(
    (call, index) => used.has(index + 1) || !isUnaskedRead(call, { request, calls }, factsOf),
  );
}

/** The texts of arguments in lower case, paths without root. */
const textsGiven = (args: MadeCall["args"]): string[] =>
  leavesOf(args).flatMap(({ value }) => {
    const text = String(value)
      .toLowerCase()
      .replace(/^(?:\.\/)?(?:out\/)?|\/+$/gu, "");
    return typeof value === "string" && text !== "" ? [text] : [];
  });

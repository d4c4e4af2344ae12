import { earlierValue, requestsWithCalls } from "./antecedent.ts";
import type { Clause } from "../grammar/clauses.ts";
import { trailingFiller, afterFiller } from "../tokens/filler-phrases.ts";
import type { EarlierCall } from "./earlier-calls.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { SkillGrammar, Slot } from "../grammar/phrase.ts";
import type { PlannedCall, PlannedValue } from "../grammar/plan.ts";
import { callOf, callsWithPhrases, fromRequest, planOf, type PlannedRequest } from "./planned.ts";
import { nounsOf, referentAt, textBetween } from "../slots/slot-reader.ts";

/**
 * Repeats the last request: interprets it again or, if another planner made the plan, repeats its calls. Undefined if
 * the conversation has no such request.
 */
export function repeatLastRequest(context: InterpretationContext): PlannedRequest | undefined {
  const last = requestsWithCalls(context)[0];
  if (last === undefined) return undefined;
  const { skills } = context.grammar;
  const before = context.earlier.slice(context.earlier.indexOf(last) + 1);
  const interpretation = context.read(last.request, before);
  const again =
    interpretation.kind === "plan" || interpretation.kind === "ambiguous"
      ? interpretation
      : planOf(
          callsWithPhrases(last, skills).map((call) =>
            callOf(call.skill, fromRequest(call.args), last.request),
          ),
          skills,
        );
  return { repeats: last.request, ...again };
}

/** A noun without a verb, and its value for a slot. */
interface NamedThing {
  words: string;
  valueFor: (slot: Slot) => PlannedValue | undefined;
}

/**
 * Returns the item that a clause names if the clause contains nothing else: "and the second one?", "what about b.md?".
 */
function findNamedThing(context: InterpretationContext, { from, to: end }: Clause): NamedThing | undefined {
  const { request, tokens } = context;
  let { at } = afterFiller(tokens, from, end);
  if (/^(?:what|how)$/.test(tokens[at]?.text ?? "") && tokens[at + 1]?.text === "about") at += 2;
  const first = tokens[at];
  const nouns = [...nounsOf("file"), ...nounsOf("task"), ...nounsOf("memory")];
  const referent = referentAt(tokens, at, end, nouns);
  const pick = referent?.pick;
  const length = first?.kind === "path" ? 1 : pick === undefined ? 0 : (referent?.length ?? 0);
  if (length === 0 || trailingFiller(tokens, at + length, end) === undefined) return undefined;
  const words = textBetween(request, tokens, at, at + length);
  return {
    words,
    valueFor: (slot) => {
      if (first?.kind === "path")
        return slot.type === "path" || slot.type === "folder" || slot.kind === "file"
          ? { from: "request", value: first.text }
          : undefined;
      const take = slot.type === "path" ? "path" : "reference";
      if (pick === undefined || (take === "reference" && slot.kind === undefined)) return undefined;
      const nth = { kind: "referent", words, pick, isPlural: false } as const;
      return earlierValue(context, { take, slot, reads: true, referent: nth });
    },
  };
}

/**
 * Interprets a clause that only names an item: repeats the last call for that item or, after a list, shows it. If the
 * last call changed something, both interpretations are returned as ambiguous. `dangling`: no earlier call to repeat.
 */
export function interpretEllipsis(
  context: InterpretationContext,
  clause: Clause,
): PlannedRequest | { dangling: string } | undefined {
  const named = findNamedThing(context, clause);
  if (named === undefined) return undefined;
  const { skills } = context.grammar;
  const [last] = requestsWithCalls(context);
  const call = last && callsWithPhrases(last, skills).at(-1);
  const skill = skills.find(({ id }) => id === call?.skill);
  const showCall = showCallFor(named, skills);
  if (call === undefined || skill === undefined) return { dangling: named.words };
  const sameCall = sameCallFor(named, call, skill);
  if (sameCall === undefined || skill.reads) {
    const calls = sameCall ?? showCall;
    return calls === undefined ? { dangling: named.words } : planOf([calls], skills);
  }
  return showCall === undefined
    ? planOf([sameCall], skills)
    : { kind: "ambiguous", plans: [[sameCall], [showCall]] };
}

/** Returns the same call for another item. */
function sameCallFor(named: NamedThing, call: EarlierCall, skill: SkillGrammar): PlannedCall | undefined {
  for (const [name, declared] of Object.entries(skill.slots ?? {})) {
    const slot: Slot = typeof declared === "string" ? { type: declared } : declared;
    if (!["path", "folder", "reference"].includes(slot.type) || typeof call.args[name] !== "string") continue;
    const value = named.valueFor(slot);
    if (value !== undefined)
      return callOf(skill.id, { ...fromRequest(call.args), [name]: value }, named.words);
  }
  return undefined;
}

/** Returns a call that shows the item: reads a file, or finds other items by name. */
function showCallFor(named: NamedThing, skills: readonly SkillGrammar[]): PlannedCall | undefined {
  for (const { id, results, finds } of skills) {
    const by = results?.textOf ?? finds?.by;
    const slot: Slot =
      results?.textOf === undefined
        ? { type: "reference", kind: finds?.kind ?? "", byName: true }
        : { type: "path" };
    if (by === undefined || finds?.kind === "file") continue;
    const value = named.valueFor(slot);
    if (value !== undefined) return callOf(id, { [by]: value }, named.words);
  }
  return undefined;
}

import type { Candidate } from "../grammar/choose-option.ts";
import { textOf, thingsOf, type Earlier } from "./earlier-calls.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { Slot } from "../grammar/phrase.ts";
import type { PlannedValue } from "../grammar/plan.ts";
import type { SlotValue } from "../slots/slot-reader.ts";

/** The part of a result that fills a slot. */
export type Take = "path" | "text" | "reference";

/** Returns the kind of thing that a slot refers to; a path refers to a file. */
export function kindTaken(take: Take, slot: Slot | undefined): string | undefined {
  return take === "path" ? "file" : slot?.kind;
}

export interface Taking {
  take: Take;
  slot: Slot | undefined;
  /** False for a skill that changes something. */
  reads: boolean;
  referent: SlotValue & { kind: "referent" };
}

/** Limit for "them". A person who means more words the request differently. */
const MOST_AT_ONCE = 20;

type EarlierValue = Extract<PlannedValue, { from: "earlier" }>;

/** Returns the earlier requests that made calls of skills with phrases, newest first. */
export function tellingOf({
  earlier,
  grammar,
}: Pick<InterpretationContext, "earlier" | "grammar">): Earlier[] {
  const spoken = new Set(grammar.skills.filter(({ phrases }) => phrases.length > 0).map(({ id }) => id));
  return earlier.filter(({ calls }) => calls.some(({ skill }) => spoken.has(skill)));
}

/** True if the last request that made calls changed nothing. */
export function onlyReadLast(context: Pick<InterpretationContext, "earlier" | "grammar">): boolean {
  const last = tellingOf(context)[0];
  const reading = new Set(context.grammar.skills.filter(({ reads }) => reads).map(({ id }) => id));
  return last !== undefined && last.calls.every(({ skill }) => reading.has(skill));
}

/**
 * Resolves "it" or "the second one" to a result of an earlier request. A command that changes something accepts only
 * the previous request, unless it picks from a list, so that it does not change a more distant thing by mistake.
 */
export function earlierValue(context: InterpretationContext, taking: Taking): EarlierValue | undefined {
  const { take, slot, reads, referent } = taking;
  const telling = tellingOf(context);
  const value = (candidates: readonly Candidate[]): EarlierValue => ({
    from: "earlier",
    said: referent.words,
    candidates,
    ...(slot?.byName && { byName: true }),
  });
  const { skills } = context.grammar;
  const reachable = reads || referent.pick !== undefined ? telling : telling.slice(0, 1);
  for (const one of reachable) {
    if (take === "text") {
      const text = textOf(one, skills);
      if (text !== undefined) return value([text]);
      continue;
    }
    const kind = kindTaken(take, slot);
    const { things, isList } =
      kind === undefined ? { things: [], isList: false } : thingsOf(one, skills, kind);
    if (referent.pick === undefined) {
      if (things.length > 0) return value(things);
    } else if (things.length > 1 || isList) {
      const picked = things.at(referent.pick);
      return picked && value([picked]);
    }
  }
  return undefined;
}

/** Resolves "them" to every result of an earlier request, one value each. */
export function allEarlier(context: InterpretationContext, taking: Taking): EarlierValue[] {
  const value = taking.take === "text" ? undefined : earlierValue(context, taking);
  if (value === undefined || value.candidates.length > MOST_AT_ONCE) return [];
  return value.candidates.map((candidate) => ({ ...value, candidates: [candidate] }));
}

import type { Candidate } from "../grammar/choose-option.ts";
import { textOf, resultsOfKind, type EarlierRequest } from "./earlier-calls.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { SkillGrammar, Slot } from "../grammar/phrase.ts";
import type { PlannedCall, PlannedValue } from "../grammar/plan.ts";
import type { SlotValue } from "../slots/slot-reader.ts";

/** The part of a result that fills a slot. */
export type ResultPart = "path" | "text" | "reference";

/** Returns the kind of thing that a slot refers to; a path refers to a file. */
export function resultKind(take: ResultPart, slot: Slot | undefined): string | undefined {
  return take === "path" ? "file" : slot?.kind;
}

export interface AntecedentQuery {
  take: ResultPart;
  slot: Slot | undefined;
  /** False for a skill that changes something. */
  reads: boolean;
  referent: SlotValue & { kind: "referent" };
}

const COPY = /\bcopy$/iu;

/** Limit for "them". A person who means more words the request differently. */
const MAX_PLURAL = 20;

type EarlierValue = Extract<PlannedValue, { from: "earlier" }>;

/** Returns the earlier requests that made calls of skills with phrases, newest first. */
export function requestsWithCalls({
  earlier,
  grammar,
}: Pick<InterpretationContext, "earlier" | "grammar">): EarlierRequest[] {
  const reachable = new Set(grammar.skills.filter(({ phrases }) => phrases.length > 0).map(({ id }) => id));
  return earlier.filter(({ calls }) => calls.some(({ skill }) => reachable.has(skill)));
}

/** True if the last request that made calls changed nothing. */
export function lastRequestOnlyRead(context: Pick<InterpretationContext, "earlier" | "grammar">): boolean {
  const last = requestsWithCalls(context)[0];
  const reading = new Set(context.grammar.skills.filter(({ reads }) => reads).map(({ id }) => id));
  return last !== undefined && last.calls.every(({ skill }) => reading.has(skill));
}

const MAKES =
  /^\W*(?:(?:please|pls|can you|could you|and|now|then)\W+)*(?:make|create|write|save|start|add|set up|put together|prepare|draw up)\s(?:[\p{L}'’]+\s+){0,2}?(?:an?|new|another)\s/iu;

/** True if the last request was an order for something new that was not carried out: "it" is this thing, and nothing older. */
export const lastOrderWasNotCarriedOut = ([last]: readonly EarlierRequest[]): boolean =>
  last?.calls.length === 0 && MAKES.test(last.request);

/**
 * Resolves "it" or "the second one" to a result of an earlier request. A command that changes something accepts only
 * the previous request, unless it selects from a list, so that it does not change a more distant item by mistake.
 */
export function earlierValue(
  context: InterpretationContext,
  query: AntecedentQuery,
): EarlierValue | undefined {
  const { take, slot, reads, referent } = query;
  const requests = requestsWithCalls(context);
  if (!reads && referent.pick === undefined && lastOrderWasNotCarriedOut(context.earlier)) return undefined;
  const value = (candidates: readonly Candidate[]): EarlierValue => ({
    from: "earlier",
    mention: referent.words,
    candidates,
    ...(slot?.byName && { byName: true }),
  });
  const { skills } = context.grammar;
  const recent = reads || referent.pick !== undefined ? requests : requests.slice(0, 1);
  // "The copy" refers to nothing without a copy.
  const searched = COPY.test(referent.words)
    ? recent.filter(({ calls }) =>
        calls.some(({ skill: id }) => skills.some((skill) => skill.id === id && skill.results?.isCopy)),
      )
    : recent;
  for (const one of searched) {
    if (take === "text") {
      const text = textOf(one, skills);
      if (text !== undefined) return value([text]);
      continue;
    }
    const kind = resultKind(take, slot);
    const { things: all, isList } =
      kind === undefined ? { things: [], isList: false } : resultsOfKind(one, skills, kind);
    const things = all.filter(({ id }) => take !== "path" || fitsSlot(id, slot));
    if (referent.pick === undefined) {
      if (things.length > 0) return value(things);
    } else if (things.length > 1 || isList) {
      const picked = things.at(referent.pick);
      return picked && value([picked]);
    }
  }
  return undefined;
}

/** True if a path has the ending and the pattern of a slot. */
const fitsSlot = (path: string, slot: Slot | undefined): boolean =>
  path.endsWith(slot?.ending ?? "") && slot?.like?.test(path) !== false;

/** False for a call with a path that the slot rejects: "create a.md and add milk to it" adds no row to a table. */
export function mayFitSlot(
  { args }: PlannedCall,
  { results }: SkillGrammar,
  slot: Slot | undefined,
): boolean {
  const path = args[results?.path ?? ""];
  return path?.from !== "request" || typeof path.value !== "string" || fitsSlot(path.value, slot);
}

/** Resolves "them" to every result of an earlier request, one value each. */
export function allEarlier(context: InterpretationContext, query: AntecedentQuery): EarlierValue[] {
  const value = query.take === "text" ? undefined : earlierValue(context, query);
  const { count } = query.referent;
  if (value === undefined || value.candidates.length < Math.abs(count ?? 0)) return [];
  const meant =
    count === undefined
      ? value.candidates
      : count > 0
        ? value.candidates.slice(0, count)
        : value.candidates.slice(count);
  if (meant.length > MAX_PLURAL) return [];
  return meant.map((candidate) => ({ ...value, candidates: [candidate] }));
}

import type { FunctionOffer } from "../../contract/run.ts";
import type { Candidate } from "../grammar/choose-option.ts";
import type { Finder, Results, SkillGrammar } from "../grammar/phrase.ts";

/** One call of an earlier request; `outputs` is undefined if the call failed. */
export interface EarlierCall {
  skill: string;
  args: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, unknown>> | undefined;
  /** What the planner read of the result; absent for a call inside code. */
  observed?: string;
}

/** An earlier request of the conversation and its calls, in order. */
export interface EarlierRequest {
  request: string;
  /** The answer, as the person saw it. */
  answer?: string;
  /** Follow-up requests that were offered with the answer. */
  suggestions?: readonly string[];
  /** Functions that were offered with the answer. */
  offers?: readonly FunctionOffer[];
  /** The id of the function that was followed, learned, or offered alone. */
  functionId?: string;
  calls: readonly EarlierCall[];
}

/** Copies the outputs into a mutable record, which `Results` requires. */
const toRecord = (outputs: Readonly<Record<string, unknown>>): Record<string, unknown> => ({ ...outputs });

/** Returns the items of one kind that a call lists, in display order. */
export function listedBy(
  { results, finds }: { results?: Results | undefined; finds?: Finder | undefined },
  outputs: Record<string, unknown>,
  kind: string,
): Candidate[] {
  if (results?.items?.kind === kind) return results.items.of(outputs);
  return finds?.kind === kind ? finds.candidates(outputs) : [];
}

/** Returns the one item of this kind that a call created, changed or read; files are identified by path. */
function producedBy(skill: SkillGrammar, outputs: Record<string, unknown>, kind: string): Candidate[] {
  const { results } = skill;
  const field = kind === "file" ? results?.path : results?.reference?.[kind];
  const id = field === undefined ? undefined : outputs[field];
  return typeof id === "string" ? [{ id, label: results?.label?.(outputs) ?? id }] : [];
}

/**
 * Returns the items of one kind that a request listed or produced, without duplicates. Skips results that a later call
 * of the request consumed.
 */
export function resultsOfKind(
  { calls }: EarlierRequest,
  skills: readonly SkillGrammar[],
  kind: string,
): { things: Candidate[]; isList: boolean } {
  const found = calls.flatMap(({ skill: id, outputs }, index) => {
    const skill = skills.find((candidate) => candidate.id === id);
    if (skill === undefined || outputs === undefined) return [];
    const taken = new Set(calls.slice(index + 1).flatMap(({ args }) => Object.values(args)));
    const listed = listedBy(skill, toRecord(outputs), kind);
    const things = listed.length > 0 ? listed : producedBy(skill, toRecord(outputs), kind);
    return things.some((thing) => taken.has(thing.id)) ? [] : [{ things, isList: listed.length > 0 }];
  });
  const lists = found.filter(({ isList }) => isList);
  const things = found.flatMap((one) => one.things);
  return {
    things: [...new Map(things.map((thing) => [thing.id, thing])).values()],
    isList: lists.length > 0 && lists.length === found.filter((one) => one.things.length > 0).length,
  };
}

/** Returns the complete text result of the last call that has one, with a label. */
export function textOf(
  { calls, request }: EarlierRequest,
  skills: readonly SkillGrammar[],
): Candidate | undefined {
  for (const { skill, outputs } of calls.toReversed()) {
    const text = skills.find(({ id }) => id === skill)?.results?.text;
    if (text === undefined || outputs === undefined) continue;
    const found = text(toRecord(outputs));
    if (found !== undefined && found.trim() !== "") return { id: found, label: `the result of ${request}` };
  }
  return undefined;
}

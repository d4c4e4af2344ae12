import type { DateSpan } from "../dates/dates.ts";
import type { Slot } from "../grammar/phrase.ts";
import type { Token } from "../tokens/tokens.ts";
import type { Referent } from "./referents.ts";

/** What a slot was read as. */
export type SlotValue =
  /** The value itself; `invented` when the words only suggest it. */
  | { kind: "given"; value: unknown; invented: boolean }
  /** Several values, each for a call of its own. */
  | { kind: "several"; values: string[] }
  /** "it", "the result": what an earlier call left. `pick`: which of several, -1 for the last; `isPlural`: all of them. */
  | { kind: "referent"; words: string; pick?: number; isPlural: boolean }
  /** Words that may be a request to read something, whose result is meant. */
  | { kind: "nested"; from: number; to: number; words: string }
  /** Words by which a finder looks the thing up. */
  | { kind: "look-up"; words: string }
  /** Words that only describe. */
  | { kind: "description" };

export interface SlotMatch {
  /** The token after the slot's last. */
  end: number;
  value: SlotValue;
  /** How many of its tokens the slot's type explains. */
  typed: number;
  /** How many are words that anything could stand for. */
  free: number;
}

export interface SlotInput {
  request: string;
  tokens: readonly Token[];
  /** The first token of the slot, and the end of the clause. */
  from: number;
  to: number;
  slot: Slot;
  /** True when free words stand right before: what follows could still be part of them. */
  afterOpen: boolean;
  /** The days and moments named in the request; read when first asked for. */
  dates: () => readonly DateSpan[];
}

/** Every way in which a slot of one type can be filled from a place on; the longest first. */
export type SlotReader = (input: SlotInput) => Iterable<SlotMatch>;

export const given = (value: unknown, invented = false): SlotValue => ({ kind: "given", value, invented });

/** Words that refer to an earlier step, as a slot holds them. */
export function referring(
  { request, tokens }: SlotInput,
  from: number,
  { length, pick, isPlural }: Referent,
): SlotMatch {
  const words = written(request, tokens, from, from + length);
  const value: SlotValue = { kind: "referent", words, isPlural, ...(pick !== undefined && { pick }) };
  return { end: from + length, value, typed: length, free: 0 };
}

/** The words between two tokens exactly as written. */
export function written(request: string, tokens: readonly Token[], from: number, to: number): string {
  const first = tokens[from];
  const last = tokens[to - 1];
  return first === undefined || last === undefined ? "" : request.slice(first.start, last.end);
}

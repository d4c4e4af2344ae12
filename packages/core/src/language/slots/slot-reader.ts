import type { Clock, DateSpan } from "../dates/clock.ts";
import type { Slot } from "../grammar/phrase.ts";
import type { Token } from "../tokens/tokens.ts";
import type { Referent } from "./referents.ts";

export type SlotValue =
  /** A value; `invented` if the words only suggest it. */
  | { kind: "given"; value: unknown; invented: boolean }
  /** Several values, each for its own call. */
  | { kind: "several"; values: string[] }
  /**
   * "it", "the result": the result of an earlier call. `pick`: a 0-based index, -1 for the last; `isPlural`: all of
   * them, or the first `count` of them, the last if it is negative.
   */
  | { kind: "referent"; words: string; pick?: number; count?: number; isPlural: boolean }
  /** Words that may be a read request, whose result is the value. */
  | { kind: "nested"; from: number; to: number; words: string }
  /** Words for a look-up by a finder skill. */
  | { kind: "look-up"; words: string }
  /** Words for several items, each with its own look-up and its own call. */
  | { kind: "look-ups"; words: string[] }
  /** "All my tasks": every item in a list with these arguments. */
  | { kind: "listing"; words: string; args: Readonly<Record<string, unknown>> }
  /** "a.md or b.md": the person chooses. */
  | { kind: "choice"; words: string; values: string[] }
  /** An impossible value, such as a day that does not exist: the person is asked. */
  | { kind: "question"; question: string; within?: string }
  /** Descriptive words without a value. */
  | { kind: "description" };

export interface SlotMatch {
  /** The index after the slot's last token. */
  end: number;
  value: SlotValue;
  /** Number of tokens that the slot's type explains. */
  typed: number;
  /** Number of tokens that are free text. */
  free: number;
}

export interface SlotInput {
  request: string;
  tokens: readonly Token[];
  /** The first token of the slot, and the end of the clause. */
  from: number;
  to: number;
  slot: Slot;
  /** True if free text directly precedes; what follows may belong to it. */
  afterFreeText: boolean;
  /** The dates in the request, parsed on first use. */
  dates: () => readonly DateSpan[];
  clock: Clock;
}

/** Returns every way to fill a slot of one type from a position, longest first. */
export type SlotReader = (input: SlotInput) => Iterable<SlotMatch>;

export const givenValue = (value: unknown, invented = false): SlotValue => ({
  kind: "given",
  value,
  invented,
});

/** Returns a slot match that refers to an earlier step. */
export function referring(
  { request, tokens }: SlotInput,
  from: number,
  { length, pick, count, isPlural }: Referent,
): SlotMatch {
  const words = textBetween(request, tokens, from, from + length);
  const value: SlotValue = {
    kind: "referent",
    words,
    isPlural,
    ...(pick !== undefined && { pick }),
    ...(count !== undefined && { count }),
  };
  return { end: from + length, value, typed: length, free: 0 };
}

/** Returns the text between two tokens exactly as written. */
export function textBetween(request: string, tokens: readonly Token[], from: number, to: number): string {
  const first = tokens[from];
  const last = tokens[to - 1];
  return first === undefined || last === undefined ? "" : request.slice(first.start, last.end);
}

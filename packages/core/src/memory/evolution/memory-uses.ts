import { z } from "zod";
import { MemoryId } from "../../contract/ids.ts";
import type { UseCounts } from "../../contract/memory.ts";

/**
 * What shows that a memory was of use: an answer used its words (`cited`), an action did what it says (`followed`), a
 * person opened it from a search (`opened`) or said so (`useful`, `not_useful`). `restored`: it came back from the
 * archive. Being found is none of these.
 */
export const MemoryUseKind = z.enum(["cited", "followed", "opened", "useful", "not_useful", "restored"]);
export type MemoryUseKind = z.infer<typeof MemoryUseKind>;

/** The kinds that keep a memory alive. */
export const USEFUL_KINDS: readonly MemoryUseKind[] = ["cited", "followed", "opened", "useful", "restored"];

export const MemoryUse = z.strictObject({
  memoryId: MemoryId,
  kind: MemoryUseKind,
  /** Milliseconds since 1970. */
  at: z.int(),
  /** A use of one kind counts once in a run, however often it is recorded. */
  runId: z.string().max(128).exactOptional(),
  note: z.string().max(2_000).exactOptional(),
});
export type MemoryUse = z.infer<typeof MemoryUse>;

/** The moments that count for activation; of each memory the newest, and no more than this many. */
export const MOMENTS_KEPT = 50;

/**
 * When memories were of use, by their ids: kept apart from the index, which may be deleted at any time. Every
 * implementation runs `memory-uses.suite.ts`.
 */
export interface MemoryUses {
  record(uses: readonly MemoryUse[]): Promise<void>;
  /** Takes in uses of another time, those that are known already left out; returns how many were not. */
  restore(uses: readonly MemoryUse[]): Promise<number>;
  /** Every use, in the order they were recorded, in batches; the store may be used meanwhile. */
  batches(): AsyncIterable<readonly MemoryUse[]>;
  /** When each was of use (milliseconds, newest first, at most `MOMENTS_KEPT`); ids that never were are left out. */
  momentsOf(ids: readonly string[]): Promise<Map<string, number[]>>;
  /** The same for all memories. */
  allMoments(): Promise<Map<string, number[]>>;
  /** The memories that were of use in a run: cited or followed. */
  inRun(runId: string): Promise<string[]>;
  countsOf(id: string): Promise<UseCounts>;
}

/** Adds up the uses of one memory. */
export function countUses(uses: readonly { kind: MemoryUseKind; count: number; last: number }[]): UseCounts {
  const of = (kind: MemoryUseKind): number => uses.find((use) => use.kind === kind)?.count ?? 0;
  const last = uses.filter(({ kind }) => USEFUL_KINDS.includes(kind)).map((use) => use.last);
  return {
    cited: of("cited"),
    followed: of("followed"),
    opened: of("opened"),
    useful: of("useful"),
    not_useful: of("not_useful"),
    restored: of("restored"),
    ...(last.length > 0 && { lastUsedAt: new Date(Math.max(...last)).toISOString() }),
  };
}

import { z } from "zod";
import { MemoryId } from "../../contract/ids.ts";
import type { UseCounts } from "../../contract/memory.ts";
import { contentStems } from "../../text/words.ts";

/**
 * The ways a memory is used: an answer repeats it (`cited`), an action follows it (`followed`), a person opens it from
 * a search (`opened`), rates it (`useful`, `not_useful`) or restores it from the archive (`restored`). A search hit is
 * not a use.
 */
export const MemoryUseKind = z.enum(["cited", "followed", "opened", "useful", "not_useful", "restored"]);
export type MemoryUseKind = z.infer<typeof MemoryUseKind>;

/** The kinds that raise a memory's activation. */
export const USEFUL_KINDS: readonly MemoryUseKind[] = ["cited", "followed", "opened", "useful", "restored"];

export const MemoryUse = z.strictObject({
  memoryId: MemoryId,
  kind: MemoryUseKind,
  /** Milliseconds since 1970. */
  at: z.int(),
  /** A use of one kind counts once per run, however often it is recorded. */
  runId: z.string().max(128).exactOptional(),
  note: z.string().max(2_000).exactOptional(),
});
export type MemoryUse = z.infer<typeof MemoryUse>;

/** The number of most recent uses per memory that count for activation. */
export const MAX_MOMENTS = 50;

/**
 * The uses of memories by id. They are stored outside the index, which may be deleted at any time. Every implementation
 * runs `memory-uses.suite.ts`.
 */
export interface MemoryUses {
  record(uses: readonly MemoryUse[]): Promise<void>;
  /** Adds uses from a backup, skipping known ones. Returns the number of added uses. */
  restore(uses: readonly MemoryUse[]): Promise<number>;
  /** Every use in recorded order, in batches. The store stays usable during the iteration. */
  batches(): AsyncIterable<readonly MemoryUse[]>;
  /** When each memory was used: milliseconds since 1970, newest first, at most `MAX_MOMENTS`. Omits unused ids. */
  momentsOf(ids: readonly string[]): Promise<Map<string, number[]>>;
  /** `momentsOf` for all memories. */
  allMoments(): Promise<Map<string, number[]>>;
  /** The ids of the memories that a run cited or followed. */
  inRun(runId: string): Promise<string[]>;
  countsOf(id: string): Promise<UseCounts>;
}

/** Sums up the uses of one memory. */
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

/** The number of distinctive words that count in a long memory, because an answer never repeats all of it. */
const MAX_DISTINCT_WORDS = 12;
/** The share of distinctive words that counts as a use of the memory. */
const MIN_SHARE = 0.5;
/** Paths, numbers, dates and addresses, which do not recur by chance. */
const LITERAL =
  /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]*(?:\/[\p{L}\p{N}_.-]+)+|\d[\d.,:-]{2,}\d|(?<![^\s@])[^\s@]+@[^\s@]+\.[^\s@]+/gu;

/**
 * Whether a text uses a memory: it repeats a path or number of the memory that the request does not contain, or half of
 * the words that occur in the memory but not in the request.
 */
export function usesMemory(memory: string, text: string, request: string): boolean {
  const requestText = request.toLowerCase();
  const outputText = text.toLowerCase();
  const literals = [...memory.toLowerCase().matchAll(LITERAL)].map(([literal]) =>
    literal.replace(/[.,:]+$/, ""),
  );
  if (literals.some((literal) => !requestText.includes(literal) && outputText.includes(literal))) return true;

  const requestStems = contentStems(request);
  const distinctive = [...contentStems(memory)].filter((stem) => !requestStems.has(stem));
  const present = contentStems(text);
  const shared = distinctive.filter((stem) => present.has(stem)).length;
  return shared >= 2 && shared >= MIN_SHARE * Math.min(distinctive.length, MAX_DISTINCT_WORDS);
}

import type { UseCounts } from "../../contract/memory.ts";
import type { MemoryUseKind } from "./memory-uses.ts";
import { USEFUL_KINDS } from "./memory-uses.ts";

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

import type { MemoryRecord, MemorySource, MemoryTrust, NewMemory } from "../contract/memory.ts";
import { asStored } from "./files/record-files.ts";
import type { RecordIds } from "./files/record-ids.ts";
import { slugOf } from "./files/slug.ts";
import { DEFAULT_IMPORTANCE } from "./importance.ts";

/** Where a memory comes from and whether it may be believed; the caller's to state. */
export interface Origin {
  source: MemorySource;
  trust: MemoryTrust;
}

/** Fills in what a caller leaves out. Throws `InvalidArgsError` for what is not a memory. */
export function newRecord(
  memory: NewMemory,
  { source, trust }: Origin,
  { ids, clock, suffix = "" }: { ids: RecordIds; clock: () => Date; suffix?: string },
): MemoryRecord {
  return asStored({
    id: ids.next(`${slugOf(memory.content, "memory")}${suffix}`),
    type: memory.type,
    content: memory.content,
    timestamp: clock().toISOString(),
    tags: [...new Set(memory.tags)],
    entities: [...new Set(memory.entities)],
    links: memory.links ?? [],
    source,
    context: memory.context ?? {},
    metadata: memory.metadata ?? {},
    importance: memory.importance ?? DEFAULT_IMPORTANCE[memory.type],
    pinned: memory.pinned ?? false,
    trust,
    version: 1,
  });
}

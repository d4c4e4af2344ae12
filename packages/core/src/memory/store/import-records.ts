import type { MemoryRecord } from "../../contract/memory.ts";
import { hashOf } from "./file-content.ts";
import type { PreparedMemory } from "./record-files.ts";
import type { MemoryFinder } from "./memory-finder.ts";

/** What became of records that were brought in with the ids they have. */
export interface ImportReport {
  added: string[];
  /** Already there, word for word. */
  unchanged: string[];
  /** Another record of that id is there; it was left as it is. */
  conflicts: string[];
}

export interface ImportParts {
  prepare: (record: MemoryRecord) => PreparedMemory;
  finder: Pick<MemoryFinder, "find">;
  isArchived: (id: string) => Promise<boolean>;
}

/** Sorts records into those to be written and those that are there, so that importing twice changes nothing. */
export async function sortImport(
  records: readonly MemoryRecord[],
  { prepare, finder, isArchived }: ImportParts,
): Promise<{ write: PreparedMemory[]; report: ImportReport }> {
  const report: ImportReport = { added: [], unchanged: [], conflicts: [] };
  const write = new Map<string, PreparedMemory>();
  for (const record of records) {
    const prepared = prepare(record);
    const there = write.get(record.id) ?? (await finder.find(record.id));
    if (there) {
      const isSame = hashOf(prepare(there.record).text) === prepared.hash;
      (isSame ? report.unchanged : report.conflicts).push(record.id);
    } else if (await isArchived(record.id)) {
      // What a person deleted does not come back by the way.
      report.conflicts.push(record.id);
    } else {
      write.set(record.id, prepared);
      report.added.push(record.id);
    }
  }
  return { write: [...write.values()], report };
}

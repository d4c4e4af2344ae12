import type { MemoryRecord } from "../../contract/memory.ts";
import { hashOf } from "../../files/file-content.ts";
import type { PreparedMemory } from "./record-files.ts";
import type { MemoryFinder } from "./memory-finder.ts";
import type { ImportReport } from "./record-storage.ts";

export interface ImportDependencies {
  prepare: (record: MemoryRecord) => PreparedMemory;
  finder: Pick<MemoryFinder, "find">;
  isArchived: (id: string) => Promise<boolean>;
}

/** Separates new records from existing ones, so that importing twice changes nothing. */
export async function sortImport(
  records: readonly MemoryRecord[],
  { prepare, finder, isArchived }: ImportDependencies,
): Promise<{ write: PreparedMemory[]; report: ImportReport }> {
  const report: ImportReport = { added: [], unchanged: [], conflicts: [] };
  const write = new Map<string, PreparedMemory>();
  for (const record of records) {
    const prepared = prepare(record);
    const existing = write.get(record.id) ?? (await finder.find(record.id));
    if (existing) {
      const isSame = hashOf(prepare(existing.record).text) === prepared.hash;
      (isSame ? report.unchanged : report.conflicts).push(record.id);
    } else if (await isArchived(record.id)) {
      // An import must not restore what a person deleted.
      report.conflicts.push(record.id);
    } else {
      write.set(record.id, prepared);
      report.added.push(record.id);
    }
  }
  return { write: [...write.values()], report };
}

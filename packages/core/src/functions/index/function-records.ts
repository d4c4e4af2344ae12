import { createFileRecords, type FileRecords } from "../../memory/index/file-records.ts";
import type { SearchTables } from "../../memory/index/search-tables.ts";
import { FunctionFile, type StoredFunction } from "../store/stored-function.ts";
import { searchedText, type FunctionTable } from "./function-table.ts";
import { partitionOf } from "./protocol.ts";

export interface FunctionTables extends SearchTables {
  catalog: FunctionTable;
}

/** Updates all tables of one function. Callers provide the transaction. */
export interface FunctionRecords extends FileRecords<StoredFunction> {
  /** True once after a change. */
  takeChange(): boolean;
}

export function createFunctionRecords(root: string, tables: FunctionTables): FunctionRecords {
  let hasChanged = false;
  const records = createFileRecords({
    root,
    tables,
    schema: FunctionFile,
    describe: (stored) => ({
      id: stored.id,
      facts: { kind: partitionOf(stored), timestamp: stored.updatedAt, tags: stored.tags },
      text: searchedText(stored),
    }),
    keep: (item, stored, { file }) => tables.catalog.put(item, { function: stored, ...file }),
    onChange: () => {
      hasChanged = true;
    },
  });
  return {
    ...records,
    takeChange() {
      const was = hasChanged;
      hasChanged = false;
      return was;
    },
  };
}

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { MemoryRecord } from "../../contract/memory.ts";
import { Task } from "../../contract/task.ts";
import type { Database } from "../../database/open-database.ts";
import { fileStamp } from "../../database/file-stamp.ts";
import { systemCode } from "../../errors/node-error.ts";
import type { EntryTable } from "../../vectors/entry-table.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { VectorTables } from "../../vectors/vector-tables.ts";
import { LARGEST_FILE, parseFile } from "../files/file-content.ts";
import type { FileContent } from "../files/file-content.ts";
import type { CatalogTable } from "./catalog-table.ts";
import type { LinkTable } from "./link-table.ts";
import type { PendingTable } from "./pending-table.ts";
import type { EmbeddedText, FiledRecord } from "./protocol.ts";
import type { QuarantineTable } from "./quarantine-table.ts";
import type { SearchTable } from "./search-table.ts";

export interface Tables {
  database: Database;
  entries: EntryTable;
  search: SearchTable;
  vectors: VectorTables;
  catalog: CatalogTable;
  pending: PendingTable;
  links: LinkTable;
  quarantine: QuarantineTable;
}

/** Keeps all tables in agreement about one record. Callers bring the transaction. */
export interface RecordIndex {
  /** Takes in a record whose file stands at its path. */
  put(filed: FiledRecord, options?: { again?: boolean }): void;
  /** Takes an entry out of every table. */
  drop(item: number): void;
  /** Makes the index agree with the file at a path, present or not; `again` also when nothing seems to have changed. */
  look(path: string, options?: { again?: boolean }): void;
  /** Looks whether a task file can be read. */
  lookAtTask(path: string): void;
  /** Keeps a vector in its embedder's table, unless its text has changed or gone since. */
  embedded(table: VectorTable, text: EmbeddedText): void;
}

export function createRecordIndex(root: string, tables: Tables): RecordIndex {
  const { entries, search, vectors, catalog, pending, links, quarantine } = tables;

  function put({ record, path, hash }: FiledRecord, { again = false } = {}): void {
    const stamp = fileStamp(join(root, path));
    const before = catalog.at(path);
    const item = entries.itemOf(record.id);
    const elsewhere = item === undefined ? undefined : catalog.pathOf(item);
    if (elsewhere && elsewhere.path !== path && existsSync(join(root, elsewhere.path))) {
      if (before) drop(before.item);
      quarantine.put(path, stamp, `has the same id as ${elsewhere.path}`);
      return;
    }
    quarantine.release(path);
    if (!again && before && before.item === item && before.hash === hash) {
      catalog.setStamp(path, stamp);
      return;
    }
    if (before && before.item !== item) drop(before.item);
    // A text that is the same has its vectors, or waits for them already.
    const isEmbedded = !again && item !== undefined && catalog.hasText(item, record.content);

    const put = search.put({ id: record.id, facts: factsOf(record), text: searchedText(record) });
    catalog.put({
      item: put,
      path,
      stamp,
      hash,
      content: record.content,
      importance: record.importance,
      pinned: record.pinned,
      context: record.context,
      source: record.source.kind,
      runId: record.source.runId ?? null,
      conversationId: conversationOf(record) ?? null,
      trust: record.trust,
      verified: record.metadata["verified"] === true,
    });
    links.put(put, record);
    if (!isEmbedded) pending.add(put);
  }

  function drop(item: number): void {
    search.remove(item);
    vectors.remove(item);
    entries.remove(item);
  }

  function setAside(path: string, stamp: string, reason: string): void {
    const known = catalog.at(path);
    if (known) drop(known.item);
    quarantine.put(path, stamp, reason);
  }

  return {
    put,
    drop,
    look(path, { again = false } = {}) {
      const stamp = fileStamp(join(root, path));
      const known = catalog.at(path);
      if (!again && (known?.stamp ?? quarantine.stampOf(path)) === stamp) return;
      const content = read(join(root, path), MemoryRecord);
      if (content === undefined) {
        quarantine.release(path);
        if (known) drop(known.item);
      } else if ("reason" in content) setAside(path, stamp, content.reason);
      else put({ record: content.value, path, hash: content.hash }, { again });
    },
    lookAtTask(path) {
      const stamp = fileStamp(join(root, path));
      if ((quarantine.stampOf(path) ?? quarantine.checkedStamp(path)) === stamp) return;
      const content = read(join(root, path), Task);
      if (content && "reason" in content) {
        quarantine.put(path, stamp, content.reason);
        return;
      }
      quarantine.release(path);
      if (content) quarantine.setChecked(path, stamp);
    },
    embedded(table, { id, hash, vector }) {
      const item = entries.itemOf(id);
      const facts = item === undefined ? undefined : entries.factsOf(item);
      if (item === undefined || !facts || catalog.pathOf(item)?.hash !== hash) return;
      table.put({ id, facts, vector });
      pending.remove(table.embedder, item);
    },
  };
}

/** Undefined when there is no file. */
function read<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): FileContent<z.output<Schema>> | undefined {
  try {
    if (statSync(path).size > LARGEST_FILE) return { reason: "too large" };
    return parseFile(schema, readFileSync(path));
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT"
      ? undefined
      : { reason: `cannot be read${code === undefined ? "" : ` (${code})`}` };
  }
}

function factsOf(record: MemoryRecord): { kind: string; timestamp: string; tags: string[] } {
  return { kind: record.type, timestamp: new Date(record.timestamp).toISOString(), tags: record.tags };
}

function conversationOf({ source, metadata }: MemoryRecord): string | undefined {
  return source.conversationId ?? metadata.conversationId;
}

function searchedText(record: MemoryRecord): string {
  return [record.content, ...record.tags, ...record.entities].join("\n");
}

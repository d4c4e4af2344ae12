import { join } from "node:path";
import { MemoryRecord } from "../../contract/memory.ts";
import { Task } from "../../contract/task.ts";
import { supersessionKey } from "../exchange.ts";
import { entityKey, entityTag } from "../entities.ts";
import { fileStamp, readStamped } from "../../files/file-content.ts";
import { contentWords, wordsToIndex } from "../../text/words.ts";
import type { EntryFacts } from "../../vectors/entry-facts.ts";
import type { CatalogTable } from "./catalog-table.ts";
import { createFileRecords, type FileRecords } from "./file-records.ts";
import type { LinkTable } from "./link-table.ts";
import type { SearchTables } from "./search-tables.ts";

export interface Tables extends SearchTables {
  catalog: CatalogTable;
  links: LinkTable;
}

/** Keeps all tables consistent for one memory or one task file. Callers open the transaction. */
export interface RecordIndex extends FileRecords<MemoryRecord> {
  /** Quarantines a task file that cannot be read. */
  checkTask(path: string): void;
}

export function createRecordIndex(root: string, tables: Tables): RecordIndex {
  const { catalog, links, quarantine } = tables;
  const records = createFileRecords({
    root,
    tables,
    schema: MemoryRecord,
    describe(record) {
      // The text is split once: its words are indexed, and their stems describe it.
      const contentTerms = contentWords(record.content);
      const others = otherTexts(record).flatMap(contentWords);
      return {
        id: record.id,
        facts: factsOf(record),
        text: searchedText(record),
        words: wordsToIndex([...contentTerms, ...others]),
        contentTerms,
      };
    },
    keep(item, record, { file, entry, isNew }) {
      catalog.put({
        ...file,
        item,
        record,
        words: entry.contentTerms,
        conversationId: conversationOf(record) ?? null,
        occasion: supersessionKey(record) ?? null,
      });
      if (isNew) links.add(item, record);
      else links.replace(item, record);
    },
    confirm: (path, stamp, record) => catalog.confirm(path, stamp, record),
  });

  return {
    ...records,
    checkTask(path) {
      const file = join(root, path);
      const known = quarantine.stampOf(path) ?? quarantine.checkedStamp(path);
      if (known !== undefined && known === fileStamp(file)) return;
      const { stamp, content } = readStamped(file, Task);
      if (content && "reason" in content) {
        quarantine.put(path, stamp, content.reason);
        return;
      }
      quarantine.release(path);
      if (content) quarantine.setChecked(path, stamp);
    },
  };
}

/** How the clock of the store writes a moment; others are converted. */
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The fields by which memories are filtered. */
export function factsOf({ type, timestamp, tags, entities }: MemoryRecord): EntryFacts {
  return {
    kind: type,
    timestamp: UTC.test(timestamp) ? timestamp : new Date(timestamp).toISOString(),
    tags: [...tags, ...entities.map(entityTag)],
  };
}

function conversationOf({ source, metadata }: MemoryRecord): string | undefined {
  return source.conversationId ?? metadata.conversationId;
}

/** The text of a memory in which words are found. Entities that the content names are not repeated, so that they do not count twice. */
export function searchedText(record: MemoryRecord): string {
  return [record.content, ...otherTexts(record)].join("\n");
}

function otherTexts({ content, tags, entities }: MemoryRecord): string[] {
  if (entities.length === 0) return tags;
  const contentKey = entityKey(content);
  return [...tags, ...entities.filter((entity) => !contentKey.includes(entityKey(entity)))];
}

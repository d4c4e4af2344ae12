import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  fileStamp,
  type FileContent,
  parseValue,
  readStamped,
  unreadableReason,
} from "../../files/file-content.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { EmbeddedText } from "./protocol.ts";
import type { SearchEntry } from "./search-index.ts";
import type { SearchTables } from "./search-tables.ts";
import type { Database } from "../../database/open-database.ts";

/** The path of a record and the hash of its bytes. */
export interface FileLocation {
  /** Relative to the folder of the records. */
  path: string;
  /** Of the file's bytes. */
  hash: string;
}

/** Maps entries to files. */
export interface FileCatalog {
  /** The indexed state of the file at a path. */
  at(path: string): { item: number; stamp: string; hash: string } | undefined;
  /** The location of the entry's file. */
  pathOf(item: number): FileLocation | undefined;
  /** The text that is embedded for the entry. */
  textOf(item: number): string | undefined;
  setStamp(path: string, stamp: string): void;
}

export interface FileRecordsOptions<Schema extends z.ZodType, Entry extends SearchEntry> {
  /** Absolute path of the folder of the records. */
  root: string;
  tables: SearchTables & { catalog: FileCatalog };
  schema: Schema;
  /** The id, filter fields and searchable text of a record. */
  describe: (record: z.output<Schema>) => Entry;
  /** Stores the other columns of a record, its catalog row included; `isNew` if the item has no rows in any table. */
  keep: (
    item: number,
    record: z.output<Schema>,
    more: { file: FileLocation & { stamp: string }; entry: Entry; isNew: boolean },
  ) => void;
  /** Stores the stamp of a file whose indexed bytes are unchanged, by default only that. */
  confirm?: (path: string, stamp: string, record: z.output<Schema>) => void;
  /** Called whenever an entry is added, changed or removed. */
  onChange?: () => void;
}

/** Keeps all tables consistent for one record. Callers open the transaction. */
export interface FileRecords<Value> {
  /** Indexes a record whose file is already written. */
  put(record: Value, place: FileLocation): void;
  /** Removes an entry from every table. */
  drop(item: number): void;
  /** Updates the index from the file at a path, present or not. `force` also reads an unchanged file. */
  refresh(path: string, options?: { force?: boolean }): void;
  /** Whether the file at a path still has the stamp with which it was indexed. */
  isUnchanged(path: string, stamp: string | undefined): boolean;
  /** Reads the file at a path if it is unchanged; undefined otherwise. Needs no transaction. */
  readUnchanged(path: string, stamp: string | undefined): Value | undefined;
  /** Reads the file at a path and corrects the index if it differs. */
  read(path: string): Value | undefined;
  /** Stores a vector in its embedder's table, unless its text changed or was removed since. */
  embedded(table: VectorTable, text: EmbeddedText): void;
}

export function createFileRecords<Schema extends z.ZodType, Entry extends SearchEntry>({
  root,
  tables,
  schema,
  describe,
  keep,
  confirm = (path, stamp) => tables.catalog.setStamp(path, stamp),
  onChange = () => undefined,
}: FileRecordsOptions<Schema, Entry>): FileRecords<z.output<Schema>> {
  const { entries, search, vectors, catalog, pending, quarantine } = tables;
  const isUnchanged = (path: string, stamp: string | undefined): boolean =>
    stamp === fileStamp(join(root, path));

  /** `before` is what is indexed of the file at the path. */
  function put(
    record: z.output<Schema>,
    place: FileLocation & { stamp: string },
    { before, force }: { before: ReturnType<FileCatalog["at"]>; force: boolean },
  ): void {
    const { path, hash, stamp } = place;
    const entry = describe(record);
    const { id } = entry;
    const item = entries.itemOf(id);
    const elsewhere = item === undefined ? undefined : catalog.pathOf(item);
    if (elsewhere && elsewhere.path !== path && existsSync(join(root, elsewhere.path))) {
      quarantineFile(path, stamp, `has the same id as ${elsewhere.path}`);
      return;
    }
    quarantine.release(path);
    if (!force && before && before.item === item && before.hash === hash) {
      confirm(path, stamp, record);
      return;
    }
    if (before && before.item !== item) drop(before.item);
    if (item === undefined) {
      const added = search.add(entry);
      keep(added, record, { file: place, entry, isNew: true });
      pending.add(added);
    } else {
      const isSame = replace(item, entry, () => keep(item, record, { file: place, entry, isNew: false }));
      if (force || !isSame) pending.add(item);
    }
    onChange();
  }

  /** Replaces an entry, and its other columns by `keepMore`. Returns whether its text is unchanged; a vector of another text is removed. */
  function replace(item: number, entry: SearchEntry, keepMore: () => void): boolean {
    const known = { kind: entries.factsOf(item)?.kind, text: catalog.textOf(item) };
    search.put(entry);
    keepMore();
    // Vectors are partitioned by kind: a record of a new kind takes its vector along if its text is unchanged.
    if (known.kind !== undefined && known.kind !== entry.facts.kind) vectors.move(item, entry.facts.kind);
    const isSame = known.text === catalog.textOf(item);
    if (!isSame) vectors.remove(item);
    return isSame;
  }

  function drop(item: number): void {
    search.remove(item);
    vectors.remove(item);
    entries.remove(item);
    onChange();
  }

  function quarantineFile(path: string, stamp: string, reason: string): void {
    const known = catalog.at(path);
    if (known) drop(known.item);
    quarantine.put(path, stamp, reason);
  }

  function apply(
    path: string,
    { stamp, content }: { stamp: string; content: FileContent<z.output<Schema>> | undefined },
    indexed: { before: ReturnType<FileCatalog["at"]>; force: boolean },
  ): void {
    if (content === undefined) {
      quarantine.release(path);
      if (indexed.before) drop(indexed.before.item);
    } else if ("reason" in content) quarantineFile(path, stamp, content.reason);
    else put(content.value, { path, hash: content.hash, stamp }, indexed);
  }

  return {
    put(record, place) {
      const stamp = fileStamp(join(root, place.path));
      put(record, { ...place, stamp }, { before: catalog.at(place.path), force: false });
    },
    drop,
    refresh(path, { force = false } = {}) {
      const file = join(root, path);
      const before = catalog.at(path);
      const known = before?.stamp ?? quarantine.stampOf(path);
      if (!force && known !== undefined && known === fileStamp(file)) return;
      apply(path, readStamped(file, schema), { before, force });
    },
    isUnchanged,
    readUnchanged(path, stamp) {
      if (!isUnchanged(path, stamp)) return undefined;
      const content = readUnchangedFile(join(root, path), schema);
      return "value" in content ? content.value : undefined;
    },
    read(path) {
      const { stamp, content } = readStamped(join(root, path), schema);
      const before = catalog.at(path);
      if (before?.stamp !== stamp) apply(path, { stamp, content }, { before, force: false });
      return content && "value" in content ? content.value : undefined;
    },
    embedded(table, { id, hash, vector }) {
      const entry = entries.kindOf(id);
      if (!entry || catalog.pathOf(entry.item)?.hash !== hash) return;
      const { item, kind } = entry;
      table.setVector(item, kind, vector);
      pending.remove(table.embedder, item);
    },
  };
}

/** Reads a file that was read before and is unchanged: it is not too large, and its hash is known. */
function readUnchangedFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): ReturnType<typeof parseValue<Schema>> {
  try {
    return parseValue(schema, readFileSync(path));
  } catch (error) {
    return unreadableReason(error);
  }
}

/** Queries on the columns of `records` that every index has. */
export function openFileColumns(database: Database): FileCatalog {
  const at = database.query(
    "SELECT item, stamp, hash FROM records WHERE path = ?",
    z.object({ item: z.int(), stamp: z.string(), hash: z.string() }),
  );
  const pathOf = database.query(
    "SELECT path, hash FROM records WHERE item = ?",
    z.object({ path: z.string(), hash: z.string() }),
  );
  const textOf = database.query(
    "SELECT preview AS text FROM records WHERE item = ?",
    z.object({ text: z.string() }),
  );
  const setStamp = database.command("UPDATE records SET stamp = ? WHERE path = ?");
  return {
    at: (path) => at.get(path),
    pathOf: (item) => pathOf.get(item),
    textOf: (item) => textOf.get(item)?.text,
    setStamp: (path, stamp) => void setStamp.run(stamp, path),
  };
}

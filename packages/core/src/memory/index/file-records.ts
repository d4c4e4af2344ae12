import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fileStamp } from "../../database/file-stamp.ts";
import { systemCode } from "../../errors/node-error.ts";
import type { EntryFacts } from "../../vectors/entry-facts.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import { type FileContent, LARGEST_FILE, parseFile } from "../store/file-content.ts";
import type { EmbeddedText } from "./protocol.ts";
import type { SearchTables } from "./search-tables.ts";
import type { Database } from "../../database/open-database.ts";

/** Where a record was read, and what its bytes were. */
export interface FilePlace {
  /** Relative to the folder of the records. */
  path: string;
  /** Of the file's bytes. */
  hash: string;
}

/** Which file each entry stands for. */
export interface FileCatalog {
  /** What is known of the file at a path. */
  at(path: string): { item: number; stamp: string; hash: string } | undefined;
  /** Where the entry's file is. */
  pathOf(item: number): FilePlace | undefined;
  /** The text that is embedded for the entry. */
  textOf(item: number): string | undefined;
  setStamp(path: string, stamp: string): void;
}

export interface FileRecordsOptions<Schema extends z.ZodType> {
  /** Absolute path of the folder of the records. */
  root: string;
  tables: SearchTables & { catalog: FileCatalog };
  schema: Schema;
  /** How a record is found. */
  describe: (record: z.output<Schema>) => { id: string; facts: EntryFacts; text: string };
  /** Keeps what else the index knows of a record, its place in the catalog among it. */
  keep: (item: number, record: z.output<Schema>, file: FilePlace & { stamp: string }) => void;
  /** Called whenever an entry came, changed or went. */
  onChange?: () => void;
}

/** Keeps all tables in agreement about one record. Callers bring the transaction. */
export interface FileRecords<Value> {
  /** Takes in a record whose file stands at its path. */
  put(record: Value, place: FilePlace): void;
  /** Takes an entry out of every table. */
  drop(item: number): void;
  /** Makes the index agree with the file at a path, present or not; `again` also when nothing seems to have changed. */
  look(path: string, options?: { again?: boolean }): void;
  /** What the file at a path holds now, the index corrected where it said something else. */
  read(path: string): Value | undefined;
  /** Keeps a vector in its embedder's table, unless its text has changed or gone since. */
  embedded(table: VectorTable, text: EmbeddedText): void;
}

export function createFileRecords<Schema extends z.ZodType>({
  root,
  tables,
  schema,
  describe,
  keep,
  onChange = () => undefined,
}: FileRecordsOptions<Schema>): FileRecords<z.output<Schema>> {
  const { entries, search, vectors, catalog, pending, quarantine } = tables;

  function put(record: z.output<Schema>, place: FilePlace & { stamp: string }, again: boolean): void {
    const { path, hash, stamp } = place;
    const { id, facts, text } = describe(record);
    const before = catalog.at(path);
    const item = entries.itemOf(id);
    const elsewhere = item === undefined ? undefined : catalog.pathOf(item);
    if (elsewhere && elsewhere.path !== path && existsSync(join(root, elsewhere.path))) {
      setAside(path, stamp, `has the same id as ${elsewhere.path}`);
      return;
    }
    quarantine.release(path);
    if (!again && before && before.item === item && before.hash === hash) {
      catalog.setStamp(path, stamp);
      return;
    }
    if (before && before.item !== item) drop(before.item);
    const known =
      item === undefined ? undefined : { facts: entries.factsOf(item), text: catalog.textOf(item) };
    const number = search.put({ id, facts, text });
    keep(number, record, place);
    // Vectors stand among those of their kind; one that means the same goes with it, and is not made again.
    if (known?.facts && known.facts.kind !== facts.kind) vectors.move(number, facts.kind);
    const isSame = known?.text === catalog.textOf(number);
    if (known && !isSame) vectors.remove(number);
    if (again || !isSame) pending.add(number);
    onChange();
  }

  function drop(item: number): void {
    search.remove(item);
    vectors.remove(item);
    entries.remove(item);
    onChange();
  }

  function setAside(path: string, stamp: string, reason: string): void {
    const known = catalog.at(path);
    if (known) drop(known.item);
    quarantine.put(path, stamp, reason);
  }

  /** `stamp` is the file's from before it was read: what is written meanwhile is read next time. */
  function take(
    path: string,
    stamp: string,
    content: FileContent<z.output<Schema>> | undefined,
    again: boolean,
  ): void {
    if (content === undefined) {
      quarantine.release(path);
      const known = catalog.at(path);
      if (known) drop(known.item);
    } else if ("reason" in content) setAside(path, stamp, content.reason);
    else put(content.value, { path, hash: content.hash, stamp }, again);
  }

  return {
    put: (record, place) => put(record, { ...place, stamp: fileStamp(join(root, place.path)) }, false),
    drop,
    look(path, { again = false } = {}) {
      const stamp = fileStamp(join(root, path));
      if (!again && (catalog.at(path)?.stamp ?? quarantine.stampOf(path)) === stamp) return;
      take(path, stamp, readRecord(join(root, path), schema), again);
    },
    read(path) {
      const stamp = fileStamp(join(root, path));
      const content = readRecord(join(root, path), schema);
      if (catalog.at(path)?.stamp !== stamp) take(path, stamp, content, false);
      return content && "value" in content ? content.value : undefined;
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
export function readRecord<Schema extends z.ZodType>(
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

/** What every index knows of its entries' files: the columns of `records` that all of them have. */
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

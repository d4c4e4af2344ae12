import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { MemoryRecord } from "../../contract/memory.ts";
import { parseJson } from "../../contract/parse-json.ts";
import { isRecord } from "../../text/is-record.ts";
import { contentWords, stemOf } from "../../text/words.ts";
import type { IndexedRecord } from "./protocol.ts";
import { type FileCatalog, openFileColumns } from "./file-records.ts";
import { DESCRIBED_STEMS, type IndexedEntry } from "../recall/candidate.ts";

/** Characters of a record that are stored for embedding and display. The beginning is enough to tell the subject. */
export const PREVIEW_CHARACTERS = 4_000;

const Context = z.record(z.string(), z.string());
const Entities = z.array(z.string());

/** Characters of the other fields of a record that are stored; of a record with more, they are read from its file. */
const MAX_FIELDS_CHARACTERS = 4_000;

export interface CatalogRow {
  item: number;
  path: string;
  stamp: string;
  hash: string;
  record: MemoryRecord;
  /** `contentWords` of the content. */
  words: readonly string[];
  conversationId: string | null;
  occasion: string | null;
}

interface StoredRow extends IndexedRecord {
  path: string;
  stamp: string;
}

/** Maps each entry to its file, with the columns that ranking needs. Callers open the transaction. */
export interface CatalogTable extends FileCatalog {
  put(row: CatalogRow): void;
  /** Every indexed path in a folder and its subfolders; every path for `""`. */
  pathsIn(folder: string): string[];
  /** Returns entries in no particular order, each with those of `entities` that it names; omits unknown items. */
  describe(items: readonly number[], entities: readonly string[]): IndexedEntry[];
  locate(id: string): string | undefined;
  /** The file of an entry. */
  fileOf(id: string): { path: string; stamp: string } | undefined;
  /** The indexed records of some ids with their files, in no particular order; those that are too long are omitted. */
  recordsOf(ids: readonly string[]): StoredRow[];
  /** Stores the stamp of a file whose bytes are those that are indexed, and the record that they contain. */
  confirm(path: string, stamp: string, record: MemoryRecord): void;
  /** Whether an upgrade of the format made every file unread. Reads the oldest entry, whose file is read again last. */
  isOutdated(): boolean;
}

export function openCatalogTable(database: Database): CatalogTable {
  const upsert = database.command(
    `INSERT INTO records (item, path, stamp, hash, preview, stems, importance, pinned, context, source, run_id, conversation_id, trust, verified, failed, occasion)
     VALUES (:item, :path, :stamp, :hash, :preview, :stems, :importance, :pinned, :context, :source, :runId, :conversationId, :trust, :verified, :failed, :occasion)
     ON CONFLICT (item) DO UPDATE SET path = excluded.path, stamp = excluded.stamp, hash = excluded.hash,
       preview = excluded.preview, stems = excluded.stems, importance = excluded.importance, pinned = excluded.pinned,
       context = excluded.context, source = excluded.source, run_id = excluded.run_id,
       conversation_id = excluded.conversation_id, trust = excluded.trust, verified = excluded.verified,
       failed = excluded.failed, occasion = excluded.occasion`,
  );
  const pathsIn = database.query("SELECT path FROM records WHERE path >= ? AND path < ?", PathRow);
  const locate = database.query(
    "SELECT records.path FROM records JOIN entries USING (item) WHERE entries.id = ?",
    z.object({ path: z.string() }),
  );
  const fileOf = database.query(
    "SELECT path, stamp FROM records JOIN entries USING (item) WHERE id = ?",
    z.object({ path: z.string(), stamp: z.string() }),
  );
  const recordsOf = database.query(
    `SELECT entries.id, records.path, records.stamp, records.preview AS content, record_fields.fields
     FROM json_each(?) AS wanted JOIN entries ON entries.id = wanted.value JOIN records USING (item)
       JOIN record_fields USING (item)`,
    StoredRecord,
  );
  const putFields = database.command("INSERT OR REPLACE INTO record_fields (item, fields) VALUES (?, ?)");
  const dropFields = database.command("DELETE FROM record_fields WHERE item = ?");
  const describe = database.query(
    `SELECT entries.item, entries.id, entries.kind AS type, entries.timestamp, records.stems,
       records.importance, records.pinned, records.context, records.failed, records.occasion,
       CASE WHEN :entities = '[]' THEN '[]' ELSE (SELECT json_group_array(entity) FROM entities
        WHERE entities.item = entries.item AND entity IN (SELECT value FROM json_each(:entities))) END AS shared
     FROM json_each(:items) AS wanted JOIN entries ON entries.item = wanted.value JOIN records USING (item)`,
    CatalogEntry,
  );

  const oldest = database.query(
    "SELECT stamp FROM records ORDER BY item LIMIT 1",
    z.object({ stamp: z.string() }),
  );

  const files = openFileColumns(database);

  function keepFields(item: number, record: MemoryRecord): void {
    const fields = fieldsOf(record);
    if (fields === undefined) dropFields.run(item);
    else putFields.run(item, fields);
  }

  return {
    ...files,
    isOutdated: () => oldest.get()?.stamp === "",
    put({ record, words, ...row }) {
      const { content, importance, pinned, context, source, trust, metadata } = record;
      upsert.run({
        ...row,
        importance,
        trust,
        preview: previewOf(content),
        stems: Buffer.from(stemHashes(content, words).buffer),
        pinned: pinned ? 1 : 0,
        verified: metadata["verified"] === true ? 1 : 0,
        failed: metadata.success === false ? 1 : 0,
        source: source.kind,
        runId: source.runId ?? null,
        context: JSON.stringify(context),
      });
      keepFields(row.item, record);
    },
    // `0` follows `/` in the character order, so this range contains exactly the paths inside the folder.
    pathsIn: (folder) =>
      (folder === "" ? pathsIn.all("", "\u{10ffff}") : pathsIn.all(`${folder}/`, `${folder}0`)).map(
        ({ path }) => path,
      ),
    describe: (items, entities) =>
      sharingOneBuffer(describe.all({ items: JSON.stringify(items), entities: JSON.stringify(entities) })),
    locate: (id) => locate.get(id)?.path,
    fileOf: (id) => fileOf.get(id),
    recordsOf: (ids) => recordsOf.all(JSON.stringify(ids)),
    confirm(path, stamp, record) {
      files.setStamp(path, stamp);
      const file = files.at(path);
      if (file) keepFields(file.item, record);
    },
  };
}

function previewOf(content: string): string {
  return content.slice(0, PREVIEW_CHARACTERS).toWellFormed();
}

/** The fields of a record besides its content, as JSON; undefined if the record is not stored as a whole. */
function fieldsOf({ content, ...fields }: MemoryRecord): string | undefined {
  if (content !== previewOf(content)) return undefined;
  const text = JSON.stringify(fields);
  return text.length <= MAX_FIELDS_CHARACTERS ? text : undefined;
}

/** Parses an indexed record; undefined if it is not one. */
export function parseIndexed({ content, fields }: Omit<IndexedRecord, "id">): MemoryRecord | undefined {
  const others = parseJson(fields);
  return isRecord(others) ? MemoryRecord.safeParse({ ...others, content }).data : undefined;
}

/**
 * The first distinct stems of a text as ascending hashes, for detecting duplicates. `words` are `contentWords` of the text, if
 * they are known.
 */
export function stemHashes(content: string, words?: readonly string[]): Uint32Array {
  const hashes = new Set<number>();
  const read =
    words !== undefined && content.length <= PREVIEW_CHARACTERS
      ? words
      : contentWords(content.slice(0, PREVIEW_CHARACTERS));
  for (const word of read) {
    if (hashes.size >= DESCRIBED_STEMS) break;
    hashes.add(hashOf(stemOf(word)));
  }
  const ascending = new Uint32Array(hashes.size);
  let size = 0;
  for (const hash of hashes) {
    ascending[size] = hash;
    size += 1;
  }
  return ascending.sort();
}

/** FNV-1a, 32 bits, as a signed number: a set takes an object for each larger one. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash | 0;
}

/** Rarely empty, so only a context that is not is parsed. */
function contextIn(text: string): Record<string, string> {
  return text === "{}" ? {} : Context.parse(JSON.parse(text));
}

/** All stems lie in one buffer, which a message copies at once. */
function sharingOneBuffer(rows: readonly CatalogEntry[]): IndexedEntry[] {
  const all = new Uint32Array(rows.reduce((sum, { stems }) => sum + stems.byteLength / 4, 0));
  let start = 0;
  return rows.map(({ stems, pinned, failed, context, shared, ...row }) => {
    const own = all.subarray(start, start + stems.byteLength / 4);
    new Uint8Array(own.buffer, own.byteOffset, own.byteLength).set(stems);
    start += own.length;
    return {
      ...row,
      pinned: pinned === 1,
      failed: failed === 1,
      context: contextIn(context),
      shared: shared === "[]" ? [] : Entities.parse(JSON.parse(shared)),
      stems: own,
    };
  });
}

interface CatalogEntry extends Omit<IndexedEntry, "pinned" | "failed" | "context" | "shared" | "stems"> {
  pinned: number;
  failed: number;
  context: string;
  shared: string;
  stems: Uint8Array;
}

/** Checked by hand, as there is one for each file. */
const PathRow = z.custom<{ path: string }>(
  (row: unknown) => isRecord(row) && typeof row["path"] === "string",
);

/** Checked by hand, as a dozen are read for each search. */
const StoredRecord = z.custom<StoredRow>(
  (row: unknown) =>
    isRecord(row) &&
    ["id", "path", "stamp", "content", "fields"].every((name) => typeof row[name] === "string"),
);

/** Checked by hand, as many are read for each search. */
const CatalogEntry = z.custom<CatalogEntry>(
  (row: unknown) =>
    isRecord(row) &&
    typeof row["id"] === "string" &&
    typeof row["type"] === "string" &&
    typeof row["timestamp"] === "string" &&
    typeof row["context"] === "string" &&
    typeof row["shared"] === "string" &&
    typeof row["item"] === "number" &&
    typeof row["importance"] === "number" &&
    typeof row["pinned"] === "number" &&
    typeof row["failed"] === "number" &&
    (row["occasion"] === null || typeof row["occasion"] === "string") &&
    row["stems"] instanceof Uint8Array,
);

import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { isRecord } from "../../text/is-record.ts";
import { contentWords, stemOf } from "../../text/words.ts";
import { type FileCatalog, openFileColumns } from "./file-records.ts";
import { DESCRIBED_STEMS, type IndexedEntry } from "../recall/candidate.ts";

/** Characters of a record that are stored for embedding and display. The beginning is enough to tell the subject. */
export const PREVIEW_CHARACTERS = 4_000;

const Context = z.record(z.string(), z.string());
const Entities = z.array(z.string());

export interface CatalogRow {
  item: number;
  path: string;
  stamp: string;
  hash: string;
  content: string;
  /** `contentWords` of the content. */
  words: readonly string[];
  importance: number;
  pinned: boolean;
  context: Record<string, string>;
  source: string;
  runId: string | null;
  conversationId: string | null;
  trust: string;
  verified: boolean;
  failed: boolean;
  occasion: string | null;
}

/** Maps each entry to its file, with the columns that ranking needs. Callers open the transaction. */
export interface CatalogTable extends FileCatalog {
  put(row: CatalogRow): void;
  /** Every indexed path in a folder and its subfolders; every path for `""`. */
  pathsIn(folder: string): string[];
  /** Returns entries in no particular order, each with those of `entities` that it names; omits unknown items. */
  describe(items: readonly number[], entities: readonly string[]): IndexedEntry[];
  locate(id: string): string | undefined;
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
  const describe = database.query(
    `SELECT entries.item, entries.id, entries.kind AS type, entries.timestamp, records.path, records.stems,
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

  return {
    ...openFileColumns(database),
    isOutdated: () => oldest.get()?.stamp === "",
    put({ content, words, pinned, verified, failed, context, ...row }) {
      upsert.run({
        ...row,
        preview: previewOf(content),
        stems: Buffer.from(stemHashes(content, words).buffer),
        pinned: pinned ? 1 : 0,
        verified: verified ? 1 : 0,
        failed: failed ? 1 : 0,
        context: JSON.stringify(context),
      });
    },
    // `0` follows `/` in the character order, so this range contains exactly the paths inside the folder.
    pathsIn: (folder) =>
      (folder === "" ? pathsIn.all("", "\u{10ffff}") : pathsIn.all(`${folder}/`, `${folder}0`)).map(
        ({ path }) => path,
      ),
    describe: (items, entities) =>
      sharingOneBuffer(describe.all({ items: JSON.stringify(items), entities: JSON.stringify(entities) })),
    locate: (id) => locate.get(id)?.path,
  };
}

function previewOf(content: string): string {
  return content.slice(0, PREVIEW_CHARACTERS).toWellFormed();
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

/** Checked by hand, as many are read for each search. */
const CatalogEntry = z.custom<CatalogEntry>(
  (row: unknown) =>
    isRecord(row) &&
    typeof row["id"] === "string" &&
    typeof row["type"] === "string" &&
    typeof row["timestamp"] === "string" &&
    typeof row["path"] === "string" &&
    typeof row["context"] === "string" &&
    typeof row["shared"] === "string" &&
    typeof row["item"] === "number" &&
    typeof row["importance"] === "number" &&
    typeof row["pinned"] === "number" &&
    typeof row["failed"] === "number" &&
    (row["occasion"] === null || typeof row["occasion"] === "string") &&
    row["stems"] instanceof Uint8Array,
);

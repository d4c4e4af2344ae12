import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { contentWords, stemOf } from "../../text/words.ts";
import { type FileCatalog, openFileColumns } from "./file-records.ts";
import { DESCRIBED_STEMS, type IndexedEntry } from "./protocol.ts";

/** Characters of a record that are stored for embedding and display. The beginning is enough to tell the subject. */
const PREVIEW_CHARACTERS = 4_000;

const Context = z.record(z.string(), z.string());
const ContextText = z.string().transform((text) => Context.parse(JSON.parse(text)));

export interface CatalogRow {
  item: number;
  path: string;
  stamp: string;
  hash: string;
  content: string;
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
  /** Returns entries in no particular order, each with those of `entities` that it names; omits unknown ids. */
  describe(ids: readonly string[], entities: readonly string[]): IndexedEntry[];
  locate(id: string): string | undefined;
}

export function openCatalogTable(database: Database): CatalogTable {
  const upsert = database.command(
    `INSERT INTO records (item, path, stamp, hash, preview, gist, importance, pinned, context, source, run_id, conversation_id, trust, verified, failed, occasion)
     VALUES (:item, :path, :stamp, :hash, :preview, :gist, :importance, :pinned, :context, :source, :runId, :conversationId, :trust, :verified, :failed, :occasion)
     ON CONFLICT (item) DO UPDATE SET path = excluded.path, stamp = excluded.stamp, hash = excluded.hash,
       preview = excluded.preview, gist = excluded.gist, importance = excluded.importance, pinned = excluded.pinned,
       context = excluded.context, source = excluded.source, run_id = excluded.run_id,
       conversation_id = excluded.conversation_id, trust = excluded.trust, verified = excluded.verified,
       failed = excluded.failed, occasion = excluded.occasion`,
  );
  const pathsIn = database.query(
    "SELECT path FROM records WHERE path >= ? AND path < ?",
    z.object({ path: z.string() }).transform(({ path }) => path),
  );
  const locate = database.query(
    "SELECT records.path FROM records JOIN entries USING (item) WHERE entries.id = ?",
    z.object({ path: z.string() }),
  );
  const describe = database.query(
    `SELECT entries.id, entries.kind AS type, entries.timestamp, records.path, records.hash, records.gist,
       records.importance, records.pinned, records.context, records.failed, records.occasion,
       (SELECT json_group_array(entity) FROM entities
        WHERE entities.item = entries.item AND entity IN (SELECT value FROM json_each(:entities))) AS shared
     FROM json_each(:ids) AS wanted JOIN entries ON entries.id = wanted.value JOIN records USING (item)`,
    z
      .object({
        id: z.string(),
        type: z.string(),
        timestamp: z.string(),
        path: z.string(),
        hash: z.string(),
        gist: z.string(),
        importance: z.number(),
        pinned: z.int(),
        context: ContextText,
        failed: z.int(),
        occasion: z.string().nullable(),
        shared: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
      })
      .transform(({ gist, pinned, failed, ...row }) => ({
        ...row,
        pinned: pinned === 1,
        failed: failed === 1,
        stems: gist === "" ? [] : gist.split(" "),
      })),
  );

  return {
    ...openFileColumns(database),
    put({ content, pinned, verified, failed, context, ...row }) {
      upsert.run({
        ...row,
        preview: previewOf(content),
        gist: gistOf(content),
        pinned: pinned ? 1 : 0,
        verified: verified ? 1 : 0,
        failed: failed ? 1 : 0,
        context: JSON.stringify(context),
      });
    },
    // `0` follows `/` in the character order, so this range contains exactly the paths inside the folder.
    pathsIn: (folder) =>
      folder === "" ? pathsIn.all("", "\u{10ffff}") : pathsIn.all(`${folder}/`, `${folder}0`),
    describe: (ids, entities) =>
      describe.all({ ids: JSON.stringify(ids), entities: JSON.stringify(entities) }),
    locate: (id) => locate.get(id)?.path,
  };
}

function previewOf(content: string): string {
  return content.slice(0, PREVIEW_CHARACTERS).toWellFormed();
}

/** The first distinct stems of a text, for detecting duplicates. */
function gistOf(content: string): string {
  const stems = new Set<string>();
  for (const word of contentWords(content.slice(0, PREVIEW_CHARACTERS))) {
    if (stems.size >= DESCRIBED_STEMS) break;
    stems.add(stemOf(word));
  }
  return [...stems].join(" ");
}

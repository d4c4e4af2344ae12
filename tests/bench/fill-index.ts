import { memoryIndexMigrations } from "@metahuman/core/memory/index/schema";
import { stemHashes } from "@metahuman/core/memory/index/catalog-table";
import { createPostingsBuilder, encodePostings, splitPostings } from "@metahuman/core/memory/index/postings";
import { openSearchTables } from "@metahuman/core/memory/index/search-tables";
import { indexedWords } from "@metahuman/core/text/words";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import type { Database } from "@metahuman/core/database/open-database";
import { z } from "zod";

/** What one transaction adds; a run that is ended continues after the last one. */
const AT_ONCE = 100_000;
const EMBEDDED_AT_ONCE = 1_000;
/** As in `word-table.ts` and `word-copies.ts`. */
const MAX_BLOCK = 4_096;
const PAGE = 1_024;
const KIND = "observation";
const TIMESTAMP = "2026-01-01T00:00:00.000Z";

/**
 * Stores texts as memories in an index, numbered from 1, unless they are stored. Writes the rows that the thread of the indexes
 * would write after all its merges, but postings once: through the thread, a million takes many times as long. Returns the number
 * of texts that it added.
 */
export async function fillIndex(
  database: string,
  embedder: Embedder,
  { texts, idOf }: { texts: Iterable<string>; idOf: (number: number) => string },
): Promise<number> {
  const { id, dimensions } = embedder;
  const tables = openSearchTables(
    {
      database,
      title: "the index of a benchmark",
      migrations: memoryIndexMigrations,
      embedder: { id, dimensions },
    },
    (opened) => ({ rows: openRows(opened) }),
  );
  try {
    const known = tables.rows.count();
    let number = 0;
    let some: string[] = [];
    const storeSome = async (): Promise<void> => {
      const vectors: Float32Array[] = [];
      for (let start = 0; start < some.length; start += EMBEDDED_AT_ONCE)
        vectors.push(...(await embedder.embed(some.slice(start, start + EMBEDDED_AT_ONCE))));
      const first = number - some.length + 1;
      tables.database.transaction(() => {
        const { table } = tables.vectors.of({ id, dimensions });
        for (const [index, text] of some.entries()) {
          tables.rows.add(first + index, { id: idOf(first + index), text });
          table.setVector(first + index, KIND, vectors[index] ?? new Float32Array(dimensions));
        }
        tables.rows.finish();
      });
      some = [];
    };
    for (const text of texts) {
      number += 1;
      if (number <= known) continue;
      some.push(text);
      if (some.length === AT_ONCE) await storeSome();
    }
    if (some.length > 0) await storeSome();
    return Math.max(0, number - known);
  } finally {
    tables.database.close();
  }
}

/** Adds rows within a transaction, then the postings of all of them. */
function openRows(database: Database) {
  // What a power failure damages is built again.
  database.exec("PRAGMA synchronous = OFF");
  database.exec(`INSERT OR IGNORE INTO word_kinds (number, kind) VALUES (1, '${KIND}')`);
  const Count = z.object({ count: z.int() });
  const count = database.query("SELECT count(*) AS count FROM records", Count);
  const pages = database.query("SELECT count(*) AS count FROM doc_pages", Count);
  const addEntry = database.command(
    "INSERT INTO entries (item, id, kind, timestamp, tags) VALUES (?, ?, ?, ?, '[]')",
  );
  const addRecord = database.command(
    `INSERT INTO records (item, path, stamp, hash, preview, stems, importance, pinned, context)
     VALUES (?, ?, 'stored', ?, ?, ?, 0.6, 0, '{}')`,
  );
  const addDocument = database.command("INSERT INTO docs (doc, item, kind, length) VALUES (?, ?, 1, ?)");
  const addBlock = database.command(
    "INSERT INTO postings (stem, first, last, count, forms, data) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const addPage = database.command("INSERT INTO doc_pages (page, data) VALUES (?, ?)");
  const setState = database.command(
    "UPDATE word_state SET texts = texts + ?, words = words + ?, merged = ?, merging = ?",
  );
  const setComplete = database.command("UPDATE embedders SET complete = 1");
  const documents = database.query(
    "SELECT item, kind, length FROM docs WHERE doc BETWEEN ? AND ? ORDER BY doc",
    z.object({ item: z.int(), kind: z.int(), length: z.int() }),
  );

  let words = createPostingsBuilder();
  let added = { texts: 0, words: 0, last: 0 };

  /** Item, kind and length of the documents of each full page. */
  function storePages(last: number): void {
    for (let page = pages.get()?.count ?? 0; (page + 1) * PAGE <= last; page += 1) {
      const columns = new Uint32Array(3 * PAGE);
      // There is no document 0.
      const first = page * PAGE;
      for (const [index, row] of documents.all(Math.max(1, first), first + PAGE - 1).entries()) {
        const place = index + (first === 0 ? 1 : 0);
        columns[place] = row.item;
        columns[PAGE + place] = row.kind;
        columns[2 * PAGE + place] = row.length;
      }
      addPage.run(page, new Uint8Array(columns.buffer));
    }
  }

  return {
    count: () => count.get()?.count ?? 0,
    add(number: number, { id, text }: { id: string; text: string }): void {
      const own = indexedWords(text);
      addEntry.run(number, id, KIND, TIMESTAMP);
      addRecord.run(number, `${id}.json`, id, text, Buffer.from(stemHashes(text).buffer));
      addDocument.run(number, number, own.length);
      words.add(number, own);
      added = { texts: added.texts + 1, words: added.words + own.length, last: number };
    },
    finish(): void {
      for (const stem of words.stems()) {
        const postings = words.of(stem);
        for (const block of postings ? splitPostings(postings, MAX_BLOCK) : []) {
          const [first = 0, last = 0] = [block.documents[0], block.documents.at(-1)];
          addBlock.run(
            stem,
            first,
            last,
            block.documents.length,
            block.names.join(" "),
            encodePostings(block),
          );
        }
      }
      setState.run(added.texts, added.words, added.last, added.last);
      setComplete.run();
      storePages(added.last);
      words = createPostingsBuilder();
      added = { texts: 0, words: 0, last: 0 };
    },
  };
}

import { openDatabase } from "@metahuman/core/database/open-database";
import { getLoadablePath } from "sqlite-vec";
import { z } from "zod";

/** SQLite's own searches over the same data. */
export interface PlainSearch {
  /** Returns the ids of the nearest vectors by an exact scan of 32-bit vectors. */
  nearest(vector: Float32Array, limit: number): string[];
  /** Returns the ids of texts with any of the words, ranked by FTS5's BM25. */
  holding(words: readonly string[], limit: number): string[];
  close(): void;
}

export function openPlainSearch(
  path: string,
  dimensions: number,
  entries: Iterable<{ id: string; text: string; vector: Float32Array }>,
): PlainSearch {
  const schema = {
    version: 1,
    name: "plain searches",
    up: `CREATE VIRTUAL TABLE vectors USING vec0 (vector float[${dimensions}]);
         CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61');
         CREATE TABLE ids (item INTEGER PRIMARY KEY, id TEXT NOT NULL);`,
  };
  const database = openDatabase(path, [schema], { title: "plain searches", extensions: [getLoadablePath()] });
  const addVector = database.command("INSERT INTO vectors (rowid, vector) VALUES (?, ?)");
  const addText = database.command("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  const addId = database.command("INSERT INTO ids VALUES (?, ?)");
  database.transaction(() => {
    let item = 0;
    for (const { id, text, vector } of entries) {
      item += 1;
      addId.run(item, id);
      addVector.run(BigInt(item), blobOf(vector));
      addText.run(item, text);
    }
  });
  const Id = z.object({ id: z.string() });
  const nearest = database.query(
    "SELECT id FROM vectors JOIN ids ON ids.item = vectors.rowid WHERE vector MATCH ? AND k = ? ORDER BY distance",
    Id,
  );
  const holding = database.query(
    "SELECT id FROM texts JOIN ids ON ids.item = texts.rowid WHERE texts MATCH ? ORDER BY texts.rank LIMIT ?",
    Id,
  );
  return {
    nearest: (vector, limit) => nearest.all(blobOf(vector), limit).map(({ id }) => id),
    holding: (words, limit) =>
      holding.all(words.map((word) => `"${word}"`).join(" OR "), limit).map(({ id }) => id),
    close: () => database.close(),
  };
}

function blobOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

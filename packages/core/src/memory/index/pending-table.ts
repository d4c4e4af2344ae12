import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { PendingText } from "./protocol.ts";

/** The durable queue of texts to embed, per embedder number. Callers open the transaction. */
export interface PendingTable {
  /** Adds the item for every embedder with stored vectors. */
  add(item: number): void;
  addAll(embedder: number): void;
  remove(embedder: number, item: number): void;
  postpone(embedder: number, item: number): void;
  /** Whether a pending text has not been tried yet. */
  hasUntried(embedder: number): boolean;
  /** Returns the texts with the fewest attempts first, then the newest. */
  next(embedder: number, limit: number): PendingText[];
  count(embedder: number): number;
}

export function openPendingTable(database: Database): PendingTable {
  const add = database.command(
    "INSERT INTO pending (embedder, item) SELECT number, ? FROM embedders WHERE true ON CONFLICT DO UPDATE SET attempts = 0",
  );
  const addAll = database.command(
    "INSERT INTO pending (embedder, item) SELECT ?, item FROM records WHERE true ON CONFLICT DO NOTHING",
  );
  const remove = database.command("DELETE FROM pending WHERE embedder = ? AND item = ?");
  const postpone = database.command(
    "UPDATE pending SET attempts = attempts + 1 WHERE embedder = ? AND item = ?",
  );
  const untried = database.query(
    "SELECT 1 AS found FROM pending WHERE embedder = ? AND attempts = 0 LIMIT 1",
    z.object({ found: z.int() }),
  );
  const select = (condition: string) =>
    database.query(
      `SELECT entries.id, records.hash, records.preview AS text
       FROM pending JOIN entries USING (item) JOIN records USING (item)
       WHERE pending.embedder = ? AND ${condition} LIMIT ?`,
      z.object({ id: z.string(), hash: z.string(), text: z.string() }),
    );
  // Separate, because the index returns the newest texts with one number of attempts without sorting all texts.
  const untriedTexts = select("pending.attempts = 0 ORDER BY pending.item DESC");
  const triedTexts = select("pending.attempts > 0 ORDER BY pending.attempts, pending.item DESC");
  const count = database.query(
    "SELECT count(*) AS count FROM pending WHERE embedder = ?",
    z.object({ count: z.int() }),
  );
  return {
    add: (item) => void add.run(item),
    addAll: (embedder) => void addAll.run(embedder),
    remove: (embedder, item) => void remove.run(embedder, item),
    postpone: (embedder, item) => void postpone.run(embedder, item),
    hasUntried: (embedder) => untried.get(embedder) !== undefined,
    next(embedder, limit) {
      const texts = untriedTexts.all(embedder, limit);
      return texts.length < limit ? [...texts, ...triedTexts.all(embedder, limit - texts.length)] : texts;
    },
    count: (embedder) => count.get(embedder)?.count ?? 0,
  };
}

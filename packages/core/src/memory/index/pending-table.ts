import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { PendingText } from "./protocol.ts";

/** The durable queue of texts one embedder has yet to see. Callers bring the transaction. */
export interface PendingTable {
  add(item: number): void;
  addAll(): void;
  remove(item: number): void;
  postpone(item: number): void;
  has(item: number): boolean;
  /** Those tried least first, then the newest. */
  next(limit: number): PendingText[];
  count(): number;
}

export function openPendingTable(database: Database, embedder: number): PendingTable {
  const add = database.command(
    "INSERT INTO pending (embedder, item) VALUES (?, ?) ON CONFLICT DO UPDATE SET attempts = 0",
  );
  const addAll = database.command(
    "INSERT INTO pending (embedder, item) SELECT ?, item FROM records WHERE true ON CONFLICT DO NOTHING",
  );
  const remove = database.command("DELETE FROM pending WHERE embedder = ? AND item = ?");
  const postpone = database.command(
    "UPDATE pending SET attempts = attempts + 1 WHERE embedder = ? AND item = ?",
  );
  const has = database.query(
    "SELECT 1 AS found FROM pending WHERE embedder = ? AND item = ?",
    z.object({ found: z.int() }),
  );
  const next = database.query(
    `SELECT entries.id, records.hash, records.preview AS text
     FROM pending JOIN entries USING (item) JOIN records USING (item)
     WHERE pending.embedder = ? ORDER BY pending.attempts, pending.item DESC LIMIT ?`,
    z.object({ id: z.string(), hash: z.string(), text: z.string() }),
  );
  const count = database.query(
    "SELECT count(*) AS count FROM pending WHERE embedder = ?",
    z.object({ count: z.int() }),
  );
  return {
    add: (item) => void add.run(embedder, item),
    addAll: () => void addAll.run(embedder),
    remove: (item) => void remove.run(embedder, item),
    postpone: (item) => void postpone.run(embedder, item),
    has: (item) => has.get(embedder, item) !== undefined,
    next: (limit) => next.all(embedder, limit),
    count: () => count.get(embedder)?.count ?? 0,
  };
}

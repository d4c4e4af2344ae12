import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { countUses, MemoryUseKind, type MemoryUses, MAX_MOMENTS, USEFUL_KINDS } from "./memory-uses.ts";

const UseRow = z
  .object({
    rowid: z.int(),
    memory_id: z.string(),
    kind: MemoryUseKind,
    at: z.int(),
    run_id: z.string().nullable(),
    note: z.string().nullable(),
  })
  .transform(({ rowid, memory_id: memoryId, kind, at, run_id: runId, note }) => ({
    rowid,
    use: { memoryId, kind, at, ...(runId !== null && { runId }), ...(note !== null && { note }) },
  }));

/** Stores uses in a profile's `state.db`, whose migrations create the table. */
export function openMemoryUseTable(database: Database): MemoryUses {
  const add = database.command(
    `INSERT INTO memory_uses (memory_id, kind, at, run_id, note) VALUES (:memoryId, :kind, :at, :runId, :note)
     ON CONFLICT DO NOTHING`,
  );
  const addUnknown = database.command(
    `INSERT INTO memory_uses (memory_id, kind, at, run_id, note) SELECT :memoryId, :kind, :at, :runId, :note
     WHERE NOT EXISTS (SELECT 1 FROM memory_uses WHERE memory_id = :memoryId AND at = :at AND kind = :kind)
     ON CONFLICT DO NOTHING`,
  );
  const page = database.query(
    "SELECT rowid, memory_id, kind, at, run_id, note FROM memory_uses WHERE rowid > ? ORDER BY rowid LIMIT 5000",
    UseRow,
  );
  const Moments = z.object({ memory_id: z.string(), at: z.int() });
  const useful = USEFUL_KINDS.map((kind) => `'${kind}'`).join(", ");
  const momentsOf = database.query(
    `SELECT memory_id, at FROM memory_uses JOIN json_each(?) AS wanted ON wanted.value = memory_id
     WHERE kind IN (${useful}) ORDER BY at DESC`,
    Moments,
  );
  const allMoments = database.query(
    `SELECT memory_id, at FROM memory_uses WHERE kind IN (${useful}) ORDER BY at DESC`,
    Moments,
  );
  const inRun = database.query(
    "SELECT DISTINCT memory_id AS id FROM memory_uses WHERE run_id = ? AND kind IN ('cited', 'followed')",
    z.object({ id: z.string() }),
  );
  const counts = database.query(
    "SELECT kind, count(*) AS count, max(at) AS last FROM memory_uses WHERE memory_id = ? GROUP BY kind",
    z.object({ kind: MemoryUseKind, count: z.int(), last: z.int() }),
  );

  return {
    async record(uses) {
      database.transaction(() => {
        for (const { runId = null, note = null, ...use } of uses) add.run({ ...use, runId, note });
      });
    },
    restore: async (uses) =>
      database.transaction(() =>
        uses.reduce(
          (count, { runId = null, note = null, ...use }) =>
            count + addUnknown.run({ ...use, runId, note }).changes,
          0,
        ),
      ),
    async *batches() {
      for (let after = 0; ;) {
        // Reads in pages, because an open statement would block the connection for other queries.
        const rows = page.all(after);
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map(({ use }) => use);
        after = last.rowid;
      }
    },
    momentsOf: async (ids) => byMemory(momentsOf.all(JSON.stringify(ids))),
    allMoments: async () => byMemory(allMoments.all()),
    inRun: async (runId) => inRun.all(runId).map(({ id }) => id),
    countsOf: async (id) => countUses(counts.all(id)),
  };
}

/** Groups moments, newest first, by memory. */
export function byMemory(rows: readonly { memory_id: string; at: number }[]): Map<string, number[]> {
  const moments = new Map<string, number[]>();
  for (const { memory_id: id, at } of rows) {
    const known = moments.get(id);
    if (known === undefined) moments.set(id, [at]);
    else if (known.length < MAX_MOMENTS) known.push(at);
  }
  return moments;
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { activation } from "../evolution/activation.ts";

export interface EvictionQuery {
  /** The maximum number of memories. */
  keep: number;
  /** Memories created or used since this moment (ISO 8601) are kept. */
  since: string;
  now: number;
  /** When each memory was used, in milliseconds since 1970, by id. */
  moments: ReadonlyMap<string, readonly number[]>;
  /** Ids that are always kept. */
  exempt: readonly string[];
}

/** Rows read before yielding to the event loop. */
const SLICE = 2_000;

/**
 * The ids of the memories to evict when there are more than `keep`: the lowest activation plus importance first, older
 * ones first among equals. Keeps pinned, curated and verified memories, and those that a verified memory links to.
 */
export async function evictionCandidates(
  database: Database,
  { keep, since, now, moments, exempt }: EvictionQuery,
): Promise<string[]> {
  const total = database.query("SELECT count(*) AS count FROM records", z.object({ count: z.int() })).get();
  const excess = (total?.count ?? 0) - keep;
  if (excess <= 0) return [];
  const slice = database.query(
    `SELECT item, entries.id, entries.timestamp, records.importance FROM records JOIN entries USING (item)
     WHERE item > :after AND records.pinned = 0 AND records.verified = 0 AND entries.kind <> 'curated'
       AND entries.timestamp < :since
       AND NOT EXISTS (
         SELECT 1 FROM links JOIN records AS linking ON linking.item = links.item
         WHERE links.target = entries.id AND linking.verified = 1
       )
     ORDER BY item LIMIT ${SLICE}`,
    z.object({ item: z.int(), id: z.string(), timestamp: z.string(), importance: z.number() }),
  );
  const exemptIds = new Set(exempt);
  const sinceMs = Date.parse(since);
  const found: { id: string; timestamp: string; strength: number }[] = [];
  for (let after = 0; ;) {
    const rows = slice.all({ after, since });
    for (const { id, timestamp, importance } of rows) {
      const uses = moments.get(id) ?? [];
      if (exemptIds.has(id) || uses.some((moment) => moment >= sinceMs)) continue;
      found.push({ id, timestamp, strength: activation(Date.parse(timestamp), uses, now) + importance });
    }
    const last = rows.at(-1);
    if (!last || rows.length < SLICE) break;
    after = last.item;
    await nextTurn();
  }
  return found
    .sort((a, b) => a.strength - b.strength || (a.timestamp < b.timestamp ? -1 : 1))
    .slice(0, excess)
    .map(({ id }) => id);
}

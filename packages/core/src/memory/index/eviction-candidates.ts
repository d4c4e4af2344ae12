import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { activation } from "../evolution/activation.ts";

export interface EvictionQuery {
  /** How many memories may stay. */
  keep: number;
  /** What is younger, or was of use since (ISO 8601), stays. */
  since: string;
  now: number;
  /** When memories were of use, in milliseconds. */
  moments: ReadonlyMap<string, readonly number[]>;
  /** These stay as well. */
  exempt: readonly string[];
}

/** Read between two turns of others. */
const SLICE = 2_000;

/**
 * The ids of those memories that go when there are more than may stay: the evictionCandidates by activation and importance, the
 * oldest of equals first. Pinned, curated and verified ones stay, and what a verified one links to.
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
  const staying = new Set(exempt);
  const sinceMs = Date.parse(since);
  const found: { id: string; timestamp: string; strength: number }[] = [];
  for (let after = 0; ;) {
    const rows = slice.all({ after, since });
    for (const { id, timestamp, importance } of rows) {
      const uses = moments.get(id) ?? [];
      if (staying.has(id) || uses.some((moment) => moment >= sinceMs)) continue;
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

import { z } from "zod";
import { byMemory } from "@metahuman/core/memory/evolution/memory-use-table";
import {
  countUses,
  type MemoryUse,
  MemoryUseKind,
  type MemoryUses,
  USEFUL_KINDS,
} from "@metahuman/core/memory/evolution/memory-uses";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type ProfileSession } from "../session.ts";

const USES_PER_READ = 5_000;

const UseRow = z
  .object({
    place: z.string(),
    memory_id: z.string(),
    kind: MemoryUseKind,
    at: z.int(),
    run_id: z.string().nullable(),
    note: z.string().nullable(),
  })
  .transform(({ place, memory_id: memoryId, kind, at, run_id: runId, note }) => ({
    place,
    use: { memoryId, kind, at, ...(runId !== null && { runId }), ...(note !== null && { note }) },
  }));
const MomentRow = z.object({ memory_id: z.string(), at: z.int() });
const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const CountsRow = z.object({ kind: MemoryUseKind, count: z.int(), last: z.int() });

const INSERT = "INSERT INTO memory_uses (profile, memory_id, kind, at, run_id, note)";
// Rows are numbered in the order of the array.
const GIVEN = `ROWS FROM (jsonb_to_recordset(:uses::jsonb)
    AS ("memoryId" text, kind text, at float8, "runId" text, note text))
  WITH ORDINALITY AS use ("memoryId", kind, at, "runId", note, position)`;

/** Opens the uses of a profile's memories in the database. */
export function openPostgresMemoryUses(database: Postgres, profile: string): MemoryUses {
  const inProfile = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.inProfile(profile, work);
  const readAtOnce = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.readProfile(profile, work);
  const moments = (session: ProfileSession, condition: string, ids: readonly string[]) =>
    session.all(
      MomentRow,
      `SELECT memory_id, at FROM memory_uses WHERE profile = :profile AND kind = ANY(:kinds::text[]) ${condition}
       ORDER BY at DESC`,
      { ids, kinds: USEFUL_KINDS },
    );

  return {
    async record(uses) {
      if (uses.length === 0) return;
      await inProfile((session) =>
        session.run(
          `${INSERT} SELECT :profile, "memoryId", kind, at, "runId", note FROM ${GIVEN} ORDER BY position ON CONFLICT DO NOTHING`,
          { uses: jsonText(uses) },
        ),
      );
    },
    restore: (uses) =>
      inProfile((session) =>
        session.run(
          `${INSERT} SELECT :profile, "memoryId", kind, at, "runId", note FROM ${GIVEN}
           WHERE NOT EXISTS (SELECT 1 FROM memory_uses AS known WHERE known.profile = :profile
             AND known.memory_id = use."memoryId" AND known.at = use.at AND known.kind = use.kind)
           ORDER BY position ON CONFLICT DO NOTHING`,
          { uses: jsonText(withoutDuplicates(uses)) },
        ),
      ),
    async *batches() {
      for (let after = "0"; ;) {
        const from = after;
        const rows = await readAtOnce((session) =>
          session.all(
            UseRow,
            `SELECT place::text, memory_id, kind, at, run_id, note FROM memory_uses
             WHERE profile = :profile AND place > :after::bigint ORDER BY memory_uses.place LIMIT :limit`,
            { after: from, limit: USES_PER_READ },
          ),
        );
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map(({ use }) => use);
        after = last.place;
      }
    },
    momentsOf: async (ids) =>
      byMemory(await readAtOnce((session) => moments(session, "AND memory_id = ANY(:ids::text[])", ids))),
    allMoments: async () => byMemory(await readAtOnce((session) => moments(session, "", []))),
    inRun: (runId) =>
      readAtOnce((session) =>
        session.all(
          IdRow,
          `SELECT DISTINCT memory_id AS id FROM memory_uses
           WHERE profile = :profile AND run_id = :runId AND kind IN ('cited', 'followed')`,
          { runId },
        ),
      ),
    countsOf: async (id) =>
      countUses(
        await readAtOnce((session) =>
          session.all(
            CountsRow,
            `SELECT kind, count(*)::integer AS count, max(at) AS last FROM memory_uses
             WHERE profile = :profile AND memory_id = :id GROUP BY kind`,
            { id },
          ),
        ),
      ),
  };
}

/** A statement does not see the rows that it adds. */
function withoutDuplicates(uses: readonly MemoryUse[]): MemoryUse[] {
  return [...new Map(uses.map((use) => [`${use.memoryId} ${use.at} ${use.kind}`, use])).values()];
}

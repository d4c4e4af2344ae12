import { z } from "zod";
import { inMigrationLock } from "../migrate.ts";
import { profileTable } from "../migrations/profile-table.ts";
import type { Driver } from "../pg-driver.ts";

/** The schema of pgvector, by which its types and operators are named. */
export interface VectorExtension {
  schema: string;
}

/** The oldest version with iterative scans of an index: 0.8. */
const OLDEST = [0, 8];
const ExtensionRow = z.object({ version: z.string(), schema: z.string().regex(/^\w+$/) });
const FoundRow = z.object({ found: z.boolean() });

/**
 * Creates what the search in the database needs, where the extension pgvector 0.8 or later was created in it. Returns
 * undefined if it was not. No numbered step, because it depends on the server.
 */
export async function prepareMemorySearch(driver: Driver): Promise<VectorExtension | undefined> {
  return await driver.withConnection(async (connection) => {
    const { rows } = await connection.query(
      `SELECT extversion AS version, n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
       WHERE extname = 'vector'`,
    );
    const extension = ExtensionRow.safeParse(rows[0]).data;
    if (!extension || isOlder(extension.version)) return undefined;
    const { rows: tables } = await connection.query(
      "SELECT to_regclass('metahuman.memory_search') IS NOT NULL AS found",
    );
    if (!FoundRow.parse(tables[0]).found)
      await inMigrationLock(connection, async () => {
        await connection.query("SET LOCAL search_path = metahuman");
        await connection.query(tablesWith(extension.schema));
      });
    return { schema: extension.schema };
  });
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major === oldestMajor ? minor < oldestMinor : major < oldestMajor;
}

/** The second process finds everything created. */
const tablesWith = (schema: string): string => `
  DO $do$ BEGIN
    IF to_regclass('metahuman.memory_search') IS NULL THEN
      ${profileTable(
        "memory_search",
        `record_id text COLLATE "C" NOT NULL,
         kind text COLLATE "C" NOT NULL,
         at text COLLATE "C" NOT NULL,
         tags text[] COLLATE "C" NOT NULL,
         -- The stems of its words, which this product computes; no dictionary of the server is used.
         stems tsvector NOT NULL,
         words integer NOT NULL,
         PRIMARY KEY (profile, record_id)`,
      )}
      -- Half the size of four bytes each, so that a vector of up to 900 numbers lies beside its row.
      ALTER TABLE embeddings ADD COLUMN IF NOT EXISTS meaning ${schema}.halfvec;
      -- What is there belongs to the present text of a memory: whoever writes a text describes it afterwards.
      CREATE FUNCTION forget_memory_search() RETURNS trigger LANGUAGE plpgsql AS
        $fn$ BEGIN
          DELETE FROM memory_search WHERE profile = old.profile AND record_id = old.id;
          IF TG_OP = 'UPDATE' THEN
            UPDATE embeddings SET meaning = NULL WHERE profile = old.profile AND record_id = old.id
              AND old.body ->> 'content' IS DISTINCT FROM new.body ->> 'content';
          END IF;
          RETURN NULL;
        END $fn$;
      CREATE TRIGGER memory_search_of_changed_memories AFTER UPDATE OF body ON records FOR EACH ROW
        WHEN (old.kind = 'memory' AND old.body IS DISTINCT FROM new.body) EXECUTE FUNCTION forget_memory_search();
      CREATE TRIGGER memory_search_of_deleted_memories AFTER DELETE ON records FOR EACH ROW
        WHEN (old.kind = 'memory') EXECUTE FUNCTION forget_memory_search();
    END IF;
  END $do$`;

import { z } from "zod";
import { assertNoOtherOwner } from "@metahuman/core/profiles/migration-mark";
import { accountTables } from "../accounts/account-tables.ts";
import type { Postgres } from "../open-postgres.ts";
import type { Session } from "../session.ts";

/**
 * The document of a running migration: of a profile, which no server serves because it has no account yet, and of the
 * whole installation.
 */
export const MARK = "migration";
/** The whole installation. No username contains this character. */
export const ALL_PROFILES = "*";

const FoundRow = z.object({ found: z.boolean() });

/** Whether a migration into this database was begun and has not ended. Runs in the caller's transaction. */
export async function isBeingMigrated(session: Session): Promise<boolean> {
  const row = await session.get(
    FoundRow,
    "SELECT EXISTS (SELECT FROM profile_documents WHERE name = :mark) AS found",
    { mark: MARK },
  );
  return row?.found === true;
}

/** See `MigrationTarget.start`. No owner account can be created between the check and the mark. */
export async function startMigration(
  database: Postgres,
  owners: readonly string[] | undefined,
): Promise<void> {
  await database.inSystem(async (session) => {
    await accountTables.lock(session);
    if (owners) assertNoOtherOwner(await accountTables.owners(session), owners);
    await session.run(
      `INSERT INTO profile_documents (profile, name, body) VALUES (:all, :mark, to_jsonb(now()))
       ON CONFLICT (profile, name) DO NOTHING`,
      { all: ALL_PROFILES, mark: MARK },
    );
  });
}

export async function endMigration(database: Postgres): Promise<void> {
  await database.inSystem((session) =>
    session.run("DELETE FROM profile_documents WHERE profile = :all AND name = :mark", {
      all: ALL_PROFILES,
      mark: MARK,
    }),
  );
}

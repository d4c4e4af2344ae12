import pg from "pg";
import { z } from "zod";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { AlreadyExistsError, ConflictError } from "@metahuman/core/errors/request-errors";
import type { AccountCopy } from "@metahuman/core/profiles/account-copies";
import { restoreAccount } from "../accounts/account-copies.ts";
import { profileRows } from "../installation/installation-facts.ts";
import type { Postgres } from "../open-postgres.ts";
import { openRecordLock } from "../records/record-lock.ts";
import type { Session } from "../session.ts";
import { ALL_PROFILES, MARK } from "./migration-mark.ts";

/** Tables that do not show whether a profile is here. */
const WITHOUT_DATA = new Set(["record_locks", "leases", "commits"]);

const TableRow = z.object({ name: z.string() }).transform(({ name }) => name);
const FoundRow = z.object({ found: z.boolean() });

/** A profile that is being moved into the database. */
export interface MovingProfile {
  /** The name of its rows. */
  rows: string;
  /** Puts the profile in service. */
  finish(account: AccountCopy, options: { latest: number }): Promise<void>;
}

/** Opens the lock that a process holds while it moves profiles into a database. The lock of a killed process ends after its lease. */
export function openMigrationLock(database: Postgres) {
  const lock = openRecordLock(database, ALL_PROFILES, MARK);
  return {
    hold: <Result>(work: () => Promise<Result>): Promise<Result> =>
      lock.hold(work, { waitMs: LEASE_MS + 3_000 }),
    /** Throws `ConflictError` if another process took the lock over. */
    assertHeld: () => database.inProfile(ALL_PROFILES, (session) => lock.guard(session)),
  };
}

/**
 * Starts to move a profile into the database, and deletes the data of an interrupted migration. Throws
 * `AlreadyExistsError` if there is any other data of the profile.
 */
export async function beginMove(
  database: Postgres,
  username: string,
  { assertHeld }: { assertHeld: () => Promise<void> },
): Promise<MovingProfile> {
  const { rows } = await profileRows(database, username);
  await database.inSystem(async (session) => {
    if (await isFree(session, username, rows)) await deleteRows(session, rows);
    else throw notEmpty(username);
    await session.run(
      "INSERT INTO profile_documents (profile, name, body) VALUES (:rows, :mark, to_jsonb(now()))",
      { rows, mark: MARK },
    );
  });
  return {
    rows,
    async finish(account, options) {
      await assertHeld();
      await database.inSystem(async (session) => {
        await session.run("DELETE FROM profile_documents WHERE profile = :rows AND name = :mark", {
          rows,
          mark: MARK,
        });
        await restoreAccount(session, account, options);
      });
    },
  };
}

/** Throws `AlreadyExistsError` if the database has an account or rows of this name. Reads only. */
export async function assertNoProfile(database: Postgres, username: string): Promise<void> {
  const { rows } = await profileRows(database, username);
  if (!(await database.inSystem((session) => isFree(session, username, rows)))) throw notEmpty(username);
}

/** Throws `ConflictError` while a process uses the profile. */
export async function assertNotInUse(database: Postgres, rows: string): Promise<void> {
  const live = await database.inProfile(rows, (session) =>
    session.get(
      FoundRow,
      "SELECT EXISTS (SELECT FROM leases WHERE profile = :profile AND expires_at > :now) AS found",
      { now: session.now.getTime() },
    ),
  );
  if (live?.found)
    throw new ConflictError("A server uses this profile.", {
      suggestions: ["Stop all servers of the database, wait 15 seconds, then try again."],
    });
}

/** Whether there is nothing of the profile, or only what a migration that was cut off has left. */
async function isFree(session: Session, username: string, rows: string): Promise<boolean> {
  const account = await session.get(
    FoundRow,
    "SELECT EXISTS (SELECT FROM accounts WHERE username = :username) AS found",
    { username },
  );
  if (account?.found) return false;
  const mark = await session.get(
    FoundRow,
    "SELECT EXISTS (SELECT FROM profile_documents WHERE profile = :rows AND name = :mark) AS found",
    { rows, mark: MARK },
  );
  if (mark?.found) return true;
  for (const table of await tablesOf(session)) {
    const row = await session.get(
      FoundRow,
      `SELECT EXISTS (SELECT FROM ${pg.escapeIdentifier(table)} WHERE profile = :rows) AS found`,
      { rows },
    );
    if (row?.found) return false;
  }
  return true;
}

async function deleteRows(session: Session, rows: string): Promise<void> {
  for (const table of await tablesOf(session))
    await session.run(`DELETE FROM ${pg.escapeIdentifier(table)} WHERE profile = :rows`, { rows });
}

/** The tables with the rows of profiles. */
function tablesOf(session: Session): Promise<string[]> {
  return session
    .all(
      TableRow,
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'metahuman'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'profile'
       ORDER BY c.relname`,
    )
    .then((names) => names.filter((name) => !WITHOUT_DATA.has(name)));
}

function notEmpty(username: string): AlreadyExistsError {
  return new AlreadyExistsError(`The database already has a profile named ${username}; it was not changed.`, {
    suggestions: ["Remove that account there, or migrate another profile with --profile."],
  });
}

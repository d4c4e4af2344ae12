import { z } from "zod";
import { systemCode } from "@metahuman/core/errors/node-error";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { StorageNewerError } from "@metahuman/core/errors/storage-errors";
import type { Driver } from "./pg-driver.ts";
import type { Connection } from "./session.ts";

/**
 * One numbered step of the schema. A published step never changes. The version before it must still work on its result,
 * because processes are updated one after the other.
 */
export interface Migration {
  version: number;
  /** A description for messages: "runs and their events". */
  name: string;
  /** SQL statements. They run in one transaction, in the schema `metahuman`. */
  up: string;
}

/** The number of the lock under which one process at a time changes the schema. */
const MIGRATION_LOCK = 5_741_390_417;
/** How long a step may take, and how long to wait for the steps of another process, in milliseconds. */
const STEP_MS = 600_000;
const OLDEST_SERVER = 140_000;
const ROLE = "metahuman_profile";

const VersionRow = z.object({ version: z.int() });
const FoundRow = z.object({ found: z.boolean() });
const ServerRow = z.object({ version: z.string().transform(Number).pipe(z.int()) });

/**
 * Applies missing migrations, each in a transaction that also stores its number. Other processes that do the same wait
 * for each other. Accepts a schema that is one step ahead. Throws `ConfigInvalidError` for a server older than PostgreSQL 14,
 * `StorageNewerError` for a schema that is further ahead, and `PermissionDeniedError` if a permission is missing.
 */
export async function migrate(driver: Driver, migrations: readonly Migration[]): Promise<void> {
  await driver.withConnection(
    async (connection) => {
      const server = await serverVersion(connection);
      assertSupported(server);
      const found = await inMigrationLock(connection, async () => {
        await prepare(connection, server);
        return currentVersion(connection);
      });
      if (found > migrations.length + 1) throw newer(found, migrations.length);
      for (const { version, name, up } of migrations.slice(found))
        await inMigrationLock(connection, async () => {
          if ((await currentVersion(connection)) >= version) return;
          await connection.query("SET LOCAL search_path = metahuman");
          await create(connection, up);
          await connection.query("INSERT INTO migrations (version, name) VALUES ($1, $2)", [version, name]);
        });
    },
    { answerWithinMs: 2 * STEP_MS },
  );
}

/**
 * Throws `ConfigInvalidError` for a database without data of MetaHuman OS or of an earlier version, and otherwise as `migrate`.
 * Changes nothing.
 */
export async function requireSchema(driver: Driver, migrations: readonly Migration[]): Promise<void> {
  await driver.withConnection(async (connection) => {
    assertSupported(await serverVersion(connection));
    const { rows } = await connection.query(
      "SELECT to_regclass('metahuman.migrations') IS NOT NULL AS found",
    );
    if (!FoundRow.parse(rows[0]).found)
      throw new ConfigInvalidError("The database has no data of MetaHuman OS.", {
        suggestions: ["Correct the name of the database in its address."],
        context: { isEmpty: true },
      });
    const found = await currentVersion(connection);
    if (found > migrations.length + 1) throw newer(found, migrations.length);
    if (found < migrations.length)
      throw new ConfigInvalidError("The database was written by an earlier version of MetaHuman OS.", {
        suggestions: ["Start a server of this version with the database once, stop it, then try again."],
        context: { found, known: migrations.length },
      });
  });
}

/** The error codes of PostgreSQL if a table, another object or a function of this name exists. */
const EXISTS: ReadonlySet<string | undefined> = new Set(["42P07", "42710", "42723"]);

/** Creates what a step creates. Throws `ConfigInvalidError` if the schema has something of the same name that no step has created. */
async function create(connection: Connection, up: string): Promise<void> {
  try {
    await connection.query(up);
  } catch (error) {
    if (!EXISTS.has(systemCode(error))) throw error;
    throw new ConfigInvalidError(
      "The database has a schema metahuman that was not created by MetaHuman OS.",
      { suggestions: ["Name another database, or rename that schema."], cause: error },
    );
  }
}

/** Runs work in a transaction that holds the lock of migrations. */
export async function inMigrationLock<Result>(
  connection: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  await connection.query(`BEGIN; SET LOCAL statement_timeout = ${STEP_MS}`);
  try {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const result = await work();
    await connection.query("COMMIT");
    return result;
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  }
}

/** The version of the server as a number: 150018 for 15.18. */
async function serverVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.query("SELECT current_setting('server_version_num') AS version");
  return ServerRow.parse(rows[0]).version;
}

/** Throws `ConfigInvalidError` for a server older than PostgreSQL 14. */
export function assertSupported(version: number): void {
  if (version >= OLDEST_SERVER) return;
  throw new ConfigInvalidError(
    `The database server is PostgreSQL ${Math.floor(version / 10_000)}; version 14 or later is needed.`,
    { suggestions: ["Update the server, or name another one."] },
  );
}

/** Creates the schema, and the role with which the data of one profile is read and written. */
async function prepare(connection: Connection, server: number): Promise<void> {
  await connection.query("CREATE SCHEMA IF NOT EXISTS metahuman");
  await connection.query(
    `CREATE TABLE IF NOT EXISTS metahuman.migrations
       (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  // Roles belong to the server: another database may create it at the same moment.
  await connection.query(
    `DO $$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}') THEN CREATE ROLE ${ROLE} NOLOGIN; END IF;
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  );
  // Since PostgreSQL 16, the creator of a role may grant it, but not use it.
  const privilege = server >= 160_000 ? "SET" : "MEMBER";
  await connection.query(
    `DO $$ BEGIN
       IF NOT pg_has_role(current_user, '${ROLE}', '${privilege}') THEN GRANT ${ROLE} TO CURRENT_USER; END IF;
     END $$`,
  );
  await connection.query(`GRANT USAGE ON SCHEMA metahuman TO ${ROLE}`);
}

async function currentVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.query(
    "SELECT coalesce(max(version), 0) AS version FROM metahuman.migrations",
  );
  return VersionRow.parse(rows[0]).version;
}

function newer(found: number, known: number): StorageNewerError {
  return new StorageNewerError(
    `The database was written by a later version of MetaHuman OS (schema ${found}; this version knows up to ${known}). It was not changed.`,
    { suggestions: ["Start the later version."], context: { found, known } },
  );
}

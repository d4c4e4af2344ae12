import type BetterSqlite3 from "better-sqlite3";
import { StorageNewerError } from "../errors/storage-errors.ts";
import { displayPath } from "../paths/data-root.ts";
import { capitalize } from "../text/format.ts";
import { backUpBeforeMigration } from "./backup.ts";
import { corruptError, type StorageSubject } from "./storage-error.ts";

/**
 * Applies missing migrations, each in a transaction that also writes its number, so that a killed process never leaves
 * half a migration. Backs up a database with data first; creates an empty one in one transaction. Safe when several
 * processes open the same file at once. Throws `StorageNewerError`.
 */
export function migrate(
  connection: BetterSqlite3.Database,
  migrations: readonly Migration[],
  subject: StorageSubject,
): void {
  const found = schemaVersion(connection);
  if (found > migrations.length) throw newer(subject, found, migrations.length);
  if (found === migrations.length) return;
  const isEmpty = !hasTables(connection);
  if (!isEmpty) backUpBeforeMigration(connection, subject.path);

  // A migration that rebuilds a table has to drop the old one. Dangling references afterwards roll it back.
  connection.pragma("foreign_keys = OFF");
  connection.pragma("synchronous = FULL");
  const step = connection.transaction((migration: Migration) => {
    if (schemaVersion(connection) >= migration.version) return;
    if (typeof migration.up === "string") connection.exec(migration.up);
    else migration.up(connection);
    const dangling = connection.pragma("foreign_key_check");
    if (Array.isArray(dangling) && dangling.length > 0) {
      throw corruptError(subject, `the migration "${migration.name}" leaves dangling references`);
    }
    connection.pragma(`user_version = ${migration.version}`);
  });
  const steps = (): void => migrations.forEach((migration) => step.immediate(migration));
  if (isEmpty) connection.transaction(steps).immediate();
  else steps();
}

/** Throws `RangeError` if the migrations are not numbered from 1 without gaps. */
export function assertNumbered(migrations: readonly Migration[]): void {
  for (const [index, { version, name }] of migrations.entries()) {
    if (version !== index + 1)
      throw new RangeError(`migration "${name}" must have number ${index + 1}, not ${version}`);
  }
}

function schemaVersion(connection: BetterSqlite3.Database): number {
  return Number(connection.pragma("user_version", { simple: true }));
}

function hasTables(connection: BetterSqlite3.Database): boolean {
  return connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function newer(subject: StorageSubject, found: number, known: number): StorageNewerError {
  return new StorageNewerError(
    `${capitalize(subject.title)} was written by a later version of MetaHuman OS (schema ${found}; this version knows up to ${known}). The file was not changed.`,
    {
      suggestions: ["Start the later version, or restore a backup made by this one."],
      context: { file: displayPath(subject.path), found, known },
    },
  );
}

/** One numbered step of a schema. Numbers start at 1 without gaps; a published migration never changes. */
export interface Migration {
  version: number;
  /** A description for messages: "runs and their events". */
  name: string;
  /** SQL or a function. Runs inside one transaction; foreign keys are checked at its end. */
  up: string | ((connection: { exec(sql: string): unknown }) => void);
}
